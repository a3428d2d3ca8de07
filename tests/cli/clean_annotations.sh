# Several labels for a row: three good annotators and four that draw at random. Dawid and Skene's
# estimate is better than the majority and finds the good ones.
needs python3
python3 - <<'EOF'
import random
source = random.Random(5)
truth = [source.randrange(3) for _ in range(400)]
good = {"ann": 0.9, "ben": 0.85, "cy": 0.8}
lines, given = [], []
for i, k in enumerate(truth):
    labels = {a: k if source.random() < rate else source.randrange(3) for a, rate in good.items()}
    labels.update({b: source.randrange(3) for b in ("dee", "eve", "fay", "gus")})
    lines += ["%d,%s,c%d" % (i, a, label) for a, label in labels.items()]
    votes = [list(labels.values()).count(c) for c in range(3)]
    given.append(votes.index(max(votes)))
open("long.csv", "w").write("row,annotator,label\n" + "\n".join(lines) + "\n")
with open("data.csv", "w") as file:
    file.write("x,y,z,kind,truth,checked\n")
    for i, (k, label) in enumerate(zip(truth, given)):
        x = [2.5 * (j == k) + source.gauss(0, 1) for j in range(3)]
        file.write("%.4f,%.4f,%.4f,c%d,c%d,%s\n" % (*x, label, k, "c%d" % k if i % 4 == 0 else "-1"))
open("bad.csv", "w").write("row,annotator,label\n0,ann,c1\n1,ben,c7\n")
EOF
"$SUSTAIN" clean --features data.csv --label-column kind --ignore-column truth --verified-column checked --annotations long.csv --iterations 100 --threads 1 --quiet --out run >/dev/null
python3 - <<'EOF'
import csv
truth = [r["truth"] for r in csv.DictReader(open("data.csv"))]
rows = list(csv.DictReader(open("run/annotations.csv")))
share = lambda key: sum(r[key] == t for r, t in zip(rows, truth)) / len(truth)
assert len(rows) == 400 and all(r["labels"] == "7" and r["majority"] == r["given_label"] for r in rows)
assert share("dawid_skene") > share("majority") + 0.03, (share("dawid_skene"), share("majority"))
assert share("suggested_label") > share("majority") + 0.03, share("suggested_label")
people = sorted(csv.DictReader(open("run/annotators.csv")), key=lambda r: -float(r["accuracy_dawid_skene"]))
assert [p["annotator"] for p in people[:3]] == ["ann", "ben", "cy"] and all(p["labels"] == "400" for p in people)
assert abs(float(people[0]["accuracy_dawid_skene"]) - 0.93) < 0.04  # one wrong draw in three is right
assert all(float(p["accuracy_low"]) < float(p["accuracy_dawid_skene"]) < float(p["accuracy_high"]) for p in people)
print("Dawid and Skene and ours are better than the majority")
EOF
"$SUSTAIN" clean --features data.csv --label-column kind --ignore-column truth --verified-column checked --annotations bad.csv --threads 1 --quiet --out other
echo "exit $?"
