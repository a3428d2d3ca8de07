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
# folders one by one are classes as those of a folder are
"$SUSTAIN" meta embed "$model" photos/* --out same.npy --list same.csv --quiet
cmp photos.csv same.csv
# the recipe of docs/fewshot.md: a picture in the wrong folder is found
python3 "$CASES/support/stripes.py" photos 20 0
python3 "$CASES/support/stripes.py" checked 5 20
mv photos/leaning/2.png photos/lying/wrong.png
"$SUSTAIN" meta embed "$model" photos checked --out all.npy --list all.csv --quiet
awk -F, 'NR == 1 { print $0 ",trusted"; next } { print $0 "," ($1 ~ "^checked/") }' all.csv > labels.csv
"$SUSTAIN" clean --features all.npy --labels labels.csv --label-column label --trusted-column trusted --out run --quiet > /dev/null
index=$(sed -n '2s/,.*//p' run/issues.csv)
sed -n "$((index + 2))p" all.csv
