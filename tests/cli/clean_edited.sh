# Files as people and spreadsheets write them: what is meant is understood, and what would be
# misunderstood without a word is refused.
awk 'BEGIN { srand(7); print "id,x,z,kind" > "data.csv"; print "id,truth" > "true.txt"
    for (i = 0; i < 150; i++) { k = i % 3; given = i % 10 ? k : (k + 1) % 3
        print "u" i "," 3 * k + rand() "," rand() - 3 * k "," given + 1 > "data.csv"
        print "u" i "," k + 1 > "true.txt"
        if (i % 4 == 0) print i "," k + 1 > "pairs" } }'
clean() { "$SUSTAIN" clean --threads 1 --features data.csv --label-column kind --id-column id --out run --quiet "$@" 2>&1 | grep -v 'warning: no label'; }
wrong() { clean "$@" --json | sed -n 's/[.,].*//; s/^  "\(verified\|estimated_errors\)": /\1 /p'; }
echo "--- what is meant"
(echo row,label; cat pairs) > checked.csv && wrong --verified checked.csv
(printf 'sep=;\r\nrow;label\r\n'; sed 's/,/;/; s/$/\r/' pairs; printf ';\r\n;\r\n') > excel.csv && wrong --verified excel.csv
(echo row,label; sed 's/$/.0/' pairs) > pandas.csv && wrong --verified pandas.csv
(echo row,label; sed 's/,/.0,/' pairs) > floats.csv && wrong --verified floats.csv
(echo row,label; cat pairs; echo '1,'; echo '2,') > begun.csv && wrong --verified begun.csv
awk -F, 'NR == FNR { right[$1] = $2; next } FNR == 1 { print $0 ",checked"; next } { print $0 "," (FNR - 2 in right ? right[FNR - 2] ".0" : "") }' \
    pairs data.csv > column.csv
"$SUSTAIN" clean --features column.csv --label-column kind --ignore-column id --verified-column checked --out run --quiet --json |
    sed -n 's/[.,].*//; s/^  "\(verified\|estimated_errors\)": /\1 /p'
(echo ,row,label; awk '{ print NR - 1 "," $0 }' pairs) > indexed.csv # as pandas writes it
"$SUSTAIN" clean --features data.csv --label-column kind --ignore-column id --verified indexed.csv --out run --quiet --json |
    sed -n 's/[.,].*//; s/^  "\(verified\|estimated_errors\)": /\1 /p'
(head -1 true.txt; tail -n +2 true.txt | tac) > turned.csv
clean --truth turned.csv --json | sed -n 's/^  "\(errors\|label_error_auc\)": /\1 /p'
echo "--- what is refused"
(echo row,label,note; sed 's/$/,/; 5s/$/"to be continued/' pairs) > open.csv && clean --verified open.csv
awk -F, 'NR > 1 { print NR - 1 "," $1 "," $2 }' true.txt | (echo row,id,label; cat) > from_one.csv && clean --verified from_one.csv
tail -n +2 turned.csv | (echo id,truth; tail -n +2) > short.csv && clean --truth short.csv
sed 's/$/.5/; 1s/.*/id,truth/' turned.csv > fractions.csv && clean --truth fractions.csv
cut -d, -f2 fractions.csv > fractions.txt && clean --verified fractions.txt
cut -d, -f1-3 data.csv > features.csv && cut -d, -f1,4 data.csv > labels.csv && (head -1 labels.csv; sed 1d labels.csv | sort) > sorted.csv
for verb in clean tune; do "$SUSTAIN" $verb --features features.csv --labels sorted.csv --label-column kind --id-column id --out run --quiet 2>&1; done
"$SUSTAIN" clean --features features.csv --labels labels.csv --label-column kind --id-column id --out run --quiet 2>/dev/null | grep look
tr '\n' '\r' < checked.csv > mac.csv && clean --verified mac.csv
awk -F, -v OFS=, 'NR > 1 { $4 = $4 > 1 ? 1 : -1 } 1' data.csv > signs.csv
awk -F, 'NR > 1 { print (NR % 4 ? -1 : $2 > 1 ? 1 : -1) }' true.txt > signs.txt
"$SUSTAIN" clean --features signs.csv --label-column kind --ignore-column id --verified signs.txt --out run --quiet 2>&1
awk -F, 'NR > 1 { print (NR % 4 == 2 ? $2 > 1 ? 1 : -1 : "") }' true.txt | (echo label; cat) > signs_empty.csv
"$SUSTAIN" clean --features signs.csv --label-column kind --ignore-column id --verified signs_empty.csv --out run --quiet --json 2>/dev/null | grep '"verified"'
printf '\377\376r\0o\0w\0' > wide.csv && clean --verified wide.csv
awk -F, 'NR > 1 { print $1 ",,1" }' true.txt | (echo id,kind,label; cat) > all.csv && clean --verified all.csv
(echo id,kind,right,note; awk -F, 'FNR > 1 && FNR < 40 { print $1 "," $4 "," ($4 % 3 + 1) ",seen" }' data.csv) > beside.csv && clean --verified beside.csv | grep warning
for first in 1 2; do
    (echo row,label; awk -F, -v first=$first '{ print $1 + first "," $2 }' pairs | head -n 36) > counted.csv
    "$SUSTAIN" clean --features data.csv --label-column kind --ignore-column id --out run --quiet --verified counted.csv 2>&1 | grep warning
done
"$SUSTAIN" clean --features data.csv --label-column kind --ignore-column id --out run --quiet --verified checked.csv 2>&1 | grep warning
echo "--- a review"
awk -F, -v OFS=, 'NR > 1 { $4 *= 10 } 1' data.csv > tens.csv
"$SUSTAIN" clean --threads 1 --features tens.csv --label-column kind --ignore-column id --out review --quiet 2>/dev/null >/dev/null
run=$(grep -o '"r[0-9a-f]\{16\}"' review/result.json | tr -d '"' )
printf 'run;row;given;decision;label\r\n%s;1;20;class;1\r\n' "$run" > decisions.csv
"$SUSTAIN" clean --out review --reviewed decisions.csv --quiet 2>&1 | sed "s,$PWD/,,"
printf 'run;row;given;decision;label\r\n%s;1;20;class;10.0\r\n;;;;\r\n' "$run" > decisions.csv
"$SUSTAIN" clean --out review --reviewed decisions.csv --quiet 2>/dev/null >/dev/null; cat review/verified.csv
for line in '1;20;keep;10' '1.0;20;keep;20'; do
    printf 'run;row;given;decision;label\r\n%s;%s\r\n' "$run" "$line" > decisions.csv
    "$SUSTAIN" clean --out review --reviewed decisions.csv --quiet 2>&1 | grep decisions
done
cat review/verified.csv
printf 'run;row;given;decision;label\r\n%s;1;20;class;10\r\n%s;2;30;class;gr\374n\r\n' "$run" "$run" > decisions.csv
"$SUSTAIN" clean --out review --reviewed decisions.csv --quiet 2>&1
echo "--- an annotator twice"
(echo row,annotator,label; sed 's/,/,ann,/' pairs; echo 4,ann,2; echo 4,ann,3) > annotations.csv && clean --annotations annotations.csv | grep annotator
echo "--- an annotator written in two ways"
for name in ann Ann '" ann"'; do
    (echo row,annotator,label; awk -F, -v name="$name" '{ print $1 "," (NR % 2 ? "ann" : name) "," $2 }' pairs) > annotations.csv
    clean --annotations annotations.csv --json > said.json
    grep -o 'warning: The annotators.*\|^ .*The annotators.*' said.json
done
