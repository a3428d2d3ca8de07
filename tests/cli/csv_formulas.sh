# Class names that a spreadsheet would take for formulas get an apostrophe; a class called -1 is a
# number and gets none. A blank at the end of a name is kept, in quotes.
awk 'BEGIN { srand(3); split("=1+1|@cmd|-1|\"plain \"", name, "|"); print "a,b,kind"
             for (i = 0; i < 400; i++) { k = i % 4; printf "%f,%f,%s\n", 4 * (k % 2) + rand(), 4 * int(k / 2) + rand(), name[k + 1] } }' >data.csv
"$SUSTAIN" clean --features data.csv --label-column kind --trusted-fraction 0.3 --threads 1 --iterations 200 --quiet --out run >/dev/null 2>&1
echo "exit $?"
cut -d, -f2 run/labels.csv | tail -n +2 | sort -u
"$SUSTAIN" predict run/model.safetensors data.csv --label-column kind --quiet | head -1
