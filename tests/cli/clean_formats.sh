# The same rows as NPY, LIBSVM and marked CSV; a part of the given labels; pictures, with a gallery.
needs python3
python3 "$CASES/support/blobs.py"
clean() { "$SUSTAIN" clean --threads 1 --iterations 300 --quiet "$@" >said || echo "failed"; }
clean --features x.npy --labels y.npy --trusted tx.npy --trusted-labels ty.npy --out npy
clean --features data.libsvm --trusted trusted.libsvm --out libsvm
clean --features marked.csv --label-column kind --trusted-column checked --test test.csv --out marked
clean --features marked.csv --label-column kind --trusted-column checked --test test_marked.csv --out marked_test/
cmp marked/model.safetensors marked_test/model.safetensors
# the marks may stand beside the labels
cut -d, -f1-3 marked.csv >features.csv
cut -d, -f4- marked.csv >kinds.csv
clean --features features.csv --labels kinds.csv --label-column kind --trusted-column checked --out marked_labels
cmp marked/labels.csv marked_labels/labels.csv
clean --features data.csv --label-column 4 --trusted-fraction 0.25 --out fraction
clean --features pictures.idx --labels labels.idx --trusted-fraction 0.25 --noise 0.2 --noise-kind pair --out pictures 2>warning
clean --features x.npy --labels y.npy --trusted tx.npy --trusted-labels ty.npy --trusted-count 30 --image-shape 1x3 --standardize off --intercept off --solver soba \
    --batch 8 --set seed=3 --out options
wc -l */labels.csv | grep -v total
# rows keep their numbers where trusted ones are taken out
grep -n ',1$' marked.csv | cut -d: -f1 | while read -r line; do grep "^$((line - 2))," marked/labels.csv; done
od -An -c -j 10 -N 80 pictures/gallery.npy | tr -d ' \n' | grep -o "'shape':([0-9,]*)"
od -An -c -j 10 -N 80 options/gallery.npy | tr -d ' \n' | grep -o "'descr':'<f4'"
ls */gallery.npy
# parts of one set, by a pattern and by a list
python3 - <<'PYTHON'
def split(name, row):
    data = open(f"{name}.npy", "rb").read()
    header, body = data[:128], data[128:]
    count = len(body) // row
    for part, (first, end) in enumerate([(0, 100), (100, count)]):
        open(f"{name}-{part}.npy", "wb").write(header.replace(f"({count},".encode(), f"({end - first},".encode()).ljust(128)[:127].replace(b"\n", b" ") + b"\n" + body[first * row : end * row])
import re
for name in ("x", "y"):
    head = open(f"{name}.npy", "rb").read()[:128].decode("latin1")
    shape = re.search(r"\((\d+),\s*(\d*)\)", head)
    size = int(re.search(r"[fiu](\d)'", head)[1])
    split(name, size * int(shape[2] or 1))
PYTHON
clean --features 'x-*.npy' --labels y-0.npy,y-1.npy --trusted tx.npy --trusted-labels ty.npy --out parts
cmp npy/labels.csv parts/labels.csv && echo "parts are like one file"
