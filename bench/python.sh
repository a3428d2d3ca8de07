#!/usr/bin/env bash
# python.sh [PART...] - what the Python package costs and gains. Parts, all if none is named:
#
#   fit       LabelCleaner.fit on Fashion-MNIST beside the program
#   sklearn   the same beside cross_val_predict of LogisticRegression
#   tune      PenaltyTuner beside LogisticRegressionCV
#   memory    what a thousand fits leave behind
#   problem   a problem of the library driven from Python beside C
#   torch     what the driver of a PyTorch problem costs per iteration
#
# Wants a release build, Fashion-MNIST (Debian: dataset-fashion-mnist), python3-sklearn,
# python3-torch, ijcnn1 in SUSTAIN_DATA, and a machine that has nothing else to do. Adds lines to
# bench/results.csv.
set -euo pipefail
cd "$(dirname "$0")/.."
commit=$(git rev-parse --short HEAD 2> /dev/null || echo unknown)
machine="$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2> /dev/null | head -n 1 | tr -d ',') x $(nproc)"
python=$(tools/python.sh)
export PYTHONPATH=$PWD/python
[ $# -gt 0 ] || set -- fit sklearn tune memory problem torch
for part in "$@"; do
    case $part in
    fit | sklearn | tune | memory) script=bench/python_estimators.py ;;
    problem | torch) script=bench/python_problems.py ;;
    *) echo "python.sh: there is no part '$part'" >&2 && exit 2 ;;
    esac
    "$python" "$script" "$part" "$PWD/build/release/sustain" | while IFS= read -r line; do
        echo "$(date +%F),$commit,$machine,$line" | tee -a bench/results.csv
    done
done
