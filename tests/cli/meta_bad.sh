# One sentence each, exit code 2, nothing written.
try() {
    "$SUSTAIN" meta train "$@" --out run 2>&1
    echo "exit code $?"
    [ ! -e run ] || echo "something was written"
}
"$SUSTAIN" meta 2>&1
"$SUSTAIN" meta tran 2>&1
try
try --dataset generated --images .
try --dataset generatd
try --dataset generated --method mamal
try --dataset generated --method anil --hypergradient exact
try --dataset generated --method itd-bio --first-order
try --dataset generated --method prototype --hypergradient exact
try --dataset generated --method anil --solver soba
try --dataset generated --solver sober
try --dataset generated --solver soba --set alfa=1
try --dataset generated --solver soba --lambda 0
try --dataset generated --hypergradient unroll --tolerance 0.1
try --dataset generated --hypergradient exact --lambda 0
try --dataset generated --ways 200
try --dataset generated --shots 200
try --dataset generated --test-queries 200
try --dataset generated --size 8
try --dataset fc100 --data-dir .
try --images missing
mkdir -p photos/cat
printf 'no picture' > photos/cat/1.png
try --images photos
"$SUSTAIN" meta eval nowhere 2>&1
"$SUSTAIN" meta eval 2>&1
small="--dataset generated --size 16 --ways 3 --shots 2 --queries 2 --tasks 2 --validation-tasks 2 --test-tasks 2 --iterations 1 --quiet"
"$SUSTAIN" meta train $small --width 4 --out four > /dev/null
"$SUSTAIN" meta train $small --width 5 --out five > /dev/null
cp five/checkpoint.safetensors four/
"$SUSTAIN" meta train --out four --resume --quiet 2>&1
head -c 3000 five/model.safetensors > four/model.safetensors
"$SUSTAIN" meta eval four 2>&1
cp four/checkpoint.safetensors four/model.safetensors
"$SUSTAIN" meta eval four 2>&1
"$SUSTAIN" meta train $small --local-steps 4 2>&1
"$SUSTAIN" meta train $small --solver soba --local-steps 4 2>&1
"$SUSTAIN" meta eval five --size 32 2>&1
echo "exit code $?"
