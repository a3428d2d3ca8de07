# Every key that programs rely on; squared loss has no accuracy; a run without test rows has null
# for both.
needs python3
awk 'BEGIN { srand(8); for (i = 0; i < 200; i++) { a = rand() - .5; b = rand() - .5; print (2 * a + .1 * rand()) " 1:" a " 3:" b } }' > data.libsvm
"$SUSTAIN" tune --features data.libsvm --penalty feature --loss squared --test data.libsvm --threads 1 --out run --json > squared.json
awk 'BEGIN { srand(9); for (i = 0; i < 200; i++) { a = rand() - .5; b = rand() - .5; print (a > 0 ? (b > 0 ? 3 : 2) : 1) " 1:" a " 2:" b } }' > classes.libsvm
"$SUSTAIN" tune --features classes.libsvm --penalty class --threads 1 --out run2 --json > softmax.json
python3 - << 'END'
import json
for name in ("squared.json", "softmax.json"):
    d = json.load(open(name))
    for key in ("upper_loss", "hypergradient_norm_squared", "test_loss", "test_accuracy", "iterations", "seconds", "iterations_per_second"):
        value = d[key]
        print(name, key, "null" if value is None else "number" if value == value and value >= 0 else "wrong")
    print(name, sorted(d["counts"]), sorted(d["baselines"]), d["data"]["loss"], d["penalties"], len(d["baselines"]["path"]))
    print(d["upper_loss"] <= d["baselines"]["best_single_penalty"]["upper_loss"] + 1e-3)
END
