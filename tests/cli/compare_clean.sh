# Hyper-cleaning and penalties: what is measured, against the model that another command makes; runs
# that are there are not computed again.
needs python3
python3 "$CASES/support/blobs.py"
"$SUSTAIN" compare clean --features x.npy --labels y.npy --trusted tx.npy --trusted-labels ty.npy --noise 0.2 --solvers soba:batch=16,auto --runs 2 --seed 5 --x iterations --budget 300 --quiet --out cmp
touch cmp/kept
sleep 0.01
"$SUSTAIN" compare clean --features x.npy --labels y.npy --trusted tx.npy --trusted-labels ty.npy --noise 0.2 --solvers soba:batch=16,auto --runs 3 --seed 5 --x iterations --budget 300 --quiet --out cmp >/dev/null
echo "computed: $(find cmp -name metrics.jsonl -newer cmp/kept | sort | tr '\n' ' ')"
"$SUSTAIN" compare clean --features x.npy --labels y.npy --trusted tx.npy --trusted-labels ty.npy --noise 0.2 --solvers soba:batch=16 --runs 1 --seed 5 --x iterations --budget 200 --quiet --out cmp >/dev/null
echo "lines of a shorter one: $(tail -1 cmp/soba-batch=16/seed-5/metrics.jsonl | cut -c1-17)"
"$SUSTAIN" compare tune --features data.libsvm --solvers hoag,sustain:batch=8:direction=adam --runs 2 --budget 2000 --json --out tune | python3 -c '
import json, sys
data = json.load(sys.stdin)
print(data["task"], [m["key"] for m in data["metrics"]], len(data["panels"]), data["runs"])
for curve in data["panels"][0]["curves"]:
    first, last = curve["points"][0], curve["points"][-1]
    assert last["upper_loss"]["mean"] < first["upper_loss"]["mean"] and last["gradients"] <= 2000, curve["label"]
'
