# Two runs in one folder: the second is refused, with the process id of the first; a killed run
# leaves no lock.
needs python3
python3 "$CASES/support/blobs.py"
small="--features x.npy --labels y.npy --trusted tx.npy --trusted-labels ty.npy"
# shellcheck disable=SC2086
"$SUSTAIN" clean $small --solver sustain --iterations 100000000 --out run --quiet >/dev/null 2>&1 &
first=$!
await test -s run/metrics.jsonl
# shellcheck disable=SC2086
"$SUSTAIN" clean $small --out run --quiet 2>&1 | sed "s/process $first /process of the first /"
"$SUSTAIN" compare quadratic --solvers sustain --runs 1 --budget 100 --out run --quiet 2>&1 | sed "s/process $first /process of the first /"
{ kill -KILL $first; wait $first; } 2>/dev/null # bash says that it was killed
[ -s run/.lock ] && echo "killed"
"$SUSTAIN" clean --out run --resume --iterations 200 --quiet >/dev/null && echo "resumed"
[ -e run/.lock ] || echo "no lock left"
