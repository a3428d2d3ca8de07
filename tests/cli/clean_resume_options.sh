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
