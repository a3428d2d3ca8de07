#!/usr/bin/env bash
# cortex_m.sh - builds libsustain-device for a Cortex-M7 without an operating system and runs
# cortex_m.c on an emulated board.

cd "$(dirname "$0")/../.." || exit 2
for tool in arm-none-eabi-gcc qemu-system-arm; do
    command -v $tool >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
out=build/elsewhere/cortex-m
core="-mcpu=cortex-m7 -mthumb -mfpu=fpv5-sp-d16 -mfloat-abi=hard"
cmake -S . -B $out -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=arm-none-eabi-gcc -DCMAKE_SYSTEM_NAME=Generic -DCMAKE_SYSTEM_PROCESSOR=arm \
    -DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY -DCMAKE_C_FLAGS="$core" -DSUSTAIN_DEVICE_ONLY=ON -DBUILD_TESTING=OFF -DCMAKE_COMPILE_WARNING_AS_ERROR=ON >/dev/null &&
    cmake --build $out || exit
printf '.section .rodata\n.global model_bytes, model_end\n.balign 8\nmodel_bytes: .incbin "examples/fewshot.safetensors"\nmodel_end:\n' >$out/model.s
# shellcheck disable=SC2086
arm-none-eabi-gcc $core -std=c11 -O2 -Wall -Wextra -Iinclude tests/elsewhere/cortex_m.c $out/model.s $out/libsustain-device.a -T tests/elsewhere/cortex_m.ld \
    -nostartfiles --specs=nano.specs --specs=nosys.specs -Wl,--gc-sections,--no-warn-rwx-segments -lm -o $out/cortex_m.elf || exit
arm-none-eabi-size $out/cortex_m.elf
timeout 300 qemu-system-arm -M mps2-an500 -icount shift=0 -nographic -semihosting-config enable=on,target=native -kernel $out/cortex_m.elf
