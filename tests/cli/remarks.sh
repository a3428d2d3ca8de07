# What the program says of how it read data is in "remarks" of the JSON and on the page, also with
# --quiet; warnings likewise.
awk 'BEGIN { srand(3); print "x,price,none,kind,amount"
    for (i = 0; i < 90; i++) { k = i % 3; print k + rand() ",\"1," 100 + i "\",," substr("abc", (i % 10 == 0 ? (k + 1) % 3 : k) + 1, 1) "," i * 1.5 } }' > data.csv
show() { python3 -c "import json,sys; o = json.load(open(sys.argv[1])); print(*o['warnings'], *o['remarks'], sep='\n')" "$1"; }
needs python3
echo "--- clean"
"$SUSTAIN" clean --features data.csv --label-column kind --ignore-column amount --out run --quiet > /dev/null 2>&1
show run/result.json
grep -c 'How the data were read' run/report.html
echo "--- tune"
"$SUSTAIN" tune --features data.csv --label-column amount --ignore-column kind --out tuned --quiet --json 2>&1 > tuned.json
show tuned.json
cmp tuned.json tuned/result.json
grep -c 'How the data were read' tuned/report.html
echo "--- predict"
sed '1!s/^[^,]*,/,/' data.csv > holes.csv
"$SUSTAIN" predict run/model.safetensors holes.csv --quiet --json > predicted.json
show predicted.json
echo "--- warnings of probabilities"
awk 'BEGIN { for (i = 0; i < 60; i++) { k = i % 5; print substr("abcde", k + 1, 1) > "y.txt"
    for (j = 0; j < 5; j++) printf "%s%s", (j == (k < 2 ? 1 - k : k) ? .6 : .1), j < 4 ? "," : "\n" > "p.csv" } }'
"$SUSTAIN" clean --labels y.txt --pred-probs p.csv --out own --quiet 2>&1 | grep -c exchanged
show own/result.json
