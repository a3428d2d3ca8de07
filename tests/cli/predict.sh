# A round trip: a model is used on the raw numbers, whatever they were scaled by; labels are text
# where they were text.
. "$CASES/support/json.sh"
python3 "$CASES/support/blobs.py"
clean() { "$SUSTAIN" clean --threads 1 --iterations 1000 --quiet "$@" >/dev/null; }
clean --features data.csv --label-column kind --trusted trusted.csv --test test.csv --out scaled
"$SUSTAIN" predict scaled/model.safetensors test.csv --label-column kind >table 2>accuracy
head -1 table
wc -l <table
tail -n +2 table | cut -d, -f2 | sort -u
awk -F, 'NR > 1 { sum = $4 + $5 + $6; if (sum < 0.999 || sum > 1.001) print "not 1:", $0 }' table
# what the run said of its test set, predict finds again
json test_accuracy <scaled/result.json >there
"$SUSTAIN" predict scaled/model.safetensors test.csv --label-column kind --json | json accuracy >here
diff there here
awk '$1 > 0.8 { print "accurate" }' here
sed -E "s/[0-9]+ of 90 labels predicted \(accuracy 0.[0-9]+\)/fits/" accuracy
# the same rows without labels, and as another file of the same columns
cut -d, -f1-3 test.csv >bare.csv
"$SUSTAIN" predict scaled/model.safetensors bare.csv --out bare.out
cmp table bare.out
# bytes, scaled or not
clean --features pictures.idx --labels labels.idx --trusted-fraction 0.3 --standardize on --out on 2>/dev/null
clean --features pictures.idx --labels labels.idx --trusted-fraction 0.3 --standardize off --out off 2>/dev/null
for run in on off; do
    "$SUSTAIN" predict $run/model.safetensors pictures.idx --labels labels.idx --json | json accuracy | awk -v run=$run '{ print run, ($1 > 0.9) }'
done
