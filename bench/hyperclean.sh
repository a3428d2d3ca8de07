#!/usr/bin/env bash
# hyperclean.sh [SECONDS] - SUSTAIN on data hyper-cleaning beside the same in PyTorch
# (bench/yardsticks/hyperclean_torch.py), with 100 times as many samples, and with 200 terms.
# Appends rows to bench/results.csv. Alternates three times and takes medians; a yardstick that
# comes out far below its usual figure (157 and 57 iterations/s on two cores of 2.4 GHz) says that
# something else was using the machine: repeat then.
#
# Needs Fashion-MNIST (Debian: dataset-fashion-mnist) and python3-torch.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-8}
bin=build/release/bench/hyperclean
out=bench/results.csv
data=/usr/share/datasets/fashion-mnist
commit=$(git rev-parse --short HEAD 2> /dev/null || echo unknown)
machine="$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2> /dev/null | head -n 1 | tr -d ',') x $(nproc)"
[ -s "$out" ] || echo "date,commit,machine,benchmark,value,unit,against,ratio" > "$out"

record() { # benchmark value unit against ratio
    echo "$(date +%F),$commit,$machine,$1,$2,$3,$4,$5" | tee -a "$out"
}
median() { sort -g | sed -n 2p; }
ratio() { awk -v a="$1" -v b="$2" "BEGIN { printf \"%.${3:-1}f\", a / b }"; }

unpacked=$(mktemp -d)
trap 'rm -rf "$unpacked"' EXIT
for name in train-images-idx3-ubyte train-labels-idx1-ubyte; do zcat "$data/$name.gz" > "$unpacked/$name"; done

ours() { # batch threads -> iterations/s: solver's clock, wall, processor
    "$bin" speed "$unpacked/train-images-idx3-ubyte" "$unpacked/train-labels-idx1-ubyte" "$1" "$2" "$seconds"
}
torch() { # batch threads -> iterations/s
    /usr/bin/python3 bench/yardsticks/hyperclean_torch.py sustain 0.4 "$seconds" "$1" threads="$2" | tail -n 1 | sed 's/.*it\/s=\([0-9.]*\).*/\1/'
}

compare() { # name batch threads
    local own=() wall=() other=() line
    for _ in 1 2 3; do
        line=$(ours "$2" "$3")
        own+=("$(cut -d, -f 1 <<< "$line")") wall+=("$(cut -d, -f 2 <<< "$line")")
        other+=("$(torch "$2" 1)")
    done
    own=$(printf '%s\n' "${own[@]}" | median)
    wall=$(printf '%s\n' "${wall[@]}" | median)
    other=$(printf '%s\n' "${other[@]}" | median)
    record "$1" "$own" iterations/s "PyTorch with 1 thread: $other" "$(ratio "$own" "$other")"
    record "$1_wall" "$wall" iterations/s "PyTorch with 1 thread: $other" "$(ratio "$wall" "$other")"
}

compare hyperclean_single_1_thread 1 1
compare hyperclean_batch_256_2_threads 256 2

# Floating-point operations of an iteration of batch 256, K = 10: (k+3) products with y at two
# points, k+1 with v, k+2 sums of rows of which one is at one point only; k is 4.5 on average. The
# machine's speed is that of numpy's product of two matrices of 2,000.
gflops=$(ours 256 2 | awk -F, '{ rows = 2 * 256 * 785 * 20 * (7.5 + 5.5 + 6); printf "%.1f", $1 * rows * 1e-9 }')
sgemm=$(OPENBLAS_NUM_THREADS=2 /usr/bin/python3 -c '
import numpy, time
a = numpy.ones((2000, 2000), numpy.float32); best = 0
for _ in range(20):
    t = time.perf_counter(); a @ a; best = max(best, 16 / (time.perf_counter() - t))
print("%.1f" % best)')
record hyperclean_batch_256_gflops "$gflops" GFLOP/s "sgemm best of 20: $sgemm" "$(ratio "$gflops" "$sgemm" 2)"

lines=$("$bin" size 5)
small=$(sed -n 1p <<< "$lines" | cut -d, -f 2)
large=$(sed -n 2p <<< "$lines" | cut -d, -f 2)
record hyperclean_5M_rows "$large" s/iteration "50k rows: $small" "$(ratio "$large" "$small" 3)"

lines=$("$bin" terms 5)
few=$(sed -n 1p <<< "$lines" | cut -d, -f 2)
many=$(sed -n 2p <<< "$lines" | cut -d, -f 2)
record hyperclean_single_200_terms "$many" s/row "K = 10: $few" "$(ratio "$many" "$few" 2)"
