#!/usr/bin/env bash
# fewshot.sh [ROUNDS] - a head adapted to 25 pictures of five classes by libsustain-device.a, beside
# the same in PyTorch (bench/yardsticks/fewshot_torch.py), both with one thread, in turn, ROUNDS
# times (5): medians of milliseconds of the processor. And the size of the library. Appends rows to
# bench/results.csv. Needs python3-torch.
set -euo pipefail
cd "$(dirname "$0")/.."
rounds=${1:-5}
out=bench/results.csv
commit=$(git rev-parse --short HEAD 2> /dev/null || echo unknown)
machine="$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2> /dev/null | head -n 1 | tr -d ',') x $(nproc)"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
[ -s "$out" ] || echo "date,commit,machine,benchmark,value,unit,against,ratio" > "$out"

record() { # benchmark value unit against ratio
    echo "$(date +%F),$commit,$machine,$1,$2,$3,$4,$5" | tee -a "$out"
}
median() { sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# As it is for a device: for any processor of its kind.
cmake -S . -B "$dir/small" -DSUSTAIN_DEVICE_ONLY=ON -DCMAKE_BUILD_TYPE=Release > "$dir/log"
cmake --build "$dir/small" >> "$dir/log"
cc -O2 -Iinclude examples/fewshot.c "$dir/small/libsustain-device.a" -lm -Wl,--gc-sections -s -o "$dir/fewshot"
record fewshot_library_size "$(wc -c < "$dir/small/libsustain-device.a")" bytes "the example with it stripped: $(wc -c < "$dir/fewshot")" -

compare() { # size width
    build/release/sustain meta train --dataset generated --size "$1" --width "$2" --method itd-bio --iterations 1 --tasks 1 --validation-tasks 1 --test-tasks 1 \
        --out "$dir/$1x$2" --quiet > "$dir/log"
    for _ in $(seq "$rounds"); do
        { "$dir/fewshot" "$dir/$1x$2/model.safetensors" || true; } | sed 's/.*adapted in \([0-9.]*\) ms.*/\1/' >> "$dir/own.$1" # hardly trained: it may be wrong
        /usr/bin/python3 bench/yardsticks/fewshot_torch.py "$1" "$2" >> "$dir/other.$1"
    done
    local own other
    own=$(median < "$dir/own.$1") other=$(median < "$dir/other.$1")
    record "fewshot_adapt_$1x$1_width_$2" "$own" "ms of a processor" "PyTorch with 1 thread: $other" "$(awk -v a="$other" -v b="$own" 'BEGIN { printf "%.2f", a / b }')"
}

compare 84 32
compare 32 64
