#!/usr/bin/env bash
# instructions.sh - how many instructions of a 64-bit ARM the kernels of src/core/kernels_neon.c and
# the layers of src/nn take, and how many the plain ones do.
#
# qemu lists the instructions of each block when it first sees it, and writes a line whenever it
# runs one.

cd "$(dirname "$0")/../.." || exit 2
for tool in aarch64-linux-gnu-gcc qemu-aarch64-static; do
    command -v $tool >/dev/null || { echo "skipped: no $tool" && exit 77; }
done
out=$(mktemp -d) || exit 2
trap 'rm -r "$out"' EXIT
compile="aarch64-linux-gnu-gcc -std=c11 -D_POSIX_C_SOURCE=200809L -O3 -ffp-contract=off -fno-math-errno -fexcess-precision=fast -static -DNDEBUG -Iinclude -Isrc"
$compile -DSUSTAIN__NEON tests/elsewhere/instructions.c src/core/kernels.c src/core/kernels_neon.c -lm -o "$out/instructions" || exit 1
cmake -S . -B "$out/device" -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=aarch64-linux-gnu-gcc -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 \
    -DSUSTAIN_DEVICE_ONLY=ON -DBUILD_TESTING=OFF >/dev/null && cmake --build "$out/device" >/dev/null &&
    $compile -DSUSTAIN__WINOGRAD tests/elsewhere/layers.c "$out/device/libsustain-device.a" -lm -o "$out/layers" || exit 1

# count PROGRAM PLAIN WHAT... TIMES
count() {
    qemu-aarch64-static -d nochain,exec,in_asm "$out/$1" "${@:2}" 2>&1 | awk '
        /^IN:/ { first = 1 }
        /^0x/ { if (first) block = substr($1, 3, length($1) - 3); if (first) size[block] = 0; first = 0; size[block]++ }
        /^Trace/ { split($4, part, "/"); runs[substr(part[2], length(part[2]) - 7)]++ }
        END { for (block in runs) total += runs[block] * size[block]; print total }'
}

# compare TITLE PROGRAM WHAT...
compare() {
    local title=$1 program=$2 plain start taken
    for plain in 1 0; do
        start=$(count "$program" $plain "${@:3}" 0)
        taken[plain]=$(($(count "$program" $plain "${@:3}" 1) - start))
    done
    awk -v title="$title" -v plain="${taken[1]}" -v neon="${taken[0]}" \
        'BEGIN { printf "%-40s %9d plain %9d NEON %5.1f times fewer\n", title, plain, neon, plain / neon }'
}

for kind in 0 1; do
    for kernel in dots gram outer step; do compare "$kernel of $([ $kind = 0 ] && echo floats || echo bytes)" instructions $kernel $kind; done
done
compare "convolution" layers conv
compare "its gradient in the input" layers data
compare "its gradient in the weights" layers weights
compare "normalization, ReLU, pooling, both ways" layers passes
compare "four blocks and their gradient" layers backbone
