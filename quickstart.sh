#!/bin/sh
# quickstart.sh: from a fresh Debian 12 to an answer, or with `test`, to passing tests.
#
#   sh quickstart.sh         installs what is needed, builds, ingests the sample archive, asks a question
#   sh quickstart.sh test    installs what is needed, builds with warnings as errors, runs all tests
set -eu
cd "$(dirname "$0")"

BUILD_PACKAGES="gcc g++ cmake ninja-build pkg-config libarchive-dev libsqlite3-dev libopenblas-dev libzstd-dev zlib1g-dev
  libxml2-dev libuchardet-dev libutf8proc-dev libcjson-dev nettle-dev libsentencepiece-dev libncurses-dev"
TEST_PACKAGES="clang clang-format libclang-rt-14-dev libcmocka-dev mandoc python3 bash zsh fish xz-utils"
RUN_PACKAGES="poppler-utils poppler-data"
QUESTION="Who led the horses out of the burning stable?"

say() { printf '\n== %s\n' "$*"; }
fail() { printf 'quickstart.sh: %s\n' "$*" >&2; exit 2; }

# Installs those of the packages that are missing; asks for nothing when all are there.
install_packages() {
    missing=""
    for package in "$@"; do
        dpkg-query -W -f '${Status}\n' "$package" 2>/dev/null | grep -q '^install ok installed$' || missing="$missing $package"
    done
    [ -n "$missing" ] || return 0
    say "Installing:$missing"
    as_root=""
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null 2>&1 || fail "run as root, or install these packages first:$missing"
        as_root="sudo"
    fi
    $as_root apt-get update -qq
    # shellcheck disable=SC2086 # a list of words
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
}

build() { # preset, further options of the configuration
    preset=$1
    shift
    cmake --preset "$preset" "$@" >/dev/null
    cmake --build "build/$preset"
}

if ! command -v apt-get >/dev/null 2>&1; then
    fail "this script knows Debian 12 only; on other systems install the packages listed in it and use cmake --preset release"
fi

case "${1:-}" in
"")
    install_packages $BUILD_PACKAGES $RUN_PACKAGES
    say "Building"
    build release -DDRT_TESTS=OFF
    drt=build/release/app/drt
    library=build/release/sample.drt
    rm -rf "$library"
    say "drt ingest sample.drt samples/sample.zip"
    "$drt" ingest "$library" samples/sample.zip
    say "drt ask sample.drt \"$QUESTION\""
    "$drt" ask "$library" "$QUESTION"
    say "Now try:  $drt ask $library \"your question\"    or    $drt ingest books.drt YOUR_FILES"
    ;;
test)
    install_packages $BUILD_PACKAGES $RUN_PACKAGES $TEST_PACKAGES
    say "clang, warnings as errors"
    build clang-werror
    say "AddressSanitizer and UndefinedBehaviorSanitizer"
    build debug
    ctest --preset debug -LE release-only
    say "libFuzzer, a short run of each target"
    build fuzz
    ctest --preset fuzz -L fuzz -j "$(nproc)"
    say "gcc, warnings as errors"
    build gcc-werror
    ctest --preset gcc-werror
    ;;
*)
    fail "usage: sh quickstart.sh [test]"
    ;;
esac
