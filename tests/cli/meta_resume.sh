# A run in two parts, and one that Ctrl-C ended, equal a run in one, for any number of threads;
# other options than those it began with are refused.
small="--dataset generated --size 16 --width 4 --ways 3 --shots 2 --queries 2 --tasks 4 --validation-tasks 5 --test-tasks 20 --test-queries 4 --validate-every 4 --option 1 --quiet"
"$SUSTAIN" meta train $small --iterations 12 --threads 1 --out whole
"$SUSTAIN" meta train $small --iterations 5 --threads 3 --out parts
"$SUSTAIN" meta train --iterations 12 --threads 2 --out parts --resume --quiet
set -m
"$SUSTAIN" meta train $small --iterations 1000000 --patience 0 --threads 1 --out stopped &
run=$!
lines() { [ "$(wc -l <stopped/metrics.jsonl)" -ge 6 ]; }
await lines
kill -INT $run
wait $run
echo "exit $?"
steps() { sed 's/"seconds":[^,]*,//' $1/metrics.jsonl; }
cmp whole/model.safetensors parts/model.safetensors && diff <(steps whole) <(steps parts) && echo "the same"
diff <(steps whole | head -6) <(steps stopped | head -6) && echo "the same"
"$SUSTAIN" meta train --out parts --resume --shots 3 2>&1
"$SUSTAIN" meta train --out parts --resume --seed 3 2>&1
"$SUSTAIN" meta train --out nowhere --resume 2>&1
true
