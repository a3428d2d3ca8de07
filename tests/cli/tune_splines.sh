# Linear splines: selected where an answer bends, standardized or not; predict gives what the run
# measured; names, penalties and coefficients of the knots; no LIBLINEAR file, which has none.
needs python3
. "$CASES/support/rounded.sh"
awk "$random"' BEGIN { seed = 27; print "age,city,price"; for (i = 0; i < 300; i++) { a = 20 + 60 * r(); c = r() < .5 ? "north" : "south"
     print a "," c "," (a < 50 ? 100 * a : 5000 - 20 * (a - 50)) + (c == "north" ? 300 : 0) + 100 * r() } }' > data.csv
head -n 101 data.csv > test.csv
(head -n 1 data.csv; tail -n 200 data.csv) > train.csv
tune() { "$SUSTAIN" tune --features train.csv --label-column price --test test.csv --quiet --out run "$@" > /dev/null 2>&1; }
for standardize in on off; do
    tune --standardize $standardize --splines off && test -e run/model.liblinear && echo "linear"
    tune --standardize $standardize && "$SUSTAIN" predict run/model.safetensors test.csv --label-column price --json > predicted.json
    test -e run/model.liblinear || echo "no LIBLINEAR file"
    python3 - << 'END'
import csv, json
r, p = json.load(open("run/result.json")), json.load(open("predicted.json"))
print(r["selected"], r["knots"], r["test_loss"] < 0.05 * r["one_penalty"]["test_loss"], abs(p["squared_error"] / 2 / r["test_loss"] - 1) < 1e-3)
rows = list(csv.DictReader(open("run/coefficients.csv")))
slope = {row["name"]: float(row["coefficient"]) for row in rows}
names = [row["name"] for row in rows]
print(names[0], names[1:3], names[-1], sum(n.startswith("age above ") for n in names), names[:-1] == [row["name"] for row in csv.DictReader(open("run/penalties.csv"))])
young = sum(c for n, c in slope.items() if n == "age" or n.startswith("age above ") and float(n.split()[-1]) < 30)
old = sum(c for n, c in slope.items() if n.startswith("age"))
print(abs(young - 100) < 15, abs(old + 20) < 15)
END
done
# more rows than a block with knots has: each is predicted and measured as before
awk 'NR == 1 { print; next } { row[NR] = $0 } END { for (k = 0; k < 210; k++) for (i = 2; i <= NR; i++) print row[i] }' test.csv > long.csv
"$SUSTAIN" predict run/model.safetensors long.csv --label-column price --json > long.json
"$SUSTAIN" tune --features train.csv --label-column price --test long.csv --standardize off --quiet --out again > /dev/null 2>&1
python3 - << 'END'
import json
p, q = json.load(open("predicted.json")), json.load(open("long.json"))
r, s = json.load(open("run/result.json")), json.load(open("again/result.json"))
print(q["rows"], q["values"] == 210 * p["values"], *(abs(b / a - 1) < 1e-9 for a, b in [(p["squared_error"], q["squared_error"]), (r["test_loss"], s["test_loss"])]))
END
tune --splines sometimes || echo "refused"
"$SUSTAIN" tune --features train.csv --label-column price --penalty l1 --quiet --out run > /dev/null 2>&1 && ! grep above run/coefficients.csv
