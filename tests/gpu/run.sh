#!/bin/sh
# run.sh: builds the CUDA module and the conformance runner on a machine that has a GPU, nvcc and CMake but none of
# our libraries, runs them, and prints one table. With a bundle (bundle.sh) it runs the whole program too.
#
#   sh tests/gpu/run.sh [OPTION]... [BUILD_DIR [LOG_DIR]]
#
#   --bundle FILE     also the steps that need the program, from this archive
#   --program DRT     the same with a program that is there
#   --only NAME,...   these steps alone, in the order below
#   --device NAME     of the program's steps (cuda)
#   --limit SECONDS   of all steps together; those that find no time left are skipped (1500)
#   --chunks N,...    library sizes of ask (1024,16384,262144,1048576)
#   --tokens N,...    lengths of needle and passkey: 64K, 16M, ... (64K)
#   --needles N       facts, or pass keys, at each length (20)
#   --hay PATH        text of needle and passkey (else the bundle's texts, else text that is made up)
#   --scratch DIR     where temporary libraries go ($TMPDIR, else /tmp)
#
# Steps: build; conformance; memcheck and racecheck (conformance, reduced, under compute-sanitizer, where it runs);
# timings. With the program: golden (the twelve golden answers, at least 11 of them); facts (200 facts in the sample texts, the
# same answer on the CPU to 98 %); ops, ingest, ask (drt bench); needle, passkey (drt eval). Every step has a time limit and
# its log in LOG_DIR; one that fails does not stop the others. Exit code 0: all passed (a sanitizer that cannot run here
# counts as skipped, and the table says why); 1: some failed, or found no time; 2: bad usage.
set -u
source_dir=$(cd "$(dirname "$0")/../.." && pwd)
program_steps="golden facts ops ingest ask needle passkey"
all_steps="build conformance memcheck racecheck timings $program_steps"
bundle="" program="" only="" device=cuda limit=1500 chunks=1024,16384,262144,1048576 tokens=64K needles=20 hay=""
scratch=${TMPDIR:-/tmp}

fail() {
    printf 'run.sh: %s\n' "$*" >&2
    exit 2
}
words() { printf '%s' "$1" | tr ',' ' '; }

while [ $# -gt 0 ]; do
    case $1 in
    --bundle | --program | --only | --device | --limit | --chunks | --tokens | --needles | --hay | --scratch)
        [ $# -ge 2 ] || fail "$1 needs a value"
        eval "${1#--}=\$2"
        shift 2
        ;;
    --help)
        sed -n '2,/^set /{s/^# \{0,1\}//p;}' "$0"
        exit 0
        ;;
    -*) fail "there is no option $1; --help lists them" ;;
    *) break ;;
    esac
done
[ $# -le 2 ] || fail "too many operands; --help tells"
build_dir=${1:-"$source_dir/build/gpu"}
logs=${2:-"$build_dir/logs"}
for name in $(words "$only"); do
    case " $all_steps " in
    *" $name "*) ;;
    *) fail "there is no step \"$name\"; there are: $all_steps" ;;
    esac
done
for number in "$limit" "$needles" $(words "$chunks"); do
    case $number in
    "" | *[!0-9]*) fail "\"$number\" is no number" ;;
    esac
done
for path in ${bundle:+"$bundle"} ${program:+"$program"} ${hay:+"$hay"} "$scratch"; do
    [ -e "$path" ] || fail "$path: no such file or folder"
done
mkdir -p "$build_dir" "$logs" || exit 2
work=$(mktemp -d "${TMPDIR:-/tmp}/drt-gpu-XXXXXX") || exit 2
room=$(mktemp -d "$scratch/drt-gpu-XXXXXX") || exit 2 # not for programs: memory disks may refuse to run them
export TMPDIR="$room"

table=$logs/table.txt
: >"$table"
failed=0
began=$(date +%s)

finish() {
    trap - EXIT INT TERM
    rm -rf "$work" "$room"
    printf '\n'
    cat "$table"
    exit $failed
}
trap finish EXIT
trap 'failed=130; exit' INT TERM

# ----------------------------------------------------------------------------- the steps' frame ----

# wanted NAME: whether this step was asked for
wanted() {
    case " $(words "${only:-$all_steps}") " in
    *" $1 "*) return 0 ;;
    *) return 1 ;;
    esac
}

# step NAME SECONDS COMMAND...: runs it with its output in LOG_DIR/NAME.log; sets name, outcome, detail. False when it
# was not, or not well, done.
step() {
    name=$1 seconds=$2 outcome=skipped detail="no time left"
    shift 2
    left=$((limit - $(date +%s) + began))
    [ "$left" -ge 1 ] || return 1
    [ "$seconds" -le "$left" ] || seconds=$left
    printf '== %s\n' "$name"
    started=$(date +%s)
    timeout -k 5 "$seconds" "$@" >"$logs/$name.log" 2>&1
    status=$?
    outcome=FAILED detail="$(($(date +%s) - started)) s"
    case $status in
    0) outcome=ok ;;
    124 | 137) detail="stopped after $detail" ;;
    *) detail="exit code $status after $detail" ;;
    esac
    tail -n 100 "$logs/$name.log"
    [ $status -eq 0 ]
}

# found PATTERN: the last line of the step's log with it
found() { grep -e "$1" "$logs/$name.log" 2>/dev/null | tail -n 1 | cut -c 1-220; }

# note [TEXT]: the step's row of the table
note() {
    printf '%-15s %-8s %s%s\n' "$name" "$outcome" "$detail" "${1:+; $1}" >>"$table"
    [ "$outcome" = ok ] || [ "$outcome" = clean ] || [ "$detail" = "cannot run here" ] || failed=1
}

# note_columns: the row of a step whose log ends with a heading and one line of numbers
note_columns() {
    above=$(grep -e . "$logs/$name.log" 2>/dev/null | tail -n 2 | head -n 1 | cut -c 1-220)
    if [ "$outcome" = ok ] && [ "$above" != "$heading" ]; then
        heading=$above
        printf '\n%-15s %-8s %5s  %s\n' "" "" "" "$heading" >>"$table"
    fi
    detail=$(printf '%5s' "$detail")
    note "$(found .)"
}
heading=""

# check NAME SECONDS COMMAND...: a step whose last line says what came out
check() {
    step "$@"
    note "$(found .)"
}

sanitize() { # tool [option]...
    name=$1 outcome=skipped detail="cannot run here"
    if ! command -v compute-sanitizer >/dev/null 2>&1; then
        note "compute-sanitizer is not installed"
        return
    fi
    step "$1" 240 compute-sanitizer --tool "$@" --error-exitcode 9 "$runner" --small --repeat 1 --seed 1 && outcome=clean
    refusal=$(found 'Device not supported\|Unable to\|not supported on')
    if [ "$outcome" = FAILED ] && [ -n "$refusal" ]; then
        outcome=skipped detail="cannot run here"
        note "$refusal"
    else
        note "$(found SUMMARY | sed 's/^=* *//')"
    fi
}

# ------------------------------------------------------------------- module and conformance ----

runner=$build_dir/app/conformance
if wanted build; then
    # shellcheck disable=SC2016 # for the inner shell
    step build 300 sh -c 'cmake -S "$1" -B "$2" -DCMAKE_BUILD_TYPE=Release && cmake --build "$2" -j "$(nproc)"' \
        build "$source_dir/tests/gpu" "$build_dir"
    note "$(found 'CUDA module' | sed 's/^-- //')"
fi
! wanted conformance || check conformance 120 "$runner"
! wanted memcheck || sanitize memcheck --leak-check full
! wanted racecheck || sanitize racecheck
if wanted timings; then
    step timings 120 "$runner" --time
    note "$(found encode_run)"
fi

# ------------------------------------------------------------------------------ the program ----

if [ -n "$bundle" ]; then
    # Python unpacks whatever tar here can.
    step unpack 60 python3 -c 'import sys, tarfile; tarfile.open(sys.argv[1]).extractall(sys.argv[2])' "$bundle" "$work"
    [ "$outcome" = ok ] || note
    program=$work/drt-bundle/drt
elif [ -z "$program" ]; then
    for name in $(words "$only"); do
        case " $program_steps " in *" $name "*) outcome=FAILED detail="needs --bundle or --program" && note ;; esac
    done
    exit
fi
inside=$work/drt-bundle
model=$source_dir/samples/model
[ ! -d "$inside/model" ] || model=$inside/model
[ -n "$hay" ] || [ ! -d "$inside/texts" ] || hay=$inside/texts
set -- --device "$device" --model "$model"
answers=$source_dir/tests/gpu/answers.py

! wanted golden || check golden 60 python3 -B "$answers" golden "$program" "$device" "$model"
! wanted facts || check facts 240 python3 -B "$answers" facts "$program" "$device" "$model"
if wanted ops; then
    step ops 120 "$program" bench ops "$@"
    note "$(found 'encode_run\|linear')"
fi
if wanted ingest; then
    step ingest 120 "$program" bench ingest "$@"
    note "$(found '^time')"
    if [ -n "$hay" ]; then
        step ingest-hay 120 "$program" bench ingest "$@" "$hay"
        note "$(found '^time')"
    fi
fi
if wanted ask; then
    for n in $(words "$chunks"); do
        step "ask-$n" 300 "$program" bench ask "$@" --chunks "$n" --questions 20
        note_columns
    done
fi
for task in needle passkey; do
    wanted $task || continue
    for n in $(words "$tokens"); do
        # All facts of a length in one library.
        how="--facts $needles --together $needles"
        [ $task = needle ] || how="--keys $needles"
        # shellcheck disable=SC2086 # a list of words
        step "$task-$n" 600 "$program" eval $task "$@" --tokens "$n" $how ${hay:+"$hay"}
        note_columns
    done
done
