# What --penalty auto says and writes: candidates and their estimates, calibration, weights,
# factors, numbers of many values, refusals.
needs python3
. "$CASES/support/rounded.sh"
awk "$random"' BEGIN { seed = 31415; print "a,b,c,d,e,f,kind"; for (i = 0; i < 240; i++) { s = 0; line = ""; for (j = 0; j < 6; j++) { v = r() + r() + r() - 1.5; line = line v ","; if (j < 2) s += 4 * v }
     print line (s + (r() - .5) > 0.6 ? "yes" : "no") } }' > data.csv
awk "$random"' BEGIN { seed = 8; print "a,b,price"; for (i = 0; i < 120; i++) { a = r() - .5; b = r() - .5; print a "," b "," 1000 + int(500 * a + 20 * r()) } }' > price.csv
tune() { "$SUSTAIN" tune --features data.csv --label-column kind "$@" 2>&1; }
tune --threads 1 --out run --json > run.json
for threads in 2 3 8; do
    tune --threads $threads --out again --quiet > /dev/null
    cmp run/penalties.csv again/penalties.csv && cmp run/model.liblinear again/model.liblinear && cmp run/coefficients.csv again/coefficients.csv && echo "the same"
done
"$SUSTAIN" tune --threads 1 --out again --resume --quiet > /dev/null
cmp run/penalties.csv again/penalties.csv && echo "the same when resumed"
printf '1\n0\n1\n1\n1\n2\n' > factors.txt
tune --penalty-factors factors.txt --out factors --quiet | rounded 2
tune --weights balanced --valid-fraction 0.3 --out balanced --quiet | rounded 2
"$SUSTAIN" tune --features price.csv --label-column price --test price.csv --out price --json 2> price.err > price.json
"$SUSTAIN" tune --features price.csv --label-column price --test price.csv --out price 2>&1 | head -n 1
python3 - << 'END'
import csv, json
d = json.load(open("run.json"))
names = [c["name"] for c in d["candidates"]]
print(names, sum(c["selected"] for c in d["candidates"]), d["selected"] in names)
print([(round(c["estimate"], 2), round(c["standard_error"], 2)) for c in d["candidates"]])
print(0 <= d["calibration"]["error"] < 0.2, sum(b["rows"] for b in d["calibration"]["bins"]), d["test_loss"], d["data"]["folds"])
p = {r["name"]: float(r["penalty"]) for r in csv.DictReader(open("factors/penalties.csv"))}
print(p["b"] < 1e-4 * p["a"])
w = {r["name"]: float(r["coefficient"]) for r in csv.DictReader(open("run/coefficients.csv"))}
print(sorted(w, key=lambda n: -abs(w[n]))[:3], [r["class"] for r in csv.DictReader(open("run/coefficients.csv"))][0])
n = json.load(open("price.json"))
print(n["data"]["loss"], n["test_loss"] < 100, n["calibration"])
END
printf '1\n1\n1e6\n1\n1\n1\n' > one-off.txt
tune --penalty l1 --penalty-factors one-off.txt --out l1 | grep -E 'Fitted|features have' | rounded 2
tune --penalty elastic-net --penalty-factors factors.txt --json --out net > net.json
python3 - << 'END'
import csv, json
w = {r["name"]: float(r["coefficient"]) for r in csv.DictReader(open("l1/coefficients.csv"))}
print(w["a"] > 1, w["c"] == 0)
d = json.load(open("net.json"))
print(d["selected"], [c["share"] for c in d["candidates"]], len({r["penalty"] for r in csv.DictReader(open("net/penalties.csv"))}))
END
awk 'BEGIN { srand(9); print "a,b,count,size"; for (i = 0; i < 300; i++) { a = 2 * rand() - 1; b = 2 * rand() - 1; m = exp(1 + a); n = 0; for (p = rand(); p > exp(-m); p *= rand()) n++
     print a "," b "," n "," 3000 * a + 200 * (rand() - .5) + (i % 15 == 0 ? 90000 : 0) } }' > numbers.csv
"$SUSTAIN" tune --features numbers.csv --label-column count --ignore-column size --loss poisson --out poisson --quiet > /dev/null 2>&1
"$SUSTAIN" predict poisson/model.safetensors numbers.csv --quiet > rates.csv
"$SUSTAIN" tune --features numbers.csv --label-column size --ignore-column count --loss huber --out huber > huber.txt 2>&1
grep -c "Errors count squared up to" huber.txt
python3 - << 'END'
import csv, json
rates, counts = [float(r["value"]) for r in csv.DictReader(open("rates.csv"))], [float(r["count"]) for r in csv.DictReader(open("numbers.csv"))]
print(min(rates) > 0, abs(sum(rates) / sum(counts) - 1) < 0.02)
w = {r["name"]: float(r["coefficient"]) for r in csv.DictReader(open("huber/coefficients.csv"))}
print(abs(w["a"] - 3000) < 60, abs(w["(intercept)"]) < 30, 60 < json.load(open("huber/result.json"))["huber_threshold"] < 300)
END
tune --huber-threshold 2 --out bad
tune --solver sustain --out bad
tune --solver sustain --penalty l1 --out bad
tune --penalty l1 --groups factors.txt --out bad
tune --penalty feature --weights balanced --out bad
printf '1\n-2\n1\n1\n1\n2\n' > factors.txt
tune --penalty-factors factors.txt --out bad
printf '1\n' > factors.txt
tune --penalty-factors factors.txt --out bad
# numbers as spreadsheets show them: those of plain ones, but not with two kinds of marks
awk -F, 'NR > 1 { $3 = sprintf("%.2f", $3) } { print $1 "," $2 "," $3 }' price.csv > plain.csv
awk -F, 'NR > 1 { sub(/\./, ",", $3); $3 = "$" $3 } { print $1 ";" $2 ";" $3 }' plain.csv > marked.csv
for kind in plain marked; do "$SUSTAIN" tune --features $kind.csv --label-column price --out $kind --quiet > /dev/null 2>&1; done
cmp plain/coefficients.csv marked/coefficients.csv
sed '2s/\$/%/' marked.csv > mixed.csv
"$SUSTAIN" tune --features mixed.csv --label-column price --out bad 2>&1 | sed "s/as '[^']*'/as N/"
# likewise with a unit; not with two, and not dates
awk -F, 'NR > 1 { $3 = $3 " km/h"; $1 = $1 "cm" } { print $1 "," $2 "," $3 }' plain.csv > units.csv
"$SUSTAIN" tune --features units.csv --label-column price --out units --quiet > /dev/null 2>&1
cmp plain/coefficients.csv units/coefficients.csv
sed '2s, km/h, m/s,' units.csv > mixed.csv
"$SUSTAIN" tune --features mixed.csv --label-column price --out bad 2>&1 | sed "s/as '[^']*'/as N/"
awk -F, 'NR > 1 { $3 = sprintf("%02d/%02d/2024", 1 + NR % 28, 1 + NR % 12) } { print $1 "," $2 "," $3 }' plain.csv > dates.csv
"$SUSTAIN" tune --features dates.csv --label-column price --out bad 2>&1
# without an intercept the model has none, although features are divided by their deviations
awk 'NR > 1 { print 100 * $1 + 500 "," $2 "," 3 * $1 } NR == 1' FS=, price.csv > far.csv
"$SUSTAIN" tune --features far.csv --label-column price --intercept off --standardize on --out far --quiet > /dev/null 2>&1
grep intercept far/coefficients.csv
head -n 4 data.csv > tiny.csv
"$SUSTAIN" tune --features tiny.csv --label-column kind --out bad 2>&1
[ -e bad ] || echo "nothing was written"
