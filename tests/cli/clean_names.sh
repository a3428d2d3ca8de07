# Files and tables speak of classes, groups and rows by the user's own names: review.csv, decisions,
# identifiers. Numbers of older versions are still read.
needs python3
python3 - <<'EOF'
import csv, random
source = random.Random(4)
names = ["7", "it's, \"so\"", "=two\nlines"]
with open("data.csv", "w", newline="") as file, open("checked.csv", "w", newline="") as other:
    out, checked = csv.writer(file), csv.writer(other)
    out.writerow(["key", "2019", "b", "c", "who", "kind"])
    checked.writerow(["key", "label"])
    for i in range(300):
        k = source.randrange(3)
        given = names[source.randrange(3) if i % 8 == 0 else k]
        out.writerow(["k%d" % i] + ["%.3f" % (3 * (j == k) + source.gauss(0, 0.6)) for j in range(3)] + [source.choice(["a,b", "z"]), given])
        if i % 4 == 0: checked.writerow(["k%d" % i, names[k]])
EOF
clean() { "$SUSTAIN" clean --threads 1 "$@"; }
clean --features data.csv --label-column kind --id-column key --ignore-column 2019 --group-column who --verified checked.csv --next 5 --iterations 50 --out run 2>/dev/null >summary
python3 - <<'EOF'
import csv, json
read = lambda name: list(csv.DictReader(open(name, newline="")))
labels = {r["index"]: r for r in read("run/labels.csv")}
assert all(r["key"] == "k" + i for i, r in labels.items())
for r in read("run/review.csv"):
    assert all(r[name] == labels[r["row"]][name] for name in ("given_label", "suggested_label", "verified", "group"))
for name in ("issues", "cleaned", "corrected"): assert all(r["key"] == "k" + r["index"] for r in read("run/%s.csv" % name))
assert all(r["key"] == "k" + r["row"] for r in read("run/next.csv"))
assert len(read("run/verified.csv")) == 75
# The worst rows of the summary are those that nobody has looked at, with their identifiers.
shown = open("summary").read().split("Most suspicious rows")[1].split("Baselines")[0].split("\n")[2:-2]
worst = [r for r in read("run/issues.csv") if not r["verified"]][:10]
assert [line.split()[:2] for line in shown] == [[r["index"], r["key"]] for r in worst], shown
# The same with numbers, as older versions wrote it.
result, config = json.load(open("run/result.json")), json.load(open("run/config.json"))
plain = lambda text: text[1:] if text[:2] == "'=" else text
number = {name: k for k, name in enumerate(config["data"]["classes"])}
group = {g["name"]: k for k, g in enumerate(result["groups"])}
with open("old.csv", "w", newline="") as file:
    out = csv.writer(file, lineterminator="\n")
    rows = read("run/review.csv")
    out.writerow([name.replace("_label", "") for name in rows[0]])
    for r in rows:
        r["verified"] = number[plain(r["verified"])] if r["verified"] else -1
        r["group"] = group[r["group"]]
        for name in ("given_label", "suggested_label"): r[name] = number[plain(r[name])]
        out.writerow(r.values())
for kind in ("names", "numbers"):
    with open(kind + ".csv", "w", newline="") as file:
        out = csv.writer(file)
        out.writerow("run row given decision label".split())
        for r in worst:  # a name goes before a number
            said = [plain(r["given_label"]), plain(r["suggested_label"])]
            if kind == "numbers": said = [text if text == "7" else number[text] for text in said]
            out.writerow([result["review_id"], r["index"], said[0], "accept", said[1]])
EOF
"$SUSTAIN" report run -o names.html >/dev/null && cp run/review.csv new.csv && cp old.csv run/review.csv && "$SUSTAIN" report run -o numbers.html >/dev/null && cmp names.html numbers.html
cp new.csv run/review.csv
cp -r run other
clean --out run --reviewed names.csv --quiet >/dev/null 2>&1 && clean --out other --reviewed numbers.csv --quiet >/dev/null 2>&1 && cmp run/verified.csv other/verified.csv && wc -l <run/verified.csv
clean --out run --reviewed checked.csv
printf 'key,label\nk7,7\nk999,7\n' >unknown.csv
clean --features data.csv --label-column kind --id-column key --ignore-column 2019,who --verified unknown.csv --out bad
sed 's/^k9,/k7,/' data.csv >twice.csv
clean --features twice.csv --label-column kind --id-column key --ignore-column 2019,who --verified unknown.csv --out bad
# Labels with a header: what to do is said.
python3 -c 'print("kind\n" + "a\nb\n" * 10, end="")' >labels.csv
python3 - <<'EOF'
import struct
header = "{'descr': '<f4', 'fortran_order': False, 'shape': (20, 2), }"
header += " " * (-(len(header) + 11) % 64) + "\n"
open("p.npy", "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack("<40f", *[0.7, 0.3, 0.4, 0.6] * 10))
EOF
clean --labels labels.csv --pred-probs p.npy --out bad
tail -n +2 labels.csv >bare.csv
clean --labels bare.csv --pred-probs p.npy --truth labels.csv --out bad
for name in kind truth; do # several columns
    awk -v name=$name '{ print (NR > 1 ? NR : "id") "," (NR > 1 ? $0 : name) }' labels.csv >columns.csv
    clean --labels bare.csv --pred-probs p.npy --truth columns.csv --quiet --out $name 2>&1 >/dev/null | grep -v warning >&2
done
ls truth/labels.csv
mkdir a,b && cp p.npy a,b # a comma in the last path
clean --labels bare.csv --pred-probs p.npy,a,b/p.npy --quiet --out comma 2>/dev/null >/dev/null && ls comma/labels.csv
# Rows of --trusted-fraction are not judged.
clean --features data.csv --label-column kind --ignore-column key,who --trusted-fraction 0.1 --iterations 20 --quiet --out part 2>/dev/null | grep judged
# Embeddings, or probabilities: the identifier and what is shown may be columns beside the labels.
python3 -c 'print("file,note,kind\n" + "".join("f%d.jpg,note %d,%s\n" % (i, i, "ab"[i % 2]) for i in range(20)), end="")' >beside.csv
for data in --features --pred-probs; do
    clean $data p.npy --labels beside.csv --label-column kind --id-column file --show-columns note --quiet --out beside >/dev/null 2>&1
    sed -n '1,2p' beside/labels.csv | cut -d, -f1-3
    head -1 beside/shown.csv
done
clean --features p.npy --labels beside.csv --label-column kind --id-column nothing --out bad
[ ! -e bad ]
