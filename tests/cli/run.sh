#!/usr/bin/env bash
# run.sh [--short] [--part I/N] PROGRAM [NAME...] - the tests of the command line; with names, only
# these; with --short, not those with a line "# long", which cost minutes under a sanitizer; with
# --part, every N-th of them from the I-th on.
#
# A case is NAME.sh, run by bash in an empty folder with the program's path in $SUSTAIN and this
# folder in $CASES. It passes if
#   the exit code is that of NAME.exit                       (no such file: 0)
#   stdout is NAME.stdout.exact, or matches NAME.stdout.glob (neither: it is empty)
#   stderr likewise
# A .glob file has one pattern a line; the line "..." stands for any lines, also for none. It is
# skipped if it ends with exit code 77 after a line "skipped: REASON", as `needs TOOL` does where
# there is no such tool. `await COMMAND` waits for what another process does.

# A background job ignores SIGINT, and so would all programs started here.
if [ -z "$SIGNALS_RESET" ] && env --default-signal=INT true 2>/dev/null; then
    SIGNALS_RESET=yes exec env --default-signal=INT,QUIT,HUP,TERM bash "$0" "$@"
fi

part=1/1 short=
if [ "$1" = --short ]; then
    short=yes
    shift
fi
if [ "$1" = --part ]; then
    part=$2
    shift 2
fi
if [ ! -x "$1" ]; then
    echo "usage: run.sh [--short] [--part I/N] PROGRAM [NAME...]" >&2
    exit 2
fi
SUSTAIN=$(realpath "$1") || exit 2
CASES=$(cd "$(dirname "$0")" && pwd) || exit 2
export SUSTAIN CASES
export LC_ALL=C NO_COLOR=1
shift
names=("$@")
if [ ${#names[@]} = 0 ]; then
    for file in "$CASES"/*.sh; do
        name=$(basename "$file" .sh)
        [ "$name" = run ] || { [ -n "$short" ] && grep -qx '# long' "$file"; } || names+=("$name")
    done
fi
needs() { command -v "$1" >/dev/null || { echo "skipped: no $1"; exit 77; }; }
# await COMMAND...: until it succeeds; how long that takes on a loaded machine nobody knows.
await() {
    local end=$((SECONDS + 300))
    until "$@" 2>/dev/null; do
        ((SECONDS < end)) || { echo "waited in vain: $*"; return 1; }
        sleep 0.02
    done
}
export -f needs await
passed=0 failed=0 skipped=0
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

# matches GLOB OUTPUT: whether the lines of one file fit the patterns of the other; says which does
# not.
matches() {
    local -a patterns lines
    local at=0 any=0 pattern
    mapfile -t patterns <"$1"
    mapfile -t lines <"$2"
    for pattern in "${patterns[@]}"; do
        if [ "$pattern" = ... ]; then
            any=1
            continue
        fi
        # shellcheck disable=SC2053 # a pattern, not a word
        while ((any && at < ${#lines[@]})) && [[ ${lines[at]} != $pattern ]]; do at=$((at + 1)); done
        # shellcheck disable=SC2053
        if ((at >= ${#lines[@]})) || [[ ${lines[at]} != $pattern ]]; then
            echo "no line fits the pattern: $pattern"
            return 1
        fi
        at=$((at + 1)) any=0
    done
    ((any || at == ${#lines[@]})) && return
    echo "line $((at + 1)) is too much: ${lines[at]}"
    return 1
}

# expect STREAM NAME: compares what the case wrote there.
expect() {
    local file=$CASES/$2.$1
    if [ -e "$file.glob" ]; then
        matches "$file.glob" "$work/$1" && return
        sed "s/^/    $1: /" "$work/$1"
        return 1
    fi
    local exact=/dev/null
    [ -e "$file.exact" ] && exact=$file.exact
    diff -u --label "expected $1" --label "$1" "$exact" "$work/$1"
}

for ((i = ${part%/*} - 1; i < ${#names[@]}; i += ${part#*/})); do
    name=${names[i]}
    rm -rf "$work/here" && mkdir "$work/here"
    (cd "$work/here" && bash "$CASES/$name.sh") >"$work/stdout" 2>"$work/stderr" </dev/null
    code=$?
    if [ $code = 77 ]; then
        skipped=$((skipped + 1))
        grep '^skipped: ' "$work/stdout" | sed "s/^skipped: /&$name: /"
        continue
    fi
    wanted=0
    [ -e "$CASES/$name.exit" ] && read -r wanted <"$CASES/$name.exit"
    problem=
    [ "$code" = "$wanted" ] || problem="exit code $code instead of $wanted"$'\n'
    problem+=$(expect stdout "$name")
    problem+=$(expect stderr "$name")
    if [ -z "$problem" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED %s\n%s\n' "$name" "$problem"
    fi
done
echo "cli: $passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ] && [ $((passed + skipped)) != 0 ]
