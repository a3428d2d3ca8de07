# A solver that ends before it has drawn every row says how many weights it never changed.
needs python3
python3 - <<'EOF'
import random
source = random.Random(2)
with open("data.csv", "w") as file:
    file.write("x,y,kind,checked\n")
    for i in range(300):
        k = source.randrange(2)
        file.write("%.3f,%.3f,%d,%d\n" % (2 * k + source.gauss(0, 1), source.gauss(0, 1), k if i % 9 else 1 - k, k if i < 60 else -1))
EOF
"$SUSTAIN" clean --features data.csv --label-column kind --verified-column checked --iterations 3 --batch 16 --quiet --out run >/dev/null
python3 - <<'EOF'
import csv, json
half = sum(float(r["weight"]) == 0.5 for r in csv.DictReader(open("run/labels.csv")))
said = json.load(open("run/result.json"))["warnings"]
assert 150 < half < 300 and len(said) == 1 and said[0].startswith("the weights of %d of 300 rows" % half), (half, said)
print("said")
EOF
