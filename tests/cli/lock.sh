# Two runs in one folder: the second is refused, with the process id of the first; a killed run leaves no lock.
"$SUSTAIN" clean --dataset generated --noise 0.3 --trusted-count 200 --solver sustain --iterations 100000000 --out run --quiet >/dev/null 2>&1 &
first=$!
until [ -s run/metrics.jsonl ]; do sleep 0.02; done
"$SUSTAIN" clean --dataset generated --noise 0.3 --trusted-count 200 --out run --quiet 2>&1 | sed "s/process $first /process of the first /"
"$SUSTAIN" compare quadratic --solvers sustain --runs 1 --budget 100 --out run --quiet 2>&1 | sed "s/process $first /process of the first /"
kill -KILL $first
wait $first 2>/dev/null
[ -s run/.lock ] && echo "killed"
"$SUSTAIN" clean --out run --resume --iterations 200 --quiet >/dev/null && echo "resumed"
[ -e run/.lock ] || echo "no lock left"
