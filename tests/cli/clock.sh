# No number depends on the clock: the same files with one that runs 400 times as fast; and a run
# that ended by itself stays as it is when it is resumed.
needs cc
cc -shared -fPIC -o fast.so "$CASES/support/fast_clock.c" -ldl || { echo "skipped: cc makes no shared library"; exit 77; }
LD_PRELOAD=./fast.so "$SUSTAIN" --version >/dev/null 2>&1 || { echo "skipped: the program cannot be preloaded"; exit 77; }
awk 'BEGIN { srand(5); for (i = 0; i < 400; i++) { a = rand() - .5; b = rand() - .5; print (a + .3 * (rand() - .5) > 0 ? 1 : -1) " 1:" a " 3:" b } }' > data.libsvm
options="--features data.libsvm --threads 1 --quiet --penalty feature --iterations 2000"
steps() { sed 's/"seconds":[^,]*,//' "$1/metrics.jsonl"; }
same() { cmp $1/penalties.csv $2/penalties.csv && cmp $1/model.liblinear $2/model.liblinear && cmp <(steps $1) <(steps $2) && echo "$3: the same"; }
for solver in f2sa sustain hoag; do
    # shellcheck disable=SC2086
    "$SUSTAIN" tune $options --solver $solver --out $solver >/dev/null
    # shellcheck disable=SC2086
    LD_PRELOAD=./fast.so "$SUSTAIN" tune $options --solver $solver --out $solver-fast >/dev/null
    same $solver $solver-fast "$solver, fast clock"
    cp -r $solver $solver-resumed
    "$SUSTAIN" tune --out $solver-resumed --resume --threads 1 --quiet >/dev/null
    same $solver $solver-resumed "$solver, resumed after its end"
done
# Evaluations may be rare: a run that is killed before the first one after the start has a
# checkpoint. (tests/crash/run.py resumes from such ones.)
LD_PRELOAD=./fast.so "$SUSTAIN" tune --features data.libsvm --threads 1 --quiet --penalty feature --solver soba --iterations 1000000000 \
    --out rare >/dev/null 2>&1 &
run=$!
await test -s rare/checkpoint.safetensors
kill -KILL $run
wait $run 2>/dev/null
wc -l < rare/metrics.jsonl
