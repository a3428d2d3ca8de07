# What does not fit into --max-memory is refused by every command that reads data, with one
# sentence, and nothing is left behind; what fits is done.
needs python3
model=$CASES/../../examples/fewshot.safetensors
awk 'BEGIN { srand(1); for (i = 0; i < 20000; i++) { printf "%d", i % 3; for (j = 1; j <= 8; j++) printf " %d:%.3f", j, rand() + (i % 3 == j); print "" } }' > data.libsvm
head -n 300 data.libsvm > few.libsvm
"$SUSTAIN" tune --features few.libsvm --penalty single --iterations 2 --out earlier --quiet > /dev/null
python3 "$CASES/support/stripes.py" photos 2 0
"$SUSTAIN" meta train --dataset generated --size 16 --width 4 --ways 3 --shots 2 --queries 2 --tasks 2 --validation-tasks 2 --test-tasks 2 --iterations 2 --out backbone --quiet > /dev/null
ls > before
try() {
    limit=$1
    shift
    "$SUSTAIN" "$@" --quiet --max-memory "$limit" 2>&1 > /dev/null | sed 's/[0-9.e-]* GB/N GB/g'
    echo "$1 $2: exit ${PIPESTATUS[0]}"
}
try 0.009 tune --features data.libsvm --out run # 10 MB for fits
try 0.006 tune --features data.libsvm --penalty feature --folds 20 --solver hoag --iterations 2 --out run # 12 MB
try 0.01 compare tune --features data.libsvm --solvers sustain --budget 10 --runs 1 --threads 8 --out run # 8 times 3 MB
try 0.003 predict earlier/model.safetensors data.libsvm --json # a JSON object
try 0.001 data pack data.libsvm --out packed.safetensors
try 0.001 meta embed "$model" photos --out photos.npy
try 0.001 meta adapt "$model" --support photos --query photos --out adapted.csv
try 0.001 meta eval backbone --tasks 100000
ls | grep -v -x -F -f before
try 0.02 tune --features few.libsvm --splines off --out run
try 0.003 predict earlier/model.safetensors data.libsvm --out predicted.csv
try 0.008 data pack data.libsvm --out packed.safetensors # 5 MB
try 0.014 meta embed "$model" photos --threads 1 --out photos.npy # 12 MB
try 0.002 meta adapt "$model" --support photos --query photos --threads 1 --out adapted.csv # 1 MB

# report: from the sizes of the files of all runs together
cp -r earlier large
head -c 400000 /dev/zero | tr '\0' ' ' > large/metrics.jsonl
page() {
    "$SUSTAIN" report "$@" -o page.html 2>&1 | sed 's/[0-9.e-]* GB/N GB/g'
    echo "report: exit ${PIPESTATUS[0]}, $(ls page.html 2> /dev/null)"
}
page large large --max-memory 0.001
page large --max-memory 0.001

# What demo and rates take does not depend on their options: no limit is needed. (The address
# sanitizer keeps what was freed unless told otherwise.)
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}quarantine_size_mb=0
python3 - "$SUSTAIN" <<'END'
import os, subprocess, sys
def peak(*words):
    child = subprocess.Popen([sys.argv[1], *words, "--quiet", "--out", "of-" + words[0]], stdout=subprocess.DEVNULL)
    return os.wait4(child.pid, 0)[2].ru_maxrss / 1024
demo = peak("demo", "--iterations", "100", "--runs", "200") - peak("demo", "--iterations", "100", "--runs", "1")
rates = ["rates", "--quick", "--solvers", "sustain,soba", "--cost", "off", "--runs", "2", "--budget", "0.01", "--threads"]
threads = peak(*rates, "8") - peak(*rates, "1")
print("demo:", "the same" if demo < 4 else f"{demo:.1f} MB more", "for 200 runs; rates:", "the same" if threads < 4 else f"{threads:.1f} MB more", "for 8 threads")
END
