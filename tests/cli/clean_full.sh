# A result that cannot be written is said; the checkpoint is there, and no half of a file stays.
needs python3
python3 "$CASES/support/blobs.py"
mkdir -p run/issues.csv
"$SUSTAIN" clean --features x.npy --labels y.npy --trusted tx.npy --trusted-labels ty.npy --iterations 100 --threads 1
code=$?
ls run
exit $code
