#!/usr/bin/env bash
# mnist.sh [SOLVER...] - hyper-cleaning of MNIST in the formulation of the public benchmark: 20,000
# training rows whose labels are replaced with probability 0.5 by a uniform draw from all ten, 5,000
# trusted rows, features standardized on the training part, no intercept, mean loss + c |y|^2,
# batches of 64, the solver's own y on the 10,000 test rows. Rows go to bench/mnist.csv;
# docs/clean.md says why c = 0.1 stands beside c = 0.2. Wants SUSTAIN_DATA with mnist.
set -euo pipefail
cd "$(dirname "$0")/.."
: "${SUSTAIN_DATA:?set SUSTAIN_DATA to the folder that has mnist}"
bin=build/release/sustain
run=$(mktemp -d)
trap 'rm -rf "$run"' EXIT
[ $# -gt 0 ] || set -- soba ma-soba sustain saba srba stocbio
[ -s bench/mnist.csv ] || echo "c,solver,seed,iterations,seconds,test_error_solver,test_error_job,test_error_trusted_only" > bench/mnist.csv
for c in 0.2 0.1; do
    for solver in "$@"; do
        # Those that have steps of their own for cleaning stop by themselves; the others are given
        # as many samples or time as these.
        case $solver in
            saba | srba) limit="--iterations 20000" ;;
            stocbio) limit="--seconds 10" ;;
            *) limit= ;;
        esac
        for seed in 0 1 2 3 4; do
            # shellcheck disable=SC2086 # no limit is no option
            "$bin" clean --dataset mnist --split 20000:5000 --noise 0.5 --noise-kind uniform --standardize on --intercept off --c $c --batch 64 \
                --solver $solver $limit --seed "$seed" --quiet --out "$run" > /dev/null
            python3 -c '
import json, sys
d = json.load(open(sys.argv[1]))
errors = [100 * (1 - a) for a in (d["test_accuracy_solver"], d["test_accuracy"], d["baselines"]["trusted_only"]["test_accuracy"])]
print("%s,%s,%d,%d,%.1f,%.2f,%.2f,%.2f" % (sys.argv[2], d["solver"], d["seed"], d["iterations"], d["seconds"], *errors))' "$run/result.json" $c | tee -a bench/mnist.csv
        done
    done
done
