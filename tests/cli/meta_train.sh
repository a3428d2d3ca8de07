# A small run: what it says, what it writes; eval finds the same as the end of training.
small="--dataset generated --size 16 --width 4 --ways 3 --shots 2 --queries 2 --tasks 4 --validation-tasks 5 --test-tasks 20 --test-queries 4"
"$SUSTAIN" meta train $small --iterations 6 --validate-every 3 --out run
ls run
"$SUSTAIN" meta eval run --tasks 20 --queries 4
"$SUSTAIN" meta eval run --tasks 20 --queries 4 --split validation --quiet
"$SUSTAIN" meta eval run --tasks 1 --queries 4 --quiet # one task has no interval
for method in "anil" "maml" "maml --first-order" "sustain --option 1 --direction plain" "sustain --hypergradient exact" "sustain --hypergradient neumann" "pretrain" "prototype"; do
    "$SUSTAIN" meta train $small --iterations 2 --out other --method $method --quiet
done
