# Whichever allocation fails: JSON that is complete, or an exit code that is not 0.
needs cc
needs nm
! nm "$SUSTAIN" 2>/dev/null | grep -q __asan_init || { echo "skipped: the address sanitizer has its own malloc"; exit 77; }
cc -shared -fPIC -o failing.so "$CASES/support/failing_malloc.c" -ldl || { echo "skipped: cc makes no shared library"; exit 77; }
FAIL_AT=0 LD_PRELOAD=./failing.so "$SUSTAIN" --version >/dev/null 2>&1 || { echo "skipped: the program cannot be preloaded"; exit 77; }
# A file that cannot be opened for want of memory is not found: that is no part of the form.
same() { diff -q <(sed -E 's/("(available|folder)":) .*/\1/' "$1") <(sed -E 's/("(available|folder)":) .*/\1/' "$2") >/dev/null; }
for command in "solvers sustain --json" "plan --problem quadratic --json" "data --json"; do
    # shellcheck disable=SC2086
    "$SUSTAIN" $command >good.json
    wrong=0 refused=0
    for at in 1 2 3 5 8 13 21 34 55 89 144 233 377 610; do
        # shellcheck disable=SC2086
        if FAIL_AT=$at LD_PRELOAD=./failing.so "$SUSTAIN" $command >some.json 2>error.txt; then
            same good.json some.json || wrong=$((wrong + 1))
        else
            refused=$((refused + 1))
            [ "$(wc -l <error.txt)" = 1 ] || wrong=$((wrong + 1))
        fi
    done
    [ $refused -ge 5 ] || wrong=many
    echo "$command: $wrong wrong"
done
# A run that writes files: no signal ends it, and what is refused is said.
awk 'BEGIN { srand(3); for (i = 0; i < 60; i++) print i % 3 " 1:" rand() + (i % 3 == 1) " 2:" rand() + (i % 3 == 2) }' >rows.libsvm
wrong=0 refused=0
for at in $(seq 1 6 240); do
    rm -rf run
    FAIL_AT=$at LD_PRELOAD=./failing.so "$SUSTAIN" clean --features rows.libsvm --threads 1 --out run --quiet >/dev/null 2>error.txt
    code=$?
    [ $code = 0 ] || refused=$((refused + 1))
    [ $code -lt 128 ] && { [ $code = 0 ] || [ -s error.txt ]; } || wrong=$((wrong + 1))
done 2>/dev/null
[ $refused -ge 5 ] || wrong=many
echo "clean: $wrong wrong"
