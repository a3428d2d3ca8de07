#!/usr/bin/env bash
# meta.sh [ROUNDS [PATTERN]] - an iteration of few-shot learning beside the same in PyTorch
# (bench/yardsticks/meta_torch.py): seconds, memory, share of sgemm's speed. Appends rows to
# bench/results.csv. Both run with 1 thread and with as many as there are processors, in turn,
# ROUNDS times (3); medians, each at its best number of threads. PATTERN: only names that match. On
# a machine that does other things too, trust the rows *_processor: seconds of the processors, with
# one thread.
#
# The rows sustain_* need no PyTorch: an iteration of `sustain` beside one of `itd-bio`; their ratio
# is cost, not speed.
#
# Needs python3-torch and numpy.
set -euo pipefail
cd "$(dirname "$0")/.."
rounds=${1:-3} pattern=${2:-.}
bin=build/release/bench/meta
out=bench/results.csv
commit=$(git rev-parse --short HEAD 2> /dev/null || echo unknown)
processors=$(nproc)
machine="$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2> /dev/null | head -n 1 | tr -d ',') x $processors"
[ -s "$out" ] || echo "date,commit,machine,benchmark,value,unit,against,ratio" > "$out"

record() { # benchmark value unit against ratio
    echo "$(date +%F),$commit,$machine,$1,$2,$3,$4,$5" | tee -a "$out"
}
median() { sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }
lower() { printf '%s\n' "$@" | sort -g | head -n 1; }

ours() { "$bin" "$@" | cut -d, -f 1-3; }
torch() { # the same arguments
    local method=$1
    /usr/bin/python3 bench/yardsticks/meta_torch.py "${method/-/}" "${@:2}" | tail -n 1
}

sgemm=$(OPENBLAS_NUM_THREADS=1 /usr/bin/python3 -c '
import numpy, time
a = numpy.ones((1000, 1000), numpy.float32); best = 0
for _ in range(50):
    t = time.process_time(); a @ a; best = max(best, 2 / (time.process_time() - t))
print("%.1f" % best)')

# Floating-point operations by definition (Winograd's algorithm needs fewer, so the share of sgemm's
# speed may exceed 1) of the convolutions of a first-order iteration: forward, and two backward but
# one for the pictures.
gflop() { # size width tasks
    awk -v s="$1" -v w="$2" -v tasks="$3" 'BEGIN {
        c = 3
        for (l = 0; l < 4; l++) { total += (l ? 3 : 2) * 18 * s * s * c * w; c = w; s = int(s / 2) }
        printf "%.3f", total * 50 * tasks * 1e-9 }'
}

compare() { # name method size width tasks inner iterations
    local name=$1 work=("${@:2}") own=() other=() threads
    grep -q "$pattern" <<< "$name" || return 0
    local dir
    dir=$(mktemp -d)
    for _ in $(seq "$rounds"); do
        for threads in 1 "$processors"; do
            ours "${work[@]}" "$threads" >> "$dir/own.$threads"
            torch "${work[@]}" "$threads" >> "$dir/other.$threads"
        done
    done
    for threads in 1 "$processors"; do
        own+=("$(cut -d, -f 1 "$dir/own.$threads" | median)")
        other+=("$(cut -d, -f 1 "$dir/other.$threads" | median)")
    done
    local best_own best_other busy_own busy_other
    best_own=$(lower "${own[@]}") best_other=$(lower "${other[@]}")
    record "meta_$name" "$best_own" s/iteration "PyTorch at its best number of threads: $best_other" "$(ratio "$best_other" "$best_own")"
    busy_own=$(cut -d, -f 2 "$dir/own.1" | median) busy_other=$(cut -d, -f 2 "$dir/other.1" | median)
    record "meta_${name}_processor" "$busy_own" s/iteration "PyTorch with 1 thread: $busy_other" "$(ratio "$busy_other" "$busy_own")"
    if [ "$2" = maml ]; then
        local memory_own memory_other
        memory_own=$(cut -d, -f 3 "$dir/own.$processors" | median) memory_other=$(cut -d, -f 3 "$dir/other.$processors" | median)
        record "meta_${name}_memory" "$memory_own" bytes "PyTorch: $memory_other" "$(ratio "$memory_other" "$memory_own")"
    else
        local speed
        speed=$(ratio "$(gflop "$3" "$4" "$5")" "$busy_own")
        record "meta_${name}_gflops" "$speed" GFLOP/s "sgemm with 1 thread: $sgemm" "$(ratio "$speed" "$sgemm")"
    fi
    rm -rf "$dir"
}

# What the options of sustain cost beside itd-bio, step by step in turn, in seconds of the
# processor.
options() { # size width tasks
    local name="sustain_$1x$1_width_$2" other run seconds ratio
    grep -q "$pattern" <<< "$name" || return 0
    while IFS=, read -r run seconds ratio; do
        if [ "$run" = itd_bio ]; then
            other=$seconds
        else
            record "meta_${name}_${run}_processor" "$seconds" s/iteration "itd-bio in turn: $other" "$ratio"
        fi
    done < <(build/release/bench/meta_options "$1" "$2" "$3" $((10 * rounds + 1)))
}

compare anil_32x32_width_32 anil 32 32 32 10 2
compare anil_32x32_width_64 anil 32 64 32 10 1
compare anil_84x84_width_32 anil 84 32 32 10 1
compare itd_bio_32x32_width_32 itd-bio 32 32 32 10 2
compare itd_bio_32x32_width_64 itd-bio 32 64 32 10 1
compare itd_bio_84x84_width_32 itd-bio 84 32 32 10 1
compare maml_32x32_width_32 maml 32 32 8 10 1
compare maml_84x84_width_32 maml 84 32 2 10 1
options 32 32 8
options 84 32 2
