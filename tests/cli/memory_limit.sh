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
try 0.02 tune --features few.libsvm --out run
try 0.003 predict earlier/model.safetensors data.libsvm --out predicted.csv
