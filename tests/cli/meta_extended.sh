# A run that was extended keeps the model of a run that was not, whatever the validation at the end
# of the shorter one said; and its training loss.
# long
small="--dataset generated --size 16 --width 4 --ways 3 --shots 2 --queries 2 --tasks 4 --validation-tasks 5 --test-tasks 10 --test-queries 4 --patience 0 --validate-every 4 --option 1 --quiet --threads 1"
# shellcheck disable=SC2086
for seed in 0 1; do
    "$SUSTAIN" meta train $small --seed $seed --iterations 7 --out whole-$seed >/dev/null
    for end in 5 6; do
        "$SUSTAIN" meta train $small --seed $seed --iterations $end --out parts-$seed >/dev/null
        "$SUSTAIN" meta train --iterations 7 --out parts-$seed --resume --quiet --threads 1 >/dev/null
        cmp whole-$seed/model.safetensors parts-$seed/model.safetensors && echo "the same model"
        diff <(grep '"train_\|"best_' whole-$seed/result.json) <(grep '"train_\|"best_' parts-$seed/result.json) && echo "the same means"
    done
done | sort | uniq -c
