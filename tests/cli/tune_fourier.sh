# Features that interact: Fourier features are selected, for numbers, counts and classes;
# predict gives what the run measured; names in the files; the same bits for any number of
# threads; --fourier off.
# long
needs python3
. "$CASES/support/rounded.sh"
awk "$random"' BEGIN { seed = 31; print "x,y,kind,price,count,class"; for (i = 0; i < 330; i++) { a = 1000 + 6 * r(); b = .01 * (2 * r() - 1); k = r() < .5 ? "p" : "q"
     s = (a - 1003) * b * 50; print a "," b "," k "," 100 * s + 20 * r() "," int(exp(1 + s) + r()) "," (s > .5 ? "high" : s < -.5 ? "low" : "mid") } }' > all.csv
pick() { # COLUMN: a file with that answer alone
    cut -d , -f 1-3,$1 all.csv | sed -n '1p;112,$p' > train.csv
    cut -d , -f 1-3,$1 all.csv | head -n 111 > test.csv
}
try() { # COLUMN NAME options...
    pick $1
    name=$2
    shift 2
    "$SUSTAIN" tune --features train.csv --label-column $name --test test.csv --quiet --out run "$@" > /dev/null 2>&1
    "$SUSTAIN" predict run/model.safetensors test.csv --label-column $name --json > predicted.json
    python3 - "$name $*" << 'END'
import csv, json, math, sys
r, p = json.load(open("run/result.json")), json.load(open("predicted.json"))
if "accuracy" in p and p["accuracy"] is not None:
    same = abs(p["accuracy"] - r["test_accuracy"]) < 1e-9
elif sys.argv[1].startswith("price"):
    same = abs(p["squared_error"] / 2 / r["test_loss"] - 1) < 1e-3
else:
    counts = [float(row["count"]) for row in csv.DictReader(open("test.csv"))]
    loss = sum(v - c * math.log(v) for v, c in zip(p["values"], counts)) / len(counts)
    same = abs(loss - r["test_loss"]) < 1e-3
print(sys.argv[1] + ":", r["selected"], r["waves"], "better:", r["test_loss"] < 0.8 * r["one_penalty"]["test_loss"], "predict agrees:", same, "effects:", len(r["effects"]))
names = [row["name"] for row in csv.DictReader(open("run/penalties.csv"))]
print(sum(n.startswith("cosine ") for n in names), sum(n.startswith("sine ") for n in names), names[-1] if r["waves"] else "")
END
    test -e run/model.liblinear && echo "a LIBLINEAR file"
}
try 4 price --standardize on
try 5 count --loss poisson
try 6 class
try 4 price --fourier off
try 4 price --splines off
pick 4
for threads in 1 3; do
    "$SUSTAIN" tune --features train.csv --label-column price --quiet --threads $threads --out t$threads > /dev/null 2>&1
    cmp t1/model.safetensors t$threads/model.safetensors
    cmp t1/coefficients.csv t$threads/coefficients.csv
done
grep -o "Features interact (Fourier features)" t1/report.html | head -n 1
"$SUSTAIN" tune --features train.csv --label-column price --fourier maybe --out run 2>&1 | head -n 1
