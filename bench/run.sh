#!/usr/bin/env bash
# Runs the benchmarks and appends their ratios to bench/results.csv. A time alone means nothing on a
# shared machine: what counts is a ratio between two things measured in the same run, alternating,
# medians.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=build/release/bench
out=bench/results.csv
commit=$(git rev-parse --short HEAD 2> /dev/null || echo unknown)
machine="$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2> /dev/null | head -n 1 | tr -d ',') x $(nproc)"
[ -s "$out" ] || echo "date,commit,machine,benchmark,value,unit,against,ratio" > "$out"

record() { # benchmark value unit against ratio
    echo "$(date +%F),$commit,$machine,$1,$2,$3,$4,$5" | tee -a "$out"
}

# An iteration of lazy SUSTAIN with 1,000 times as many samples: at most 1.5 times the time.
echo "lazy: hyper-cleaning, batch 1, K = 10, 50,000 against 50,000,000 samples (takes a minute)"
lines=$("$bin/lazy")
small=$(sed -n 1p <<< "$lines" | cut -d, -f 2)
large=$(sed -n 2p <<< "$lines" | cut -d, -f 2)
record lazy_50M_samples "$large" s/iteration "50k samples: $small" "$(awk -v a="$large" -v b="$small" 'BEGIN { printf "%.3f", a / b }')"

# Hyper-cleaning beside PyTorch, where that and the data are there.
if /usr/bin/python3 -c 'import torch' 2> /dev/null && [ -d /usr/share/datasets/fashion-mnist ]; then
    echo "hyperclean: beside PyTorch (takes five minutes)"
    bench/hyperclean.sh
else
    echo "hyperclean: left out, since python3-torch or dataset-fashion-mnist is not installed"
fi

# Few-shot learning beside PyTorch, where that is there.
if /usr/bin/python3 -c 'import torch, numpy' 2> /dev/null; then
    echo "meta: beside PyTorch (takes a quarter of an hour)"
    bench/meta.sh
    bench/fewshot.sh
else
    echo "meta: left out, since python3-torch or python3-numpy is not installed"
fi
