#!/usr/bin/env bash
# instructions.sh - how many instructions of a 64-bit ARM the kernels of src/core/kernels_neon.c
# take, and how many the plain ones do: qemu runs one instruction at a time and writes a line for
# each.

cd "$(dirname "$0")/../.." || exit 2
for tool in aarch64-linux-gnu-gcc qemu-aarch64-static; do
    command -v $tool >/dev/null || { echo "skipped: no $tool" && exit 77; }
done
out=$(mktemp -d) || exit 2
trap 'rm -r "$out"' EXIT
aarch64-linux-gnu-gcc -std=c11 -O3 -ffp-contract=off -fno-math-errno -fexcess-precision=fast -static -DNDEBUG -DSUSTAIN__NEON -Iinclude -Isrc \
    tests/elsewhere/instructions.c src/core/kernels.c src/core/kernels_neon.c -lm -o "$out/instructions" || exit 1

# count PLAIN KERNEL KIND TIMES
count() {
    qemu-aarch64-static -singlestep -d nochain,exec "$out/instructions" "$@" 2>&1 | grep -c '^Trace'
}

for kind in 0 1; do
    for kernel in dots gram outer step; do
        for plain in 1 0; do
            start=$(count $plain $kernel $kind 0)
            taken[plain]=$(($(count $plain $kernel $kind 1) - start))
        done
        awk -v kernel=$kernel -v kind=$kind -v plain="${taken[1]}" -v neon="${taken[0]}" \
            'BEGIN { printf "%-5s of %-6s %8d plain %8d NEON %5.1f times fewer\n", kernel, kind ? "bytes" : "floats", plain, neon, plain / neon }'
    done
done
