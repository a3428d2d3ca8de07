#!/usr/bin/env bash
# run.sh [NAME...] - libsustain and libsustain-device on other machines, emulated by qemu, and with
# another C library.
#
# On each: both are built without warnings; the kernels and the layers of few-shot learning agree
# with the plain ones; every solver runs, saves its state and goes on (tests/elsewhere/elsewhere.c),
# and so does few-shot training (training.c); a model with splines and Fourier features is selected
# (models.c); the states and models that this machine wrote are read there, those from there are
# read here, and all ends agree to three digits (rounding differs, and grows with the iterations);
# the few-shot example learns its classes from the model in the repository. A machine whose compiler
# or emulator is missing is skipped.

cd "$(dirname "$0")/../.." || exit 2
out=$(realpath -m build/elsewhere)
passed=0 failed=0 skipped=0

# name | compiler | emulator | processor for CMake | flags
machines='x86-64-avx2 | gcc | | x86_64 |
x86-64 | gcc | qemu-x86_64-static -cpu Nehalem | x86_64 |
clang | clang | | x86_64 |
i686 | i686-linux-gnu-gcc | qemu-i386-static | i686 |
aarch64 | aarch64-linux-gnu-gcc | qemu-aarch64-static | aarch64 |
armhf | arm-linux-gnueabihf-gcc | qemu-arm-static | arm |
s390x | s390x-linux-gnu-gcc | qemu-s390x-static | s390x |
musl | musl-gcc | | x86_64 |'

# build NAME COMPILER PROCESSOR FLAGS
build() {
    for part in CORE DEVICE; do
        cmake -S . -B "$out/$1/$part" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER="$2" -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="$3" \
            -DCMAKE_C_FLAGS="$4" -DSUSTAIN_${part}_ONLY=ON -DBUILD_TESTING=OFF -DCMAKE_COMPILE_WARNING_AS_ERROR=ON &&
            cmake --build "$out/$1/$part" || return
    done
    # The layers are those of the device; contexts, with threads, those of the optimizer.
    local core="$out/$1/CORE/libsustain.a" device="$out/$1/DEVICE/libsustain-device.a" layers=
    nm "$device" | grep -q 'D sustain__layers_winograd' && layers=-DSUSTAIN__WINOGRAD
    local compile="$2 $4 -std=c11 -O2 -ffp-contract=off -static -Iinclude -Isrc $layers"
    $compile tests/elsewhere/elsewhere.c "$core" -lm -pthread -o "$out/$1/elsewhere" &&
        $compile tests/elsewhere/kernels.c "$core" -lm -pthread -o "$out/$1/kernels" &&
        $compile -Itests/elsewhere -Itests/support tests/unit/test_layers_blocked.c tests/support/failing_allocator.c "$core" "$device" -lm -pthread \
            -o "$out/$1/layers" &&
        { [ -z "$layers" ] || $compile tests/elsewhere/layers.c "$device" -lm -o "$out/$1/backbone"; } &&
        $compile tests/elsewhere/training.c src/meta/*.c src/data/task_draw.c "$core" "$device" -lm -pthread -o "$out/$1/training" &&
        # What reads tables, and so needs libraries for compressed files, is left out by the linker.
        $compile -ffunction-sections -Wl,--gc-sections tests/elsewhere/models.c \
            src/jobs/{select_*,splines,fourier,model_features,linear_model,penalized_fit,lasso_fit,precondition}.c \
            src/data/{table_*,csv,csv_field,date,dataset,labels,marked,number,text_terms,totals}.c "$core" -lm -pthread -o "$out/$1/models" &&
        $compile examples/fewshot.c "$device" -lm -o "$out/$1/fewshot"
}

# agree ONE TWO: the same lines, numbers to three digits
agree() {
    awk 'NR == FNR { one[FNR] = $0; n = FNR; next }
         { count = split(one[FNR], a); for (i = 1; i <= count; i++) if (a[i] != $i && !(a[i] ~ /^[0-9.e+-]+$/ && (a[i] - $i) ^ 2 <= 1e-6 * a[i] ^ 2)) { print one[FNR] " | " $0; bad = 1 } }
         END { exit bad || FNR != n || n == 0 }' "$1" "$2"
}

# try WHAT COMMAND...
try() {
    local what=$1
    shift
    if "$@" >"$out/log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED $what"
        tail -20 "$out/log"
    fi
}

run_there() { # EMULATOR NAME STATES HOW
    # shellcheck disable=SC2086
    for program in elsewhere training models; do $1 "$out/$2/$program" "$3" "$4" || return; done >"$out/$2/$4.txt"
}

# The layers against the plain ones, and the bits of the backbone against those here; 77: this
# processor has no others.
run_layers() { # EMULATOR NAME
    # shellcheck disable=SC2086
    $1 "$out/$2/layers"
    local code=$?
    [ $code = 77 ] && return
    # shellcheck disable=SC2086
    [ $code = 0 ] && $1 "$out/$2/backbone" 0 backbone 1 >"$out/$2/bits.txt" && cat "$out/$2/bits.txt" && cmp "$out/x86-64-avx2/bits.txt" "$out/$2/bits.txt"
}

mkdir -p "$out"
while IFS='|' read -r name compiler emulator processor flags; do
    read -r name <<<"$name"
    read -r compiler <<<"$compiler"
    read -r emulator <<<"$emulator"
    read -r processor <<<"$processor"
    read -r flags <<<"$flags"
    [ $# = 0 ] || [[ " $* x86-64-avx2 " == *" $name "* ]] || continue
    if ! command -v "$compiler" >/dev/null || { [ -n "$emulator" ] && ! command -v "${emulator%% *}" >/dev/null; }; then
        skipped=$((skipped + 1))
        echo "skipped: $name: no $compiler, or no ${emulator%% *}"
        continue
    fi
    mkdir -p "$out/$name/states"
    try "$name: build" build "$name" "$compiler" "$processor" "$flags"
    [ -x "$out/$name/elsewhere" ] || continue
    # shellcheck disable=SC2086
    try "$name: kernels" $emulator "$out/$name/kernels"
    try "$name: layers" run_layers "$emulator" "$name"
    try "$name: every solver, few-shot training, tune's models" run_there "$emulator" "$name" "$out/$name/states" write
    try "$name: ends as here" agree "$out/x86-64-avx2/write.txt" "$out/$name/write.txt"
    try "$name: states from here" run_there "$emulator" "$name" "$out/x86-64-avx2/states" read
    try "$name: the ends of those" agree "$out/x86-64-avx2/write.txt" "$out/$name/read.txt"
    try "$name: its states here" run_there "" x86-64-avx2 "$out/$name/states" read
    try "$name: the ends of those here" agree "$out/x86-64-avx2/write.txt" "$out/x86-64-avx2/read.txt"
    # shellcheck disable=SC2086
    try "$name: few-shot" $emulator "$out/$name/fewshot"
done <<<"$machines"
echo "elsewhere: $passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
