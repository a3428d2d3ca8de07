# --method auto: the method that is best on the validation tasks trains, as if it had been given.
small="--dataset generated --size 16 --width 4 --ways 3 --shots 2 --queries 2 --tasks 4 --validation-tasks 20 --test-tasks 5 --test-queries 4 --validate-every 4 --quiet"
# shellcheck disable=SC2086
"$SUSTAIN" meta train $small --iterations 6 --method auto --out run > /dev/null
cat > best.py << 'END'
import json
r = json.load(open("run/result.json"))
best = max(r["tried"], key=lambda t: t["validation_accuracy"])
print(len(r["tried"]), r["method"] == best["method"], r["options"]["method"] == best["method"])
print(r["method"], file=open("best.txt", "w"))
END
python3 best.py
# shellcheck disable=SC2086
"$SUSTAIN" meta train $small --iterations 6 --method "$(cat best.txt)" --out other > /dev/null
cmp run/model.safetensors other/model.safetensors && echo "the same model"
"$SUSTAIN" meta train --out run --resume --iterations 8 --quiet | tail -n 1
"$SUSTAIN" meta train $small --method auto --solver soba --out none 2>&1
