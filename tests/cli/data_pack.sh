# A packed file is like the files that it was made of: rows, labels, marks, tables, pictures.
needs python3
python3 "$CASES/support/blobs.py"
clean() { "$SUSTAIN" clean --threads 1 --iterations 100 --quiet "$@" >said || echo "failed"; }
"$SUSTAIN" data pack x.npy --labels y.npy --out x.safetensors
clean --features x.npy --labels y.npy --trusted tx.npy --trusted-labels ty.npy --out npy
clean --features x.safetensors --trusted tx.npy --trusted-labels ty.npy --out packed
cmp npy/labels.csv packed/labels.csv && echo "like NPY"
"$SUSTAIN" data pack marked.csv --label-column kind --trusted-column checked --out marked.safetensors --quiet
clean --features marked.csv --label-column kind --trusted-column checked --out csv
clean --features marked.safetensors --trusted-column checked --out csv-packed
cmp csv/labels.csv csv-packed/labels.csv && echo "like CSV"
"$SUSTAIN" data pack data.libsvm --out libsvm.safetensors
clean --features data.libsvm --trusted trusted.libsvm --out libsvm
clean --features libsvm.safetensors --trusted trusted.libsvm --out libsvm-packed
cmp libsvm/labels.csv libsvm-packed/labels.csv && echo "like LIBSVM"
"$SUSTAIN" data pack nothing.csv --out no.safetensors
"$SUSTAIN" data pack x.npy
"$SUSTAIN" data pack x.npy tx.npy --labels y.npy --out no.safetensors
"$SUSTAIN" data pack x.npy data.libsvm --out no.safetensors
ls no.safetensors* 2>/dev/null
"$SUSTAIN" data pack x.npy --out /dev/full # a failure, not a mistake of the caller
echo "exit $?"
head -c 1000 x.safetensors >cut.safetensors
"$SUSTAIN" tune --features cut.safetensors --out no
# what a killed process left of the same file is removed; what a living one is writing stays
touch swept.safetensors.tmp.999999999.5 "swept.safetensors.tmp.$$.5" other.safetensors.tmp.999999999.5
"$SUSTAIN" data pack x.npy --out swept.safetensors --quiet
ls | grep tmp | sed "s/$$/OURS/"
true
