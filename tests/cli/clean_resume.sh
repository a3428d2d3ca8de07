# A run that Ctrl-C ends says so, keeps a checkpoint, and goes on to what an uninterrupted run
# gives.
needs python3
python3 "$CASES/support/blobs.py"
options="--features data.csv --label-column kind --trusted trusted.csv --solver sustain --batch 1 --iterations 20000 --quiet --threads 1"
"$SUSTAIN" clean $options --out whole
set -m
"$SUSTAIN" clean $options --out parts &
run=$!
lines() { [ "$(wc -l <parts/metrics.jsonl)" -ge 2 ]; }
await lines
kill -INT $run
wait $run
echo "exit $?"
ls parts
"$SUSTAIN" clean --out parts --resume --quiet --threads 1
for file in labels.csv issues.csv cleaned.csv corrected.csv review.csv weights.npy model.safetensors; do cmp whole/$file parts/$file; done
steps() { sed 's/"seconds":[^,]*,//' $1/metrics.jsonl; }
diff <(steps whole) <(steps parts)
ls parts
