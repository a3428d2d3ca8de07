#!/usr/bin/env bash
# Penalties on ijcnn1 (docs/tune.md): SUSTAIN against bench/yardsticks/tune_numba.py in turns,
# medians of three; and `sustain tune` with its defaults against the time that the yardstick takes
# for 45,000 iterations; sparse rows with many features beside few (these alone with --sparse). Rows
# go to bench/results.csv. With --table: every algorithm, to bench/tune.csv. Wants SUSTAIN_DATA with
# ijcnn1, and python3-numba.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=build/release
out=bench/results.csv
data=${SUSTAIN_DATA:?set SUSTAIN_DATA to the folder that has ijcnn1}/ijcnn1
commit=$(git rev-parse --short HEAD 2> /dev/null || echo unknown)
machine="$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2> /dev/null | head -n 1 | tr -d ',') x $(nproc)"
cmake --build "$bin" --target bench-tune bench-sparse sustain-program > /dev/null

if [ "${1:-}" = --table ]; then
    "$bin/bench/tune" table "${2:-3}" | tee bench/tune.csv
    exit
fi

record() { # benchmark value unit against ratio
    echo "$(date +%F),$commit,$machine,$1,$2,$3,$4,$5" | tee -a "$out"
}
median() { sort -g | sed -n 2p; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }

# Seconds are those of the processor.
sparse() {
    local lines name direction few many ratio
    lines=$("$bin/bench/sparse")
    call() { sed -n "$1p" <<< "$lines" | cut -d, -f 4; }
    touched() { sed -n "$1p" <<< "$lines" | cut -d, -f 3; }
    record sparse_hyper_10M_features "$(call 2)" "s/call; $(touched 2) coordinates" "the same rows in 10^4 features: $(call 1)" "$(ratio "$(call 2)" "$(call 1)")"
    record sparse_hyper_10M_words "$(call 3)" "s/call; $(touched 3) coordinates" "10^4 words: $(call 1)" "$(ratio "$(call 3)" "$(call 1)")"
    "$bin/bench/sparse" iterations | while IFS=, read -r name direction few many ratio; do
        record "sparse_iteration_1M_$name${direction:+_$direction}" "$many" s/iteration "the same rows in 10^4 features: $few" "$ratio"
    done
}

if [ "${1:-}" = --sparse ]; then
    sparse
    exit
fi

: > /tmp/tune.$$.own
: > /tmp/tune.$$.other
trap 'rm -rf /tmp/tune.$$.*' EXIT
for _ in 1 2 3; do
    /usr/bin/python3 bench/yardsticks/tune_numba.py "$data"/ijcnn1.trn.bz2 "$data"/ijcnn1.tst.bz2 3 64 |
        sed -n 's/.*: \([0-9]*\) iterations.*/\1/p' >> /tmp/tune.$$.other
    "$bin/bench/tune" rate 3 >> /tmp/tune.$$.own
done
own=$(median < /tmp/tune.$$.own) other=$(median < /tmp/tune.$$.other)
record tune_ijcnn1_sustain_b64_K10 "$own" iterations/s "tune_numba.py: $other" "$(ratio "$own" "$other")"

"$bin/sustain" tune --dataset ijcnn1-benchmark --out /tmp/tune.$$.run --json > /tmp/tune.$$.json
read -r seconds loss norm < <(python3 -c '
import json, sys
d = json.load(open(sys.argv[1]))
print("%.2f %.5f %.2e" % (d["seconds"], d["upper_loss"], d["hypergradient_norm_squared"]))' /tmp/tune.$$.json)
limit=$(awk -v r="$other" 'BEGIN { printf "%.2f", 45000 / r }')
record tune_ijcnn1_auto "$seconds" "s to loss $loss and squared norm $norm" "45000 iterations of tune_numba.py: $limit s" "$(ratio "$seconds" "$limit")"

sparse
