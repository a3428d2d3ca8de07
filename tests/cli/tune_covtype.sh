# covtype as it is published: a table without a header, label last, gzip; and LIBSVM. A fifth of the
# rows is for testing, in the benchmark's form a fifth of the others for validation, with a penalty
# for each class; and a comparison of solvers on it.
# long
needs python3
mkdir -p a/covtype b/covtype
python3 - <<'PYTHON'
import gzip
import random

random.seed(1)
rows = []
for _ in range(250):
    cover = random.choice([1, 2, 2, 3, 5, 7])
    numbers = [int(random.gauss(2500 + 60 * cover, 300))] + [int(random.gauss(cover, 20)) for _ in range(9)]
    kinds = [0] * 44
    kinds[random.randrange(4)] = kinds[4 + (cover * 5 + random.randrange(20)) % 40] = 1
    rows.append((numbers + kinds, cover))
with gzip.open("a/covtype/covtype.data.gz", "wt") as file:
    file.writelines(",".join(map(str, features + [cover])) + "\n" for features, cover in rows)
with open("b/covtype/covtype.scale", "w") as file:
    file.writelines(f"{cover} " + " ".join(f"{j + 1}:{v}" for j, v in enumerate(features) if v) + "\n" for features, cover in rows)
PYTHON
for form in a b; do
    "$SUSTAIN" tune --dataset covtype-benchmark --data-dir $form --solver soba --batch 16 --iterations 200 --quiet --out tuned-$form >/dev/null
done
python3 - <<'PYTHON'
import csv
import json
import math

for form in "ab":
    result = json.load(open(f"tuned-{form}/result.json"))
    data = result["data"]
    assert (data["training"], data["validation"], data["test"], data["dim"]) == (160, 40, 50, 54), data
    assert (data["classes"], data["loss"]) == (5, "softmax") and "public benchmark" in data["split"], data
    assert len(list(csv.DictReader(open(f"tuned-{form}/penalties.csv")))) == 5
    assert result["upper_loss"] < math.log(5), result["upper_loss"]
PYTHON
"$SUSTAIN" compare tune --dataset covtype-benchmark --data-dir a --solvers soba:batch=16,saba:batch=16 --runs 2 --budget 20000 --x samples --quiet --out compared |
    sed -n '2,3p'
"$SUSTAIN" tune --dataset covtype --data-dir b/covtype --penalty feature --iterations 2 --solver soba --quiet --out plain >/dev/null && echo plain
"$SUSTAIN" tune --dataset covtype-benchmark --data-dir nowhere --out none 2>&1 | grep -c "covtype.data.gz from the UCI repository"
