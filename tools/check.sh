#!/usr/bin/env bash
# check.sh [GROUP...] - builds in every way and runs all tests; with names, only these groups.
#
# Each group is one line with its seconds and counts; its log is build/check/GROUP.log. Single
# cmocka tests and single cases of the scripts are counted, not executables. Closes with "N passed,
# N failed, N skipped"; fails if a test failed or none ran. A test that is skipped as a whole ends
# with exit code 77; cases of cmocka call skip(), those of tests/cli exit with 77. All say why by
# printing a line "skipped: REASON".

cd "$(dirname "$0")/.." || exit 2
unset CC CXX CFLAGS CXXFLAGS CPPFLAGS LDFLAGS DESTDIR
out=build/check
mkdir -p $out
wanted=" $* "
passed=0 failed=0 skipped=0
reasons=

# Sanitizers of clang 14 cannot live with the widest randomization of addresses.
fixed=
if setarch -R true 2>/dev/null; then fixed="setarch -R"; fi

# suite PRESET LABELS [EXCEPT [TARGETS]]: build and run. LABELS and EXCEPT, of names, are regular
# expressions.
suite() {
    # shellcheck disable=SC2086 # several targets
    cmake --preset "$1" -B "$out/$1" -DCMAKE_COMPILE_WARNING_AS_ERROR=ON &&
        cmake --build "$out/$1" --target ${4:-all} &&
        $fixed ctest --test-dir "$out/$1" --verbose --no-tests=error -j $(($(nproc) + 1)) -L "^($2)\$" ${3:+-E "$3"}
}

# count LOG STATUS: writes "passed failed skipped", then the lines to show: "reason ..." and
# "failure ...".
count() {
    awk -v status="$2" '
    # Lines of ctest --verbose start with the number of the test; other logs are as one test, number
    # 0.
    { id = 0; line = $0 }
    match($0, /^[0-9]+: /) { id = $1 + 0; line = substr($0, RLENGTH + 1) }
    { recent[id, lines[id]++ % 30] = line }

    line ~ /^ +Start +[0-9]+: / { name[$2 + 0] = $3 }
    line ~ /^\[  PASSED  \] [0-9]+ test/ { p[id] += $(id ? 5 : 4) }
    line ~ /^\[  FAILED  \] [0-9]+ test/ { f[id] += $(id ? 5 : 4) }
    line ~ /^\[  SKIPPED \] [0-9]+ test/ { s[id] += $(id ? 5 : 4); next }
    line ~ /^\[  SKIPPED \] / { which[id, $NF] }
    line ~ /^[a-z]+: [0-9]+ passed, [0-9]+ failed/ {
        n = split(line, word, /[ ,]+/)
        p[id] += word[2]; f[id] += word[4]; s[id] += n > 5 ? word[6] : 0
    }
    line ~ /^skipped: / { why[id] = why[id] (why[id] ? "; " : "") substr(line, 10) }

    # An executable that counts nothing is one test; one that ends badly has failed, whatever it
    # counted.
    line ~ /^ *[0-9]+\/[0-9]+ Test +#[0-9]+: / {
        match(line, /#[0-9]+/)
        t = substr(line, RSTART + 1, RLENGTH - 1) + 0
        good = line ~ / Passed +[0-9.]+ sec/
        if (line ~ /\*\*\*Skipped/) s[t]++
        else if (good && p[t] + f[t] + s[t] == 0) p[t]++
        else if (!good && !f[t]) f[t]++
        if (!good && line !~ /\*\*\*Skipped/) bad[t]
    }
    END {
        for (t in p) P += p[t]
        for (t in f) F += f[t]
        for (t in s) S += s[t]
        if (status == 77) S++
        else if (status != 0 && !F) F++
        else if (P + F + S == 0) P++
        if (F && !length(bad)) bad[0]
        print P + 0, F + 0, S + 0
        for (t in why) print "reason " (t in name ? name[t] ": " : "") why[t]
        for (k in which) { split(k, key, SUBSEP); if (!(key[1] in why)) print "reason " name[key[1]] ": " key[2] }
        for (t in bad) {
            if (t in name) print "failure --- " name[t]
            for (i = lines[t] > 30 ? lines[t] - 30 : 0; i < lines[t]; i++) print "failure " recent[t, i % 30]
        }
    }' "$1"
}

# group NAME COMMAND...
group() {
    local name=$1 start=$SECONDS log=$out/$1.log status report p f s
    shift
    [[ $wanted == "  " || $wanted == *" $name "* ]] || return
    printf '%-9s' "$name"
    "$@" >"$log" 2>&1 </dev/null
    status=$?
    report=$(count "$log" $status)
    read -r p f s <<<"$report"
    printf '%4d s  %5d passed' $((SECONDS - start)) "$p"
    [ "$f" = 0 ] || printf ', %d FAILED (%s)' "$f" "$log"
    [ "$s" = 0 ] || printf ', %d skipped' "$s"
    echo
    sed -n 's/^failure /    /p' <<<"$report"
    reasons+=$(sed -n "s/^reason /skipped in $name: /p" <<<"$report" | sort)$'\n'
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
}

sanitizers() {
    # what repeats code paths is neither built nor run: group asan-rest
    group asan suite asan 'unit|cli|fuzz|conformance|oracle|examples' 'conformance/test_(solvers|trouble)|unit/test_(memory|clean_(sample|fourier)|select_fourier)|examples/fewshot-small' \
        "sustain-program $(echo tests-{unit,fuzz,conformance,oracle,examples})"
    # processes share no memory: group tsan-rest
    group tsan suite tsan threads threads/test_processes tests-threads
}

group release suite release '.*'
# What is installed in double, and its tests. Neither rates over seeds nor files (src/data has no
# sustain_real) depend on the precision.
group double suite double 'oracle|conformance|fidelity|unit' \
    'fidelity/test_theorems|unit/test_(arrays|dataset|number|pictures?|table|text_formats|unpack)$' \
    "sustain-double sustain-learn-double sustain-fewshot-double $(echo tests-{oracle,conformance,fidelity,unit})"
if [ $# = 0 ]; then # beside the sanitizers, what keeps less than a processor busy
    tools/check.sh install mpi python browser rooms readme docs format tidy >$out/beside.txt 2>&1 &
    renice -n 5 $$ >/dev/null # these go first: one after the other, they take as long as the sanitizers
    sanitizers
    wait $!
    sed '$d' $out/beside.txt
    read -r p _ f _ s _ < <(tail -n 1 $out/beside.txt)
    passed=$((passed + ${p:-0})) failed=$((failed + ${f:-1})) skipped=$((skipped + ${s:-0}))
else
    sanitizers
    group install tests/install/run.sh $out/release $out/double
    group mpi python3 tests/mpi/run.py $out/release/sustain
    group python python/tests/run.sh $out/release $out/double
    group browser tests/browser/run.sh $out/release
    group rooms tools/rooms.sh
    group readme tools/readme.sh
    group docs doxygen docs/Doxyfile
    group format tools/format.sh --dry-run -Werror
    group tidy tools/tidy.sh '-clang-analyzer-*'
    # only by name, as in `make torture`: these take half an hour
    group analyzer tools/tidy.sh
    group asan-rest suite asan 'threads|conformance|fidelity|examples|unit'
    group tsan-rest suite tsan threads '' tests-threads
    group asan-cli tests/cli/run.sh $out/asan/sustain
    group fuzz suite fuzz fuzz
    group kills python3 tests/crash/run.py $out/release/sustain --kills 200
    group numbers python3 tests/crash/numbers.py $out/release/sustain --sets 2000
    group signals python3 tests/crash/signals.py $out/release/sustain
    group elsewhere tests/elsewhere/run.sh
    group cortex-m tests/elsewhere/cortex_m.sh
fi

sed '/^$/d' <<<"$reasons"
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ] && [ $passed != 0 ]
