#!/usr/bin/env bash
# meta_methods.sh [DATASET...] - few-shot methods at equal processor time: test accuracy on new
# classes of every method of 'sustain meta train', and of two algorithms of the registry on the same
# tasks, after SECONDS of one processor each. Rows go to bench/meta_methods.csv; a row that is there
# already (same set, method, seed, seconds) is not measured again. SEEDS ("0 1 2"), METHODS,
# SECONDS_EACH and TEST (tasks) choose.
#
# Needs the data sets in SUSTAIN_DATA; build/release/bench/meta_methods (make bench).
set -euo pipefail
cd "$(dirname "$0")/.."
out=bench/meta_methods.csv
bin=${BIN:-build/release/bench/meta_methods}
[ -s "$out" ] || echo "dataset,method,seed,budget,iterations,seconds,validation_accuracy,best_iteration,test_accuracy,test_interval,test_support_accuracy,test_support_interval" > "$out"

# Settings that all methods share: seconds, validation tasks, test tasks, then options.
settings() { # dataset
    case $1 in
    fc100) echo "${SECONDS_EACH:-60} 25 ${TEST:-600} width=32 tasks=16" ;;
    omniglot) echo "${SECONDS_EACH:-60} 25 ${TEST:-600} width=32 tasks=16 shots=1" ;;
    mini-imagenet) echo "${SECONDS_EACH:-120} 10 ${TEST:-200} width=32 tasks=8" ;;
    esac
}

for seed in ${SEEDS:-0 1 2}; do
    for dataset in "${@:-fc100}"; do
        read -r seconds validation test options <<< "$(settings "$dataset")"
        for method in ${METHODS:-pretrain prototype sustain itd-bio anil maml solver:sustain solver:soba}; do
            key="$dataset,$method,$seed,$seconds"
            grep -q "^$key," "$out" && continue
            name="method=$method"
            [ "$method" = "${method#solver:}" ] || name="solver=${method#solver:}"
            # shellcheck disable=SC2086
            row=$("$bin" "$dataset" "$seconds" "$validation" "$test" "$seed" $options "$name")
            echo "$key,$row" | tee -a "$out"
        done
    done
done
