# Three classes from three pictures of each: the table, CSV, JSON; an answer does not depend on what
# else is asked.
needs python3
model=$CASES/../../examples/fewshot.safetensors
python3 "$CASES/support/stripes.py" photos 3 0
python3 "$CASES/support/stripes.py" new 2 3
"$SUSTAIN" meta adapt "$model" --support photos --query new
"$SUSTAIN" meta adapt "$model" --support photos --query new --csv --quiet > all.csv
"$SUSTAIN" meta adapt "$model" --support photos --query new/lying/4.png new/standing/3.png --out some.csv --quiet
head -n 1 some.csv
for threads in 1 2 3 8; do
    "$SUSTAIN" meta adapt "$model" --support photos --query new new new new --csv --quiet --threads $threads > "$threads.csv"
    cmp 1.csv "$threads.csv"
done
wc -l < 8.csv
sed 1d some.csv | while read -r line; do grep -cxF "$line" all.csv; done
"$SUSTAIN" meta adapt "$model" --support photos --query new --transductive --json | python3 -c '
import json, sys
r = json.load(sys.stdin)
print(r["method"], r["classes"], r["support"], r["transductive"], r["accuracy"], r["adapt_milliseconds"] > 0)
print(len(r["queries"]), sorted(r["queries"][0]), all(abs(sum(q["probabilities"]) - 1) < 1e-5 for q in r["queries"]))'
