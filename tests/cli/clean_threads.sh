# The same bits for any number of threads.
needs python3
python3 "$CASES/support/blobs.py"
for threads in 1 2 3; do
    "$SUSTAIN" clean --features pictures.idx --labels labels.idx --trusted-fraction 0.2 --noise 0.3 --iterations 50 --threads $threads --out run$threads --json 2>/dev/null |
        grep '"threads"'
done
for file in labels.csv weights.npy model.safetensors gallery.npy; do
    cmp run1/$file run2/$file
    cmp run1/$file run3/$file
done
