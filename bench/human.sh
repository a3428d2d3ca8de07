#!/usr/bin/env bash
# human.sh [PART...] - `sustain clean` on labels that people made, on text and on tables: the
# figures of docs/clean.md. Parts, all if none is named:
#
#   table     human labels with probabilities of a network: AUC, count, F1 with 1,000, 200 and no
#             verified rows, seeds 0 to 4
#   trusted   the same with trusted rows instead: their given labels are not known
#   reliability  quality and share of right labels in bins of 5 %, of all rows that are not verified
#   coverage  how often the interval of the count holds the truth, over 200 draws of verified rows;
#             SETS, COUNTS
#   review    wrong labels found per 100 rows looked at, in the order before and after a review of
#             the 500 worst rows, seeds 0 to 4
#   other     text and tables: 20 and 40 % errors, uniform and by pairs, 200 and 1,000 verified or
#             trusted rows, seeds 0 to 4; SETS="r8 webkb adult spambase", KINDS="symmetric pair",
#             NOISES="0.2 0.4", COUNTS="200 1000", WAYS="verified trusted" and SEEDS choose a part;
#             WAYS=none COUNTS=0: with nothing checked
#   speed     50,000 rows with probabilities alone; R8 as a CSV of text, beside scikit-learn's
#             out-of-fold self-confidence
#
# $SUSTAIN is the program, build/release/sustain if not set. Wants $SUSTAIN_DATA with human-labels,
# text and tables, and python3 with numpy. Lines go to $OUT, bench/human.csv if not set.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=$(realpath "${SUSTAIN:-build/release/sustain}")
data=${SUSTAIN_DATA:?is not set}
out=$(realpath -m "${OUT:-bench/human.csv}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

human() { # SET options...
    local set=$1 at=$data/human-labels/cifar-10n-$1
    shift
    "$bin" clean --labels "$at-given.npy" --pred-probs "$at-pred-probs.npy" --truth "$at-true.npy" --json --out run "$@" > result.json 2> /dev/null
}
line() { # what... -> a line of bench/human.csv
    [ -s "$out" ] || echo "set,rows,seed,auc,best_baseline_auc,estimated,low,high,errors,f1,f1_at_errors,differs_f1,accuracy,best_baseline_accuracy,seconds" > "$out"
    python3 - "$@" << 'END' | tee -a "$out"
import json, sys
r = json.load(open("result.json"))
b = r["baselines"].values()
best = lambda key: max((x[key] for x in b if x[key] is not None), default=None)
shown = lambda x, digits=4: "" if x is None else round(x, digits)
differs = r["baselines"]["predicted_differs"]["f1"]
print(*sys.argv[1:], shown(r["label_error_auc"]), shown(best("auc")), shown(r["estimated_errors"], 0), shown(r["estimated_errors_low"], 0),
      shown(r["estimated_errors_high"], 0), r["errors"], shown(r["issue_f1"]), shown(r["precision_at_errors"]), shown(differs),
      shown(r["test_accuracy"]), shown(best("test_accuracy")), shown(r["total_seconds"], 2), sep=",")
END
}
table() {
    for set in worst aggregate; do
        for count in 1000 200 0; do
            for seed in 0 1 2 3 4; do
                human $set --seed $seed --verified-count $count
                line $set $count $seed
            done
        done
    done
}
trusted() {
    for set in worst aggregate; do
        for count in 1000 200; do
            for seed in 0 1 2 3 4; do
                python3 - "$data/human-labels/cifar-10n-$set" $count $seed << 'END'
import sys
import numpy as np
given, truth, p = (np.load(sys.argv[1] + name) for name in ("-given.npy", "-true.npy", "-pred-probs.npy"))
rows = np.random.default_rng(int(sys.argv[3])).permutation(len(given))
trusted, others = np.split(rows, [int(sys.argv[2])])
for name, array in {"given": given[others], "truth": truth[others], "p": p[others], "right": truth[trusted], "tp": p[trusted]}.items():
    np.save(name + ".npy", array)
END
                "$bin" clean --labels given.npy --pred-probs p.npy --truth truth.npy --trusted-labels right.npy --trusted-pred-probs tp.npy \
                    --seed $seed --json --out run > result.json 2> /dev/null
                line "$set trusted" $count $seed
            done
        done
    done
}
reliability() {
    for set in worst aggregate; do
        for count in 1000 200; do
            for seed in 0 1 2 3 4; do
                human $set --seed $seed --verified-count $count
                cp run/labels.csv labels$seed.csv
            done
            python3 - "$data/human-labels/cifar-10n-$set" $set $count << 'END'
import csv, sys
import numpy as np
right = np.load(sys.argv[1] + "-true.npy") == np.load(sys.argv[1] + "-given.npy")
rows, said, found = np.zeros((3, 20))
for seed in range(5):
    for r in csv.DictReader(open("labels%d.csv" % seed)):
        if r["verified"] == "":
            k = min(int(20 * float(r["label_quality"])), 19)
            rows[k] += 1
            said[k] += float(r["label_quality"])
            found[k] += right[int(r["index"])]
for k in range(20):
    print("reliability,%s,%s,%.2f,%.0f rows,%.3f said,%.3f found" % (sys.argv[2], sys.argv[3], k / 20, rows[k] / 5, said[k] / rows[k], found[k] / rows[k]))
print("reliability,%s,%s,mean difference %.4f" % (sys.argv[2], sys.argv[3], np.abs(said - found).sum() / rows.sum()))
END
        done
    done
}
coverage() {
    for set in ${SETS:-worst aggregate}; do
        for count in ${COUNTS:-1000 200}; do
            local inside=0
            for seed in $(seq 100 299); do
                human $set --seed "$seed" --verified-count $count
                inside=$((inside + $(python3 -c 'import json; r = json.load(open("result.json")); print(int(r["estimated_errors_low"] <= r["errors"] <= r["estimated_errors_high"]))')))
            done
            echo "coverage,$set,$count,$inside of 200"
        done
    done
}
review() {
    for set in worst aggregate; do
        for count in 200 0; do
            for seed in 0 1 2 3 4; do
                human $set --seed $seed --verified-count $count
                python3 - "$data/human-labels/cifar-10n-$set" << 'END'
import csv, json, sys
import numpy as np
truth, given = (np.load(sys.argv[1] + name) for name in ("-true.npy", "-given.npy"))
run = json.load(open("result.json"))["review_id"]
rows = [int(r["row"]) for r in csv.DictReader(open("run/review.csv")) if r["verified"] == "-1"]
json.dump(rows[500:], open("before.json", "w"))
with open("decisions.csv", "w", newline="") as file:
    w = csv.writer(file)
    w.writerow("run row given decision label".split())
    for r in rows[:500]:
        w.writerow([run, r, given[r], "keep" if given[r] == truth[r] else "class", truth[r]])
END
                "$bin" clean --out run --reviewed decisions.csv --quiet > /dev/null 2>&1
                python3 - "$data/human-labels/cifar-10n-$set" "$set" $count $seed << 'END' | tee -a curves.csv
import csv, json, sys
import numpy as np
truth, given = (np.load(sys.argv[1] + name) for name in ("-true.npy", "-given.npy"))
before = json.load(open("before.json"))
after = [int(r["row"]) for r in csv.DictReader(open("run/review.csv")) if r["verified"] == "-1"]
for n in (500, 1000, 2000, 4000, 8000, 12000, 16000, 20000):
    print("review", *sys.argv[2:], n, *("%.2f" % (100 * np.mean([truth[r] != given[r] for r in rows[:n]])) for rows in (before, after)), sep=",")
END
            done
        done
    done
    python3 - << 'END'
import csv, statistics
curves = {}
for _, name, count, _, n, *found in csv.reader(open("curves.csv")):
    curves.setdefault((name, count, n), []).append([float(f) for f in found])
for key, found in curves.items():
    before, after = zip(*found)
    rise = statistics.median(a - b for b, a in found)
    print("review,%s,%s verified,next %s rows,%.1f before,%.1f after,%+.2f" % (*key, statistics.median(before), statistics.median(after), rise))
END
}
# A third of a table is set aside for testing; the texts have a test file.
parts() { # SET SEED TRUSTED -> train.csv, trusted.csv, test.csv
    python3 - "$data" "$@" << 'END'
import csv, random, sys
csv.field_size_limit(10**9)
data, name, seed, trusted = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
text = name in ("r8", "webkb")
read = lambda path: [r for r in csv.reader(open(path, newline="")) if r]
def write(path, rows):
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([head] + rows)
if text:
    head, *rows = read("%s/text/%s-train.csv" % (data, name))
    test = read("%s/text/%s-test.csv" % (data, name))[1:]
else:
    head, *rows = read("%s/tables/%s.csv" % (data, name))
    random.Random(7).shuffle(rows)
    test, rows = rows[: len(rows) // 3], rows[len(rows) // 3 :]
random.Random(seed).shuffle(rows)
write("test.csv", test)
write("trusted.csv", rows[:trusted])
write("train.csv", rows[trusted:])
END
}
other() {
    for set in ${SETS:-r8 webkb adult spambase}; do
        kinds=${KINDS:-symmetric pair}
        [[ $set = adult || $set = spambase ]] && kinds=symmetric # two classes: the same
        case $set in r8) columns="--label-column topic --text-column text" ;; webkb) columns="--label-column page --text-column text" ;;
        adult) columns="--label-column income" ;; spambase) columns="--label-column spam" ;; esac
        for kind in $kinds; do
            for noise in ${NOISES:-0.2 0.4}; do
                for count in ${COUNTS:-200 1000}; do
                    for seed in ${SEEDS:-0 1 2 3 4}; do
                        for way in ${WAYS:-verified trusted}; do
                            checked="--verified-count $count"
                            [ $way = trusted ] && checked="--trusted trusted.csv"
                            [ $way = none ] && checked=
                            parts $set "$seed" $([ $way = trusted ] && echo "$count" || echo 0)
                            "$bin" clean --features train.csv $columns --test test.csv $checked --noise "$noise" --noise-kind $kind --seed "$seed" --json --out run > result.json 2> /dev/null
                            line "$set $kind $noise $way" "$count" "$seed"
                        done
                    done
                done
            done
        done
    done
}
speed() {
    local at=$data/human-labels/cifar-10n-worst
    /usr/bin/time -f "speed,50000 rows with probabilities alone,%e s,%U s of processor" "$bin" clean --labels "$at-given.npy" --pred-probs "$at-pred-probs.npy" \
        --truth "$at-true.npy" --verified-count 1000 --threads 2 --json --out run 2>&1 > result.json | grep ^speed
    local r8="$data/text/r8-train.csv"
    /usr/bin/time -f "speed,R8 as a CSV of text,%e s,%U s of processor" "$bin" clean --features "$r8" --label-column topic --text-column text --noise 0.2 \
        --verified-count 200 --threads 2 --json --out run 2>&1 > result.json | grep ^speed
    /usr/bin/time -f "speed,R8 by scikit-learn,%e s,%U s of processor" python3 - "$r8" << 'END' 2>&1 | grep ^speed
import csv, sys
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
csv.field_size_limit(10**9)
rows = list(csv.DictReader(open(sys.argv[1], newline="")))
a = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True).fit_transform([r["text"] for r in rows])
cross_val_predict(LogisticRegression(C=10, max_iter=1000), a, [r["topic"] for r in rows], cv=5, method="predict_proba")
END
}
for part in "${@:-table trusted reliability coverage review other speed}"; do for p in $part; do $p; done; done
