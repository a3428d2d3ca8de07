# 50 annotators of known quality, 100 labels each: the order of their error rates is found; the
# column of groups is no feature.
# long
needs python3
python3 - <<'EOF'
import random
source = random.Random(3)
rates = [0.01 + 0.55 * k / 49 for k in range(49)] + [1.0]  # the last one draws a class at random
rows = []
for a, rate in enumerate(rates):
    for _ in range(100):
        k = source.randrange(3)
        label = source.randrange(3) if rate == 1 else (k + 1 + source.randrange(2)) % 3 if source.random() < rate else k
        x = [3 * (j == k) + source.gauss(0, 0.7) for j in range(3)]
        rows.append((x, label, "a%02d" % a, k))
source.shuffle(rows)
verified = set(source.sample(range(len(rows)), 300))
with open("data.csv", "w") as file:
    file.write("x,y,z,kind,annotator,checked\n")
    for i, (x, label, name, k) in enumerate(rows):
        file.write("%.4f,%.4f,%.4f,c%d,%s,%s\n" % (*x, label, name, "c%d" % k if i in verified else "-1"))
open("missing.txt", "w").write("a\n" * 10)
EOF
"$SUSTAIN" clean --features data.csv --label-column kind --group-column annotator --verified-column checked --iterations 200 --threads 1 --quiet --out run >/dev/null
python3 - <<'EOF'
import csv, json
groups = json.load(open("run/result.json"))["groups"]
assert len(groups) == 50 and all(g["rows"] == 100 and g["error_rate_low"] <= g["error_rate"] <= g["error_rate_high"] for g in groups)
found = {g["name"]: i for i, g in enumerate(sorted(groups, key=lambda g: g["error_rate"]))}
d2 = sum((found["a%02d" % a] - a) ** 2 for a in range(50))
correlation = 1 - 6 * d2 / (50 * (50 ** 2 - 1))
assert correlation >= 0.95, correlation
assert groups[0]["name"] == "a49"
assert json.load(open("run/config.json"))["data"]["dim"] == 3
assert {r["group"] for r in csv.DictReader(open("run/labels.csv"))} == set(found)
review = list(csv.DictReader(open("run/review.csv")))
named = {r["index"]: r["group"] for r in csv.DictReader(open("run/labels.csv"))}
assert all(r["group"] == named[r["row"]] for r in review)
print("rank correlation at least 0.95; the one who draws classes at random is last")
EOF
# Weights alone, by the bilevel problem with one weight for each group.
"$SUSTAIN" clean --features data.csv --label-column kind --group-column annotator --verified-column checked --group-weights-only --threads 1 --quiet --out weights
python3 - <<'EOF'
import csv
groups = list(csv.DictReader(open("weights/groups.csv")))
assert len(groups) == 50 and groups[0]["group"] == "a49" and groups[0]["error_rate"] == ""
d2 = sum((49 - i - int(g["group"][1:])) ** 2 for i, g in enumerate(groups))
correlation = 1 - 6 * d2 / (50 * (50 ** 2 - 1))
assert correlation >= 0.95, correlation
assert all(0 < float(g["weight_low"]) < float(g["weight"]) < float(g["weight_high"]) < 1 for g in groups)
print("weights alone: the same")
EOF
"$SUSTAIN" clean --features data.csv --label-column kind --ignore-column annotator --verified-column checked --group-weights-only --out weights
echo "exit $?"
"$SUSTAIN" clean --features data.csv --label-column kind --ignore-column annotator,checked --groups missing.txt --threads 1 --quiet --out other
echo "exit $?"
