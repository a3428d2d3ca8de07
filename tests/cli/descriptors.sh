# Where stdout or stderr is closed, no file that is opened takes its place.
"$SUSTAIN" demo --iterations 1000 --runs 1 --quiet --out closed >/dev/null 2>&-
echo "exit $?"
"$SUSTAIN" clean --features nowhere.csv --out closed 2>&-
echo "exit $?"
"$SUSTAIN" solvers >&-
echo "exit $?"
# An error while metrics.jsonl is open: a folder is where the checkpoint belongs.
awk 'BEGIN { srand(5); for (i = 0; i < 50; i++) { a = rand() - .5; print (a > 0 ? 1 : -1) " 1:" a " 2:" rand() } }' >data.libsvm
mkdir -p run/checkpoint.safetensors/x
"$SUSTAIN" tune --features data.libsvm --penalty feature --iterations 5 --threads 1 --out run 2>&-
echo "exit $?"
grep -c sustain: run/metrics.jsonl
