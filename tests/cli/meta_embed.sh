# Features of pictures in class folders, and the list that names them; `sustain clean` reads both.
needs python3
model=$CASES/../../examples/fewshot.safetensors
python3 "$CASES/support/stripes.py" photos 4 0
"$SUSTAIN" meta embed "$model" photos --out photos.npy --list photos.csv
head -n 3 photos.csv
wc -l < photos.csv
head -c 6 photos.npy | tail -c 5
echo
for threads in 1 2 3 8; do
    "$SUSTAIN" meta embed "$model" photos --out same.npy --threads $threads --quiet
    cmp photos.npy same.npy
done
"$SUSTAIN" meta embed "$model" photos/lying/1.png photos/lying/2.png --out two.npy --json | grep -e pictures -e features
"$SUSTAIN" clean --features photos.npy --labels photos.csv --label-column label --trusted photos.npy --trusted-labels photos.csv --iterations 5 --out run --quiet > /dev/null && ls run | grep -c .
