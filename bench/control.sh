#!/usr/bin/env bash
# control.sh [FIGURE...] - the control of Figures 1 to 3: every method with the outer step that is
# best on validation tasks, out of one grid for all, beside the paper's own steps
# (bench/figures.sh). Steps are chosen on seeds 100 and 101 by the accuracy on validation classes,
# then compared on seeds from 0 up. Runs are kept in build/control (OUT); what is there is not
# computed again, so that more can be added later. ITERATIONS=40, TASKS=5, RUNS=2, STEPS="..." say
# how much; MAML=yes adds MAML. Wants SUSTAIN_DATA.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=${SUSTAIN:-build/release/sustain}
out=${OUT:-build/control}
iterations=${ITERATIONS:-40} tasks=${TASKS:-5}
[ $# -gt 0 ] || set -- 1 2 3
for figure; do
    case $figure in
        1) dataset=mini-imagenet direction=plain option=1 steps=${STEPS:-0.01 0.03 0.1 0.3 1} ;;
        2) dataset=mini-imagenet direction=adam option=2 steps=${STEPS:-0.0005 0.001 0.002 0.005 0.01} ;;
        3) dataset=fc100 direction=adam option=2 steps=${STEPS:-0.0005 0.001 0.002 0.005 0.01} ;;
        *) echo "control.sh: there is no figure $figure" >&2 && exit 2 ;;
    esac
    list=
    for method in sustain itd-bio anil ${MAML:+maml}; do
        parameters=direction=$direction
        [ $method != sustain ] || parameters+=:option=$option:hypergradient=unroll
        for step in $steps; do
            for seed in 100 101; do
                folder=$out/$figure/$method-$step-$seed-$iterations-$tasks
                [ -s "$folder/result.json" ] && continue
                mkdir -p "$folder"
                sets=()
                for pair in ${parameters//:/ } method=$method outer_step="$step" tasks="$tasks"; do sets+=(--set "$pair"); done
                "$bin" meta train --dataset $dataset "${sets[@]}" --iterations "$iterations" --validate-every "$iterations" --validation-tasks 100 \
                    --test-tasks 10 --threads 1 --seed $seed --quiet --out "$folder" > /dev/null
            done
        done
        best=$(python3 - "$out/$figure" $method "$iterations-$tasks" $steps << 'END'
import json
import sys

folder, method, size, *steps = sys.argv[1:]
mean = {s: sum(json.load(open(f"{folder}/{method}-{s}-{seed}-{size}/result.json"))["validation_accuracy"] for seed in (100, 101)) / 2 for s in steps}
print(max(mean, key=mean.get))
print(f"figure {folder[-1]}, {method}:", "  ".join(f"{s}: {100 * v:.1f}" for s, v in mean.items()), file=sys.stderr)
END
        )
        list+=${list:+,}$method:$parameters:outer_step=$best
    done
    "$bin" compare meta --dataset $dataset --set tasks="$tasks" --x iterations --budget "$iterations" --runs "${RUNS:-2}" --solvers "$list" \
        --out "$out/$figure/compare" --quiet
done
