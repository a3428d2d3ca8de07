#!/usr/bin/env bash
# meta_curves.sh DATASET ITERATIONS SEEDS [OPTION...] - training, validation and test accuracy of every few-shot method against iterations, as in Figures 1 to 3 of the paper.
# Appends rows to bench/meta_curves.csv: accuracy of training is the mean over the iterations since the row before. Options go to 'sustain meta train'; METHODS chooses methods, EVERY the
# iterations between two rows.
#
#   bench/meta_curves.sh fc100 200 "0 1" --width 32 --tasks 16 --test-tasks 300
#
# Needs the data set (sustain data) and python3.
set -euo pipefail
cd "$(dirname "$0")/.."
dataset=$1 iterations=$2 seeds=$3
shift 3
out=bench/meta_curves.csv
commit=$(git rev-parse --short HEAD 2> /dev/null || echo unknown)
run=$(mktemp -d)
trap 'rm -rf "$run"' EXIT
[ -s "$out" ] || echo "date,commit,dataset,options,method,seed,iteration,train_accuracy,validation_accuracy,test_accuracy,test_interval,seconds" > "$out"

for seed in $seeds; do
    for method in ${METHODS:-anil maml itd-bio sustain}; do
        build/release/sustain meta train --dataset "$dataset" --method "$method" --seed "$seed" --iterations "$iterations" --validate-every "${EVERY:-50}" \
            --patience 0 --trace --out "$run/$method" --quiet "$@" > /dev/null
        python3 - "$run/$method/metrics.jsonl" "$(date +%F),$commit,$dataset,$*,$method,$seed" << 'END' | tee -a "$out"
import json, sys
since = []
for line in map(json.loads, open(sys.argv[1])):
    since.append(line["train_accuracy"])
    if "test_accuracy" in line:
        numbers = [sum(since) / len(since), line["validation_accuracy"], line["test_accuracy"], line["test_interval"]]
        print(",".join([sys.argv[2], str(line["iteration"])] + [f"{n:.4f}" for n in numbers] + [f"{line['seconds']:.1f}"]))
        since = []
END
    done
done
