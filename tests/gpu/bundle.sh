#!/bin/sh
# bundle.sh: packs what tests/gpu/run.sh needs to run drt on a machine that has a GPU but none of our libraries.
#
#   sh tests/gpu/bundle.sh [OPTION]... ARCHIVE.tar.xz
#
#   --program DRT   packs this program, and the CUDA module beside it if there is one (else both are built, for release)
#   --texts PATH    a text, or a folder of texts, for `drt eval` and `drt bench ingest` (again for more)
#   --with-model    the bundled model too; else run.sh takes it from the tree that it stands in
#
# Inside: drt (starts bin/drt with lib/), the shared libraries that it needs but for libc's family, texts/,
# model/. The machine must have a libc as new as this one's. Libraries of tables that nothing here reads (ICU's data, which
# libxml2 links for encodings that drt converts itself) are packed as empty ones.
set -eu
source_dir=$(cd "$(dirname "$0")/../.." && pwd)

fail() {
    printf 'bundle.sh: %s\n' "$*" >&2
    exit 2
}
usage() {
    sed -n '2,/^set /{s/^# \{0,1\}//p;}' "$0" >&2
    exit 2
}

program="" archive="" with_model=no
staging=$(mktemp -d)
trap 'rm -rf "$staging"' EXIT
trap 'exit 130' INT TERM
root=$staging/drt-bundle
mkdir -p "$root/bin" "$root/lib"

while [ $# -gt 0 ]; do
    case $1 in
    --program | --texts)
        [ $# -ge 2 ] || fail "$1 needs a value"
        [ -e "$2" ] || fail "$2: no such file or folder"
        if [ "$1" = --program ]; then
            program=$2
        else
            mkdir -p "$root/texts" && cp -RL "$2" "$root/texts/"
        fi
        shift
        ;;
    --with-model) with_model=yes ;;
    -*) usage ;;
    *)
        [ -z "$archive" ] || usage
        archive=$1
        ;;
    esac
    shift
done
[ -n "$archive" ] || usage

if [ -z "$program" ]; then
    build_dir=$source_dir/build/bundle
    cmake -S "$source_dir" -B "$build_dir" -DCMAKE_BUILD_TYPE=Release -DDRT_TESTS=OFF -DDRT_CUDA=ON >/dev/null
    cmake --build "$build_dir" -j "$(nproc)" >/dev/null
    program=$build_dir/app/drt
fi

cp "$program" "$root/bin/drt"
[ ! -e "$(dirname "$program")/libdrt_cuda.so" ] || cp "$(dirname "$program")/libdrt_cuda.so" "$root/bin/"
strip "$root"/bin/* 2>/dev/null || true # smaller; works without

# An ICU data library without data: a header that says so.
empty_icu_data() { # soname
    version=${1##*.}
    cat >"$staging/icu.c" <<END
#include <stdint.h>
const struct {
    uint16_t header_size;
    uint8_t magic[2];
    uint16_t info_size, reserved;
    uint8_t big_endian, charset, sizeof_uchar, none, format[4], format_version[4], data_version[4];
    uint32_t count, padding;
} icudt${version}_dat = {32, {0xda, 0x27}, 20, 0, 0, 0, 2, 0, {'T', 'o', 'C', 'P'}, {1}, {1}, 0, 0};
END
    ${CC:-cc} -shared -fPIC -Wl,-soname,"$1" -o "$root/lib/$1" "$staging/icu.c"
}

ldd "$program" >"$staging/libraries" || fail "ldd $program failed"
! grep 'not found' "$staging/libraries" >&2 || fail "$program: libraries are missing"
while read -r name arrow path _; do
    [ "$arrow" = "=>" ] || continue
    case $name in
    libc.so.* | libm.so.* | libdl.so.* | libpthread.so.* | librt.so.* | libresolv.so.* | ld-linux*) ;;
    libicudata.so.*) empty_icu_data "$name" ;;
    *) cp -L "$path" "$root/lib/$name" ;;
    esac
done <"$staging/libraries"

cat >"$root/drt" <<'END'
#!/bin/sh
here=$(cd "$(dirname "$0")" && pwd)
LD_LIBRARY_PATH="$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" exec "$here/bin/drt" "$@"
END
chmod +x "$root/drt"
[ $with_model = no ] || cp -R "$source_dir/samples/model" "$root/model"
"$root/drt" --version >/dev/null || fail "the packed program does not run here"

XZ_OPT="-T2 ${XZ_OPT:--6}" tar -cJf "$archive.part" -C "$staging" drt-bundle
mv "$archive.part" "$archive"
printf '%s: %s bytes\n' "$archive" "$(wc -c <"$archive")"
