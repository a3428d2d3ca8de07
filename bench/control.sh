#!/usr/bin/env bash
# control.sh [FIGURE...] - the outer steps of the second panel of Figures 1 to 3: every method is
# trained with every step of a grid and evaluated on tasks of the validation classes. Rows go to
# bench/control.csv; a row that is there already is not measured again. The best step of each method
# by the mean over the seeds is printed; lab/compare_figures.c has them. sustain-1 is SUSTAIN with
# Option I; sustain-2, Option II, is itd-bio if it moves by Adam. SEEDS ("100 101"), STEPS,
# ITERATIONS, TASKS and METHODS choose. Wants SUSTAIN_DATA.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=${SUSTAIN:-build/release/sustain}
out=bench/control.csv
[ -s $out ] || echo "figure,method,outer_step,seed,iterations,tasks,validation_accuracy,validation_interval" > $out
run=$(mktemp -d)
trap 'rm -rf "$run"' EXIT
[ $# -gt 0 ] || set -- 1 2 3
for figure; do
    case $figure in
        1) settings="--dataset mini-imagenet --width 32 --direction plain" steps=${STEPS:-0.03 0.1 0.3 1 3} size=${ITERATIONS:-100},${TASKS:-8} ;;
        2) settings="--dataset mini-imagenet --width 32" steps=${STEPS:-0.0005 0.001 0.002 0.005 0.01} size=${ITERATIONS:-100},${TASKS:-8} ;;
        3) settings="--dataset fc100 --width 32" steps=${STEPS:-0.001 0.002 0.005 0.01 0.02} size=${ITERATIONS:-200},${TASKS:-16} ;;
        *) echo "control.sh: there is no figure $figure" >&2 && exit 2 ;;
    esac
    for seed in ${SEEDS:-100 101}; do
        for method in ${METHODS:-sustain-1 itd-bio anil}; do
            own=
            [ "${method%-*}" != sustain ] || own="--option ${method#*-} --hypergradient unroll"
            for step in $steps; do
                key=$figure,$method,$step,$seed,$size
                grep -q "^$key," $out && continue
                # shellcheck disable=SC2086
                "$bin" meta train $settings $own --method "${method%-[12]}" --outer-step "$step" --iterations "${size%,*}" --tasks "${size#*,}" \
                    --validate-every "${size%,*}" --validation-tasks 300 --patience 0 --test-tasks 2 --threads 1 --seed "$seed" --quiet --out "$run/$key" > /dev/null
                score=$(python3 -c 'import json, sys; last = json.loads(open(sys.argv[1]).readlines()[-1]); print("%.4f,%.4f" % (last["validation_accuracy"], last["validation_interval"]))' \
                    "$run/$key/metrics.jsonl")
                echo "$key,$score" | tee -a $out
                rm -rf "${run:?}/$key"
            done
        done
    done
done
python3 - $out << 'END'
import collections
import csv
import sys

scores = collections.defaultdict(list)
for row in csv.DictReader(open(sys.argv[1])):
    scores[row["figure"], row["method"], row["outer_step"]].append(float(row["validation_accuracy"]))
for figure, method in sorted({key[:2] for key in scores}):
    mean = {step: sum(s) / len(s) for (f, m, step), s in scores.items() if (f, m) == (figure, method)}
    print(f"figure {figure}, {method}:", "  ".join(f"{step}: {100 * v:.1f}" for step, v in mean.items()), "; best", max(mean, key=mean.get))
END
