# Every key that programs rely on; eval and the end of training agree; patience and seconds end a
# run; the curve has what was asked for.
needs python3
small="--dataset generated --size 16 --width 4 --ways 3 --shots 2 --queries 2 --tasks 4 --validation-tasks 5 --test-tasks 20 --test-queries 4"
"$SUSTAIN" meta train $small --iterations 4 --validate-every 2 --trace --out run --json > train.json
"$SUSTAIN" meta eval run --tasks 20 --queries 4 --json > eval.json
"$SUSTAIN" meta train $small --outer-step 1e-9 --patience 2 --validate-every 1 --iterations 50 --out patient --json > patient.json
"$SUSTAIN" meta train $small --seconds 0.1 --patience 0 --out timed --json > timed.json
# other pictures, of another size: read as the model wants them
python3 "$CASES/support/stripes.py" photos 6 0
"$SUSTAIN" meta eval run --images photos --split all --tasks 5 --queries 4 --json > other.json
python3 - << 'END'
import json
train, eval_, patient, timed = (json.load(open(name + ".json")) for name in ("train", "eval", "patient", "timed"))
for key in ("iterations", "seconds", "seconds_per_iteration", "tasks_per_second", "train_accuracy", "validation_accuracy", "test_accuracy", "test_interval",
            "peak_memory_bytes", "untrained_accuracy", "centroid_accuracy", "test_accuracy_support_statistics"):
    print(key, "number" if train[key] > 0 else "wrong")
print(train["method"], train["dataset"], train["stopped_by"], train["options"]["inner_steps"], train["options"]["inner_step"], train["options"]["lambda"])
print(train == json.load(open("run/result.json")))
print(all(train["test_" + key] == eval_[key] for key in ("accuracy", "interval", "accuracy_support_statistics")))
other = json.load(open("other.json"))
print(other["source"], other["tasks"], 0 <= other["accuracy"] <= 1, 0 <= other["accuracy_support_statistics"] <= 1)
print(patient["stopped_by"], patient["iterations"], patient["best_iteration"])
print(timed["stopped_by"], timed["seconds"] >= 0.1, timed["iterations"] > 0)
lines = [json.loads(line) for line in open("run/metrics.jsonl")]
print([line["iteration"] for line in lines], ["validation_accuracy" in line and "test_accuracy" in line for line in lines])
END
