# Given labels in the place of trusted ones share the errors of the others: the ranking does not use
# them, and is not worse for them.
# long
. "$CASES/support/json.sh"
"$SUSTAIN" clean --dataset generated --split 3000:500 --noise 0.3 --trusted-fraction 0.1 --seed 3 --iterations 100 --json --out run 2>/dev/null >run.json
json ranking <run.json
python3 -c "import json
run = json.load(open('run.json'))
ours, rival = run['label_error_auc'], run['baselines']['self_confidence']['auc']
print('as good' if ours >= rival - 0.0005 else (ours, rival))"
