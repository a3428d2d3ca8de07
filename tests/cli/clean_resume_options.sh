# --resume: the same options as before, or none. More iterations are allowed; other options are not.
needs python3
python3 "$CASES/support/blobs.py"
options="--features data.csv --label-column kind --trusted trusted.csv --quiet --threads 1 --solver sustain"
"$SUSTAIN" clean $options --resume --iterations 200 --set K=4 >/dev/null # nothing there yet: it begins
"$SUSTAIN" clean $options --resume --iterations 300 --set K=4 --json | grep '"iterations"'
"$SUSTAIN" clean --resume --iterations 400 --threads 1 --json | grep '"iterations"'
"$SUSTAIN" clean $options --resume --batch 4
echo "exit $?"
"$SUSTAIN" clean $options --resume --set K=5
echo "exit $?"
"$SUSTAIN" clean --resume --out elsewhere
echo "exit $?"
test ! -e elsewhere
# a list of files that is longer than any path
long=$(printf './%.0s' $(seq 500))data.csv
"$SUSTAIN" clean --features "$long,$long,$long,$long,$long,$long" --label-column kind --trusted trusted.csv --quiet --threads 1 --solver sustain --iterations 200 --out long >/dev/null
"$SUSTAIN" clean --resume --iterations 400 --threads 1 --out long --json | grep '"iterations"'
