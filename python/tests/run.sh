#!/usr/bin/env bash
# run.sh BUILD_DIR... - makes a wheel of finished builds, float and double, installs it into a fresh
# virtual environment with the system's packages, and runs the tests there: with all packages, and
# with NumPy alone. Prints "python: N passed, N failed, N skipped".

here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
builds=$(for build in "$@"; do (cd "$build" && pwd); done | paste -sd:)
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
passed=0 failed=0 skipped=0

python=$("$source/tools/python.sh") || { echo "skipped: no Python with NumPy, setuptools and wheel"; exit 77; }
"$python" -c 'import pytest' 2>/dev/null || { echo "skipped: pytest is not there"; exit 77; }

# expect TEXT COMMAND...
expect() {
    local text=$1
    shift
    if "$@" >"$temporary/log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "not ok: $text"
        sed 's/^/    /' "$temporary/log"
    fi
}

# suite LOG ARGUMENT...: pytest in the virtual environment.
suite() {
    local log=$1
    shift
    MPLBACKEND=Agg OMP_NUM_THREADS=1 timeout 300 venv/bin/python -m pytest -q -rs -p no:cacheprovider -c "$source/python/pyproject.toml" \
        --rootdir "$source/python" "$@" >"$log" 2>&1
}

# tally LOG: adds pytest's counts to ours, shows what failed, and why tests were skipped.
tally() {
    local line
    line=$(tail -1 "$1")
    counted() { sed -n "s/.*\b\([0-9]\+\) $1.*/\1/p" <<<"$line" | grep . || echo 0; }
    passed=$((passed + $(counted passed))) skipped=$((skipped + $(counted skipped)))
    failed=$((failed + $(counted failed) + $(counted error)))
    case $line in
    *passed*) ;;
    *) failed=$((failed + 1)) ;;
    esac
    sed -n "s/^SKIPPED \[[0-9]*\] [^:]*\(:[0-9]*\)*: /skipped: /p" "$1" | sort -u
    grep -qE "[0-9] (failed|error)|no tests" <<<"$line" && sed 's/^/    /' "$1"
}

expect "the wheel is built" env SUSTAIN_BUILDS="$builds" "$python" -m pip wheel -q --no-index --no-build-isolation --no-deps -w "$temporary" "$source/python"
expect "its tag does not depend on the version of Python" ls "$temporary"/sustain-*-py3-none-*.whl
expect "a virtual environment" "$python" -m venv --system-site-packages "$temporary/venv"
expect "the wheel is installed" "$temporary/venv/bin/python" -m pip install -q --no-index --no-deps "$temporary"/sustain-*.whl
cd "$temporary" || exit 2
expect "the program is in it" venv/bin/sustain --version
expect "the package is that of the wheel" venv/bin/python -c 'import sustain._library as l, sys; sys.exit("/_libs/" not in l.load("double").path() + l.program())'
if command -v mypy >/dev/null; then
    expect "types (mypy)" env MYPY_CACHE_DIR="$source/build/mypy" mypy --config-file "$source/python/pyproject.toml" "$source/python/sustain"
else
    echo "skipped: types: mypy is not there"
    skipped=$((skipped + 1))
fi
# With NumPy alone: modules that cannot be imported stand for packages that are not installed. Tests
# of these packages are left out.
mkdir absent
for package in torch pandas sklearn scipy matplotlib tqdm; do
    echo "raise ImportError('$package is not there')" >absent/$package.py
done
PYTHONPATH=$temporary/absent suite alone.log "$here"/test_{minimize,program,cleaner,tuner,fewshot}.py &
alone=$!
suite all.log "$here" --doctest-modules --pyargs sustain
wait $alone
tally all.log
sed -i '/^SKIPPED/d; s/, [0-9]* skipped//' alone.log # they need a package that is meant to be absent
tally alone.log

echo "python: $passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
