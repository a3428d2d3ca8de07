#!/usr/bin/env bash
# meta_curves.sh DATASET ITERATIONS SEEDS [OPTION...] - training, validation and test accuracy of
# every few-shot method against iterations, as in Figures 1 to 3 of the paper. Writes rows to
# bench/meta_curves.csv: accuracy of training is the mean over the iterations since the row before;
# iteration 0 is the backbone before training, and the nearest mean of raw pixels beside it;
# `pictures`, those of the training classes, distinguishes a part of a set from the complete one.
# Options go to 'sustain meta train'; METHODS chooses methods, EVERY the iterations between two
# rows. A run is kept in build/curves: the same call again resumes an interrupted run, one with more
# iterations extends it, and its rows replace the previous ones.
#
#   bench/meta_curves.sh fc100 400 "0 1 2" --width 32 --tasks 16 --inner-steps 10 --inner-step 0.1 --least-scale 1 --validation-tasks 60
#
# Needs the data set (sustain data) and python3.
set -euo pipefail
cd "$(dirname "$0")/.."
dataset=$1 iterations=$2 seeds=$3
shift 3
out=bench/meta_curves.csv
commit=$(git rev-parse --short HEAD 2> /dev/null || echo unknown)

write_rows() { # folder method seed
    python3 - "$out" "$1" "$(date +%F)" "$commit" "$dataset" "$options" "$2" "$3" << 'END'
import csv, fcntl, json, os, sys
out, folder, date, commit, dataset, options, method, seed = sys.argv[1:]
titles = "date,commit,dataset,pictures,options,method,seed,iteration,train_accuracy,validation_accuracy,test_accuracy,test_interval,seconds".split(",")
result, config = (json.load(open(f"{folder}/{name}.json")) for name in ("result", "config"))
new = []

def row(method, iteration, train, validation, test, interval, seconds):
    numbers = ["" if n is None else f"{n:.4f}" for n in (train, validation, test, interval)]
    new.append(dict(zip(titles, [date, commit, dataset, str(config["data"]["training"]["pictures"]), options, method, seed, str(iteration), *numbers, f"{seconds:.1f}"])))

if method != "anil" and method != "maml":  # whose untrained head is one of their own
    for name in ("centroid", "untrained"):
        row(name, 0, None, None, result[f"{name}_accuracy"], result[f"{name}_interval"], 0)
since = []
for line in map(json.loads, open(f"{folder}/metrics.jsonl")):
    since.append(line["train_accuracy"])
    if "test_accuracy" in line:
        row(method, line["iteration"], sum(since) / len(since), line["validation_accuracy"], line["test_accuracy"], line["test_interval"], line["seconds"])
        since = []

run = lambda r: tuple(r[t] for t in titles[2:7])
written = {run(r) for r in new}
with open(out, "a+") as f:
    fcntl.flock(f, fcntl.LOCK_EX)
    f.seek(0)
    rows = [r for r in csv.DictReader(f) if run(r) not in written] + new
    rows.sort(key=lambda r: (r["dataset"], r["options"], r["method"], int(r["seed"]), int(r["iteration"])))
    f.truncate(0)
    table = csv.DictWriter(f, titles, lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
END
}

options=$*
for seed in $seeds; do
    for method in ${METHODS:-itd-bio sustain anil maml}; do
        folder=build/curves/$dataset-$method-$seed-$(cksum <<< "$options" | cut -d ' ' -f 1)
        resume=()
        if [ -e "$folder/checkpoint.safetensors" ]; then resume=(--resume); fi
        build/release/sustain meta train --dataset "$dataset" --method "$method" --seed "$seed" --iterations "$iterations" --validate-every "${EVERY:-50}" \
            --patience 0 --trace --out "$folder" "${resume[@]}" --quiet "$@" > /dev/null
        write_rows "$folder" "$method" "$seed"
        grep -F ",$options,$method,$seed," "$out" | tail -n 1
    done
done
