# Verified rows and probabilities that cannot be used: one sentence, exit code 2, nothing written.
needs python3
python3 "$CASES/support/blobs.py"
python3 "$CASES/support/probabilities.py"
python3 - <<'EOF'
import os, sys
sys.path.insert(0, os.path.join(os.environ["CASES"], "support"))
from probabilities import array, integers, table, truth
array("nan.npy", "<f4", "f", table[:4] + [[float("nan"), 0.5, 0.5]] + table[5:])
array("sums.npy", "<f4", "f", table[:7] + [[0.5, 0.6, 0.7]] + table[8:])
array("narrow.npy", "<f4", "f", [row[:2] for row in [[0.5, 0.5, 0]] * 600])
array("short.npy", "<f4", "f", table[:500])
array("order.npy", "<f4", "f", [[row[1], row[2], row[0]] for row in table])
array("turned.npy", "<f4", "f", [list(column) for column in zip(*table)])
open("p.pt", "wb").write(b"PK\3\4" + bytes(60))
integers("few.npy", truth[:10])
open("animals.csv", "w").write(open("names.csv").read().replace("mouse", "rat"))
open("renamed.csv", "w").write(open("named.csv").read().replace("mouse,zebra", "zebra,mouse"))
for name, text in {"range": "row,label\n3,1\n600,1\n", "twice": "row,label\n3,1\n3,2\n", "class": "row,label\n3,9\n", "head": "rows,labels\n3,1\n",
                   "word": "row,label\nthree,1\n", "none": "row,label\n", "both": "row,label,label\n3,1,2\n"}.items():
    open(name + ".csv", "w").write(text)
EOF
bad() {
    "$SUSTAIN" clean --threads 1 --out run "$@" 2>&1
    echo "exit $?"
    test ! -e run || ls run
}
labels="--labels given.npy --pred-probs p.npy"
for name in range twice class word none both; do bad $labels --verified $name.csv; done
bad $labels --verified few.npy
bad $labels --verified nowhere.csv
bad $labels --flag most
bad $labels --flag precision=2
bad $labels --verified-count 10
bad --pred-probs p.npy
for name in nan sums logits narrow short order given; do bad --labels given.npy --pred-probs $name.npy; done
for name in turned.npy p.pt; do bad --labels given.npy --pred-probs $name; done
bad --labels given.npy --pred-probs p.npz:other
bad --labels given.npy --pred-probs checked.csv
bad --labels animals.csv --label-column kind --pred-probs named.csv
bad --labels names.csv --label-column kind --pred-probs named.csv,renamed.csv
bad --labels names.csv --label-column kind --pred-probs p.npy
bad --labels names.csv --label-column kind --pred-probs p.npy --class-names zebra,apple
bad $labels --trusted-pred-probs p.npy
bad $labels --truth few.npy
