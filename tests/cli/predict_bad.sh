# What does not fit the model is refused with a sentence.
needs python3
python3 "$CASES/support/blobs.py"
"$SUSTAIN" clean --features data.csv --label-column kind --trusted trusted.csv --iterations 100 --threads 1 --quiet >/dev/null
bad() {
    "$SUSTAIN" predict "$@" 2>&1
    echo "exit $?"
}
model=run/model.safetensors
sed 's/a,b,c,kind/a,d,c,kind/' test.csv >renamed.csv
sed '2s/^[^,]*/many/' test.csv >word.csv
sed 's/cat/dog/' test.csv >dog.csv
bad
bad $model
bad $model nowhere.csv
bad run/checkpoint.safetensors x.npy
bad test.csv x.npy
bad $model word.csv
bad $model pictures.idx
bad $model renamed.csv --label-column kind
bad $model dog.csv --label-column kind
bad $model x.npy --labels ty.npy
mkdir there
bad $model x.npy --out there
ls there
# features far beyond all that the model was fitted to: no number that is none is written
for name in data trusted; do awk -F, -v OFS=, 'NR > 1 { $1 /= 1000 } 1' $name.csv >small_$name.csv; done
"$SUSTAIN" clean --features small_data.csv --label-column kind --trusted small_trusted.csv --iterations 100 --threads 1 --quiet --out small >/dev/null
printf 'a,b,c\n1,2,3\n3e38,-3e38,3e38\n' >large.csv
bad small/model.safetensors large.csv
awk 'BEGIN { print "a,y"; for (i = 0; i < 60; i++) print i % 6 "," i % 6 + i % 2 }' >counts.csv
"$SUSTAIN" tune --features counts.csv --label-column y --loss poisson --out counts --quiet >/dev/null
printf 'a\n1\n1e30\n' >far.csv
bad counts/model.safetensors far.csv
