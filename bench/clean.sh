#!/usr/bin/env bash
# clean.sh [PART...] - `sustain clean` on Fashion-MNIST: how good, how fast. The figures of
# docs/clean.md. Parts, all if none is named:
#
#   table     medians of seeds 0 to 4 at noise 0.4 with 200, 1,000 and 10,000 trusted rows, to
#             bench/clean.csv
#   counts    how many are flagged, precision and recall, at other noise, to bench/clean.csv
#   solvers   what each algorithm reaches with 10,000 trusted rows, to bench/clean.csv
#   speed     the whole job, loading and baselines aside, beside
#             bench/yardsticks/confident_sklearn.py, in turns; to bench/results.csv
#   quality   seconds until the weights rank with AUC 0.975, beside hyperclean_torch.py stocbio for
#             at most 600 s; to bench/results.csv
#
# Wants Fashion-MNIST (Debian: dataset-fashion-mnist); the last two also python3-sklearn and
# python3-torch, and a machine that has nothing else to do.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=build/release/sustain
commit=$(git rev-parse --short HEAD 2> /dev/null || echo unknown)
machine="$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2> /dev/null | head -n 1 | tr -d ',') x $(nproc)"
run=$(mktemp -d)
trap 'rm -rf "$run"' EXIT

clean() { "$bin" clean --dataset fashion-mnist --split 50000:10000 --quiet --out "$run" "$@" > /dev/null; }
field() { # expression in d, the JSON object of the run
    python3 -c 'import json, sys; d = json.load(open(sys.argv[1] + "/result.json")); print(eval(sys.argv[2]))' "$run" "$1"
}
row() { # what seed -> a line of bench/clean.csv
    field "','.join(str(v) for v in ['$1', $2, d['solver'], d['batch'], d['iterations'], round(d['seconds'], 2)]
        + [round(d[k], 4) if d[k] is not None else '' for k in ('label_error_auc', 'label_error_auc_weights', 'precision_at_errors', 'test_accuracy', 'test_accuracy_solver')]
        + [d['issues'], d['errors'], round(d['issue_precision'] or 0, 4), round(d['issue_recall'] or 0, 4)]
        + [round(d['baselines'][b][k], 4) if d['baselines'][b][k] is not None else '' for b in ('all_labels', 'trusted_only', 'self_confidence', 'drop_and_refit') for k in ('auc', 'precision_at_errors', 'test_accuracy')])"
}
header() {
    echo -n "run,seed,solver,batch,iterations,seconds,auc,auc_weights,precision_at_errors,test_accuracy,test_accuracy_solver,issues,errors,issue_precision,issue_recall"
    for b in all_labels trusted_only self_confidence drop_and_refit; do echo -n ",${b}_auc,${b}_precision,${b}_test"; done
    echo
}
note() { # what seed options...
    local what=$1 seed=$2
    shift 2
    clean --seed "$seed" "$@"
    [ -s bench/clean.csv ] || header > bench/clean.csv
    row "$what" "$seed" | tee -a bench/clean.csv
}
record() { # benchmark value unit against ratio
    echo "$(date +%F),$commit,$machine,$1,$2,$3,$4,$5" | tee -a bench/results.csv
}
median() { sort -g | sed -n 2p; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.1f", a / b }'; }

table() {
    for count in 200 1000 10000; do
        for seed in 0 1 2 3 4; do note "symmetric_0.4_trusted_$count" "$seed" --noise 0.4 --trusted-count "$count"; done
    done
}
counts() {
    for kind in symmetric pair; do
        for noise in 0.1 0.4; do note "${kind}_${noise}_trusted_1000" 100 --noise "$noise" --noise-kind "$kind" --trusted-count 1000; done
    done
    note none_trusted_1000 100 --noise 1e-12 --trusted-count 1000
}
solvers() {
    for solver in sustain soba ma-soba saba srba stocbio mrbo amigo fsla aid-cg hoag; do note "$solver" 100 --noise 0.4 --solver "$solver"; done
}
speed() {
    local own=() other=()
    for _ in 1 2 3; do
        clean --seed 100 --noise 0.4 --threads 2
        own+=("$(field "d['seconds'] + d['finish_seconds']")")
        other+=("$(/usr/bin/python3 bench/yardsticks/confident_sklearn.py 0.4 | sed 's/.*: \([0-9.]*\)s rank.*then \([0-9.]*\)s.*/\1 \2/' | awk '{ print $1 + $2 }')")
    done
    own=$(printf '%s\n' "${own[@]}" | median)
    other=$(printf '%s\n' "${other[@]}" | median)
    record clean_whole_job "$own" s "confident_sklearn.py: $other" "$(ratio "$other" "$own")"
}
quality() {
    # The seconds of the first run, in steps of 100 iterations, whose weights are good enough.
    local own=600 other
    for iterations in $(seq 600 100 2400); do
        clean --seed 100 --noise 0.4 --threads 2 --iterations "$iterations"
        if [ "$(field "d['label_error_auc_weights'] >= 0.975")" = True ]; then
            own=$(field "round(d['seconds'], 2)")
            break
        fi
    done
    other=$(/usr/bin/python3 bench/yardsticks/hyperclean_torch.py stocbio 0.4 600 256 | awk '{ sub("s", "", $1); split($5, a, "="); if (a[2] >= 0.975) { print $1; exit } }')
    record clean_auc_0.975 "$own" s "hyperclean_torch.py stocbio: ${other:-more than 600}" "$(ratio "${other:-600}" "$own")"
}

[ $# -gt 0 ] || set -- table counts solvers speed quality
for part in "$@"; do "$part"; done
