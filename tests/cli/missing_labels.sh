# Rows whose label is missing: refused with their place, or left out; results keep the numbers of
# the rows of the file.
awk 'BEGIN { srand(7); print "x,z,kind" > "data.csv"; print "x,z,y" > "numbers.csv"; print "label" > "labels.txt"; print "x,z" > "features.csv"
    for (i = 0; i < 120; i++) { k = i % 3; x = 3 * k + rand(); z = rand() - 3 * k; none = i == 7 || i == 8 || i == 119
        print x "," z "," (none ? i == 8 ? "NA" : "" : substr("abc", (i % 11 == 5 ? (k + 1) % 3 : k) + 1, 1)) > "data.csv"
        print x "," z "," (none ? "" : x - z) > "numbers.csv"
        print (none ? "" : substr("abc", (i % 11 == 5 ? (k + 1) % 3 : k) + 1, 1)) > "labels.txt"; print x "," z > "features.csv" } }'
table="--features data.csv --label-column kind"
clean() { "$SUSTAIN" clean --threads 1 --out run --quiet "$@" 2>&1 | grep -v 'warning: no label'; }
rows() { cut -d, -f1 run/labels.csv | sed -n '8p; 9p; $p' | tr '\n' ' '; wc -l < run/labels.csv; }
echo "--- refused"
clean $table
clean --features features.csv --labels labels.txt
"$SUSTAIN" tune --features numbers.csv --label-column y --out tuned --quiet 2>&1
sed 's/[abc]$//' data.csv > none.csv && clean --features none.csv --label-column kind --missing-labels drop
echo "--- left out"
clean $table --missing-labels drop | grep 'no label and'
rows
clean --features features.csv --labels labels.txt --missing-labels drop | grep 'no label and'
rows
clean $table --missing-labels drop --trusted-fraction 0.2 --seed 3 | grep 'has no\|have no'
awk -F, 'NR == FNR { given[FNR - 2] = $3; next } FNR > 1 && given[$1] != $2' data.csv run/labels.csv
printf 'row,label\n9,a\n119,c\n' > checked.csv && clean $table --missing-labels drop --verified checked.csv | grep checked.csv
"$SUSTAIN" tune --features numbers.csv --label-column y --missing-labels drop --out tuned --quiet --json 2>&1 | grep 'no label\|"training"'
echo "--- the same as without these rows, but for their numbers"
same() { # OPTIONS, with @ before names of files
    clean ${*//@/} --missing-labels drop --out all | grep 'rows have no'
    clean ${*//@/few-} --out others > /dev/null
    for file in labels cleaned corrected; do
        awk -F, -v OFS=, 'NR > 1 { $1 = $1 - ($1 > 7) - ($1 > 8) } { print }' all/$file.csv | cmp - others/$file.csv
    done
}
awk 'NR > 1 { k = (NR - 2) % 3; print (k == 0 ? .8 : .1) "," (k == 1 ? .7 : .2) "," (k == 2 ? .7 : .1) + 0 }' features.csv |
    awk -F, '{ s = $1 + $2 + $3; print $1 / s "," $2 / s "," $3 / s }' > p.csv
awk -F, 'NR == 1 { print "checked," $0; next } { print (NR % 4 == 0) "," $0 }' data.csv > marked.csv
for file in labels.txt features.csv data.csv marked.csv; do sed '9,10d; 121d' $file > few-$file; done
sed '8,9d; 120d' p.csv > few-p.csv
same --labels @labels.txt --pred-probs @p.csv
same --features @features.csv --labels @labels.txt --pred-probs @p.csv
same --features @marked.csv --label-column kind --trusted-column checked
same --features @marked.csv --label-column kind --trusted-column checked --pred-probs @p.csv
same --features @data.csv --label-column kind --trusted-fraction 0.3 --pred-probs @p.csv
wc -l < all/labels.csv
