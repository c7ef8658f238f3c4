#!/bin/sh
# run.sh: builds the CUDA module and the conformance runner on a machine that has a GPU, nvcc and CMake but none of
# our libraries, runs them, and prints one table.
#
#   sh tests/gpu/run.sh [BUILD_DIR [LOG_DIR]]
#
# Steps: build; conformance; conformance (reduced) under compute-sanitizer's memcheck and racecheck, where it runs;
# timings. Every step has its log in LOG_DIR. Exit code 0: all passed; a sanitizer that cannot run here counts as
# skipped, and the table says why.
set -u
source_dir=$(cd "$(dirname "$0")/../.." && pwd)
build_dir=${1:-"$source_dir/build/gpu"}
logs=${2:-"$build_dir/logs"}
mkdir -p "$build_dir" "$logs"
runner="$build_dir/app/conformance"
table="$logs/table.txt"
: >"$table"
failed=0

# note NAME RESULT DETAIL
note() { printf '%-22s %-8s %s\n' "$1" "$2" "$3" >>"$table"; }

# step NAME SECONDS COMMAND...: runs it with its output in LOG_DIR/NAME.log
step() {
    name=$1 limit=$2
    shift 2
    started=$(date +%s)
    timeout "$limit" "$@" >"$logs/$name.log" 2>&1
    status=$?
    took="$(($(date +%s) - started)) s"
}

build() {
    cmake -S "$source_dir/tests/gpu" -B "$build_dir" \
        -DCMAKE_BUILD_TYPE=Release && cmake --build "$build_dir" -j "$(nproc)"
}

sanitize() { # tool [option]...
    if ! command -v compute-sanitizer >/dev/null 2>&1; then
        note "$1" skipped "compute-sanitizer is not installed"
        return
    fi
    step "$1" 240 compute-sanitizer --tool "$@" --error-exitcode 9 "$runner" --small --repeat 1 --seed 1
    summary=$(grep 'SUMMARY' "$logs/$1.log" | tail -1 | sed 's/^=*//')
    if [ "$status" -eq 0 ]; then
        note "$1" clean "$took;$summary"
    elif grep -q 'Device not supported\|Unable to\|not supported on' "$logs/$1.log"; then
        note "$1" skipped "$(grep -m1 'not supported\|Unable to' "$logs/$1.log")"
    else
        note "$1" FAILED "exit code $status, $took;$summary"
        failed=1
    fi
}

build >"$logs/build.log" 2>&1
if [ $? -ne 0 ]; then
    tail -30 "$logs/build.log"
    exit 2
fi
note build ok "$(sed -n 's/^-- CUDA module: //p' "$logs/build.log" | head -1)"
step conformance 120 "$runner"
cat "$logs/conformance.log"
if [ "$status" -eq 0 ]; then
    note conformance ok "$took; $(tail -1 "$logs/conformance.log")"
else
    note conformance FAILED "exit code $status, $took; $(tail -1 "$logs/conformance.log")"
    failed=1
fi
sanitize memcheck --leak-check full
sanitize racecheck
step timings 120 "$runner" --time
cat "$logs/timings.log"
if [ "$status" -eq 0 ]; then note timings ok "$took"; else note timings FAILED "exit code $status" && failed=1; fi
echo
cat "$table"
exit $failed
