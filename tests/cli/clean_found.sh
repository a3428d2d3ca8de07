# Classes far apart: exactly the labels that were made wrong are flagged, whatever the seed, and
# each comes with its true label.
needs python3
python3 "$CASES/support/blobs.py" truth
for seed in 0 1 2; do
    "$SUSTAIN" clean --features far.csv --label-column kind --trusted far_trusted.csv --seed $seed --threads 1 --out run --quiet >/dev/null
    python3 "$CASES/support/found.py" run/labels.csv far_truth.csv
done
