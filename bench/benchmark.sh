#!/usr/bin/env bash
# benchmark.sh [TASK...] - the tasks of the public benchmark of bilevel optimization as comparisons:
# ijcnn1 (a penalty for each feature), covtype (softmax, a penalty for each class; left out where
# its file is not in $SUSTAIN_DATA), and hyper-cleaning of MNIST with half, 0.7 and 0.9 of the
# labels replaced (docs/clean.md has the formulation). Every algorithm with schedule=auto and
# batches of 64, to the same number of samples. Runs are kept in build/benchmark (OUT), tables go to
# docs/experiments. RUNS=3 says how many; one at a time. About 20 minutes of one core.
set -euo pipefail
cd "$(dirname "$0")/.."
: "${SUSTAIN_DATA:?set SUSTAIN_DATA to the folder that has ijcnn1 and mnist}"
bin=${SUSTAIN:-build/release/sustain}
out=${OUT:-build/benchmark}
mkdir -p "$out"
[ $# -gt 0 ] || set -- ijcnn1 covtype mnist-0.5 mnist-0.7 mnist-0.9
solvers=$(printf ',%s:batch=64' sustain sustain:system=running soba ma-soba saba srba spaba stocbio amigo f2sa ttsa)
solvers=${solvers#,}
for task; do
    case $task in
        ijcnn1) words=(tune --dataset ijcnn1-benchmark --budget 1e7) ;;
        covtype) words=(tune --dataset covtype-benchmark --budget 1e7) ;;
        mnist-*) words=(clean --dataset mnist --split 20000:5000 --noise "${task#mnist-}" --noise-kind uniform --standardize on --intercept off --c 0.2 --budget 1e6) ;;
        *) echo "benchmark.sh: there is no task $task" >&2 && exit 2 ;;
    esac
    if [ "$task" = covtype ] && [ ! -d "$SUSTAIN_DATA/covtype" ]; then
        echo "covtype is left out: it is not in $SUSTAIN_DATA"
        continue
    fi
    "$bin" compare "${words[@]}" --x samples --solvers "$solvers" --runs "${RUNS:-3}" --threads 1 --out "$out/$task" --quiet > /dev/null
    bench/figures_page.py "$out/$task/compare.json" "docs/experiments/benchmark-$task.md"
done
