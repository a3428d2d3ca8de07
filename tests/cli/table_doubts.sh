# Tables that can be understood in two ways: refused, or it is said how they are understood.
awk 'BEGIN { srand(3); for (i = 0; i < 120; i++) { k = i % 3
    printf "%.2f,%.2f,%s,%s\n", 3 * k + rand(), rand() - 3 * k, i % 2 ? "Rome" : "Oslo", substr("abc", k + 1, 1) } }' > rows
clean() { "$SUSTAIN" clean --threads 1 --out run --features data.csv --label-column "$@" 2>&1 >/dev/null | grep -v 'no label is known\|memory: '; }
of() { (echo "$1"; shift; "$@" rows) > data.csv; }
echo "--- columns"
awk -F, '{ print $3 "," $4 }' rows > data.csv && clean 2 | grep 'first line'
of x,kind,city,kind cat && clean kind
of 0,1,2,3 cat && clean 3 | grep 'number of'
of x,z,city,kind sed 's/$/\r/' && tr -d '\n' < data.csv > mac.csv && mv mac.csv data.csv && clean kind
of x,x,city,kind cat && clean kind
(echo 'Report, third quarter'; echo; echo x,z,city,kind; cat rows) > data.csv && clean kind
(echo 'Report;;;'; echo 'x;z;city;kind'; sed 's/,/;/g' rows) > data.csv && clean kind
of x,z,city,kind cat && clean Rome
echo "--- columns of a model"
(echo x,x,city; sed 's/,[abc]$//; 5q' rows) > same.csv
(echo city,x,x; awk -F, -v OFS=, '{ print $3, $1, $2 } NR == 5 { exit }' rows) > moved.csv
(echo x,city; sed 's/,[^,]*\(,[^,]*\),[abc]$/\1/; 5q' rows) > once.csv
predict() { "$SUSTAIN" predict run/model.safetensors "$@" 2>&1; }
predict same.csv > same.txt; predict moved.csv | cmp - same.txt; predict once.csv
of x,z,city,kind cat && clean kind
(echo x,z,city; echo 1,,Paris; echo 1,2,'"Rome "') > new.csv && predict new.csv | grep column
echo "--- classes"
of x,z,city,kind sed '5s/.$/"& "/; 6,20s/b$/b\xc2\xa0/' && clean kind | grep -c "differ only in blanks"
of x,z,city,kind sed 's/a$/1/; 9,30s/1$/1.0/' && clean kind
echo "--- points and commas"
of 'km,x,kind' awk -F, '{ printf "%s,%s,%s\n", NR % 4 ? NR : NR ".125", $1, $4 }' && clean kind
(echo 'km;x;kind'; awk -F, '{ sub(/[.]/, ",", $1); printf "%s;%s;%s\n", NR % 4 ? NR : NR ".125", $1, $4 }' rows) > data.csv && clean kind
(echo 'km;x'; echo '4.125;0,5'; echo '4125;0,5') > new.csv && predict new.csv | sed 1d | cut -d, -f2- | uniq | wc -l
of x,z,km awk -F, '{ printf "%s,%s,%s\n", $1, $2, NR % 4 ? NR * 7 : NR ".125" }' && "$SUSTAIN" tune --features data.csv --label-column km --out run 2>&1 | grep point
of zip,x,kind awk -F, '{ printf "%05d,%s,%s\n", 900 + NR * 7, $1, $4 }' && clean kind
echo "--- below the last row"
(echo 'x;z;city;kind'; sed 's/,/;/g' rows; printf ';;;\r\n;;;\n') > data.csv && clean kind
(echo 'x;z;city'; sed 's/,/;/g; s/;[abc]$//; 5q' rows) > new.csv && predict new.csv > whole.txt
(cat new.csv; printf ';;\r\n\n ; ;\n') > below.csv && predict below.csv > below.txt
head -1 below.txt && sed 1d below.txt | cmp - whole.txt
sed 's/.*,//; 5q' rows > kinds.csv && predict below.csv --labels kinds.csv | grep predicted
predict below.csv --json | grep '"rows"\|^ .*passed over'
(cat new.csv; printf ';;\nNA;;\n') > below.csv && predict below.csv | tail -2 | cut -d, -f1
(echo 'x;z;city;kind'; sed 's/,/;/g; 9s/.*/;;;/' rows) > data.csv && clean kind
sum() { awk -F, -v column="$1" '{ sum += $column; print } END { print (column == 1 ? sum : "") "," (column == 2 ? sum : "") ",Rome,a" }' "$2"; }
of x,z,city,kind sum 1 && clean kind | grep 'sum of'
of x,z,city,kind sum 2 && "$SUSTAIN" tune --features data.csv --label-column z --out run 2>&1 | grep 'sum of'
of x,z,city,kind sed '5s/.$/#NAME?/' && clean kind
of x,z,city,kind sed '5s/^[^,]*/#NV/; 6s/^[^,]*/#WERT!/; 7s/^[^,]*/#DIV\/0!/; 8s/,[RO][^,]*/,#/' && clean kind
echo "--- not UTF-8"
(echo x,z,city,kind; sed 's/Rome/R\xc3\xb6m/' rows) > data.csv && clean kind
sed 's/\xc3\xb6/\xf6/' data.csv > new.csv && predict new.csv
latin() { LC_ALL=C sed "$@" > data.csv; clean kind; "$SUSTAIN" tune --features data.csv --label-column z --out run --quiet 2>&1; }
(echo x,z,city,kind; sed 's/Rome/R\xf6m/' rows) | latin -n p
(echo x,z,city,kind; cat rows) | latin '1s/city/pa\xefs/'
(echo x,z,price,kind; awk -F, '{ print $1 "," $2 "," NR ".50 e," $4 }' rows) | latin '2,$s/e,/\x80,/'
(echo x,z,name,kind; awk -F, '{ print $1 "," $2 ",J\xf6rg " NR "," $4 }' rows) > data.csv && clean kind --id-column name
echo "--- other marks than those of the training rows"
(echo 'x;z;kind'; awk -F, '{ printf "%s %%;%s;%s\n", $1, $2, $4 }' rows) > data.csv && clean kind
sed 's/ %//' data.csv > new.csv && predict new.csv
echo "--- a word among numbers to predict"
of x,z,price awk -F, '{ printf "%s,%s,%s\n", $1, $2, NR == 50 ? "n.a." : NR % 60 }' && "$SUSTAIN" tune --features data.csv --label-column price --out run --quiet 2>&1
echo "--- two columns of probabilities exchanged"
awk 'BEGIN { print "label" > "y.csv"; for (i = 0; i < 200; i++) { k = i % 5; print "c" (i % 20 ? k : 0) > "y.csv"
    for (j = 0; j < 5; j++) printf "%s%s", ((j == 2 ? 3 : j == 3 ? 2 : j) == k ? 0.92 : 0.02), j < 4 ? "," : "\n" > "p.csv" } }'
"$SUSTAIN" clean --labels y.csv --pred-probs p.csv --out run --quiet 2>&1 | grep exchanged
echo "--- names of classes"
probabilities() { "$SUSTAIN" clean --labels y.csv --pred-probs p.csv --class-names "$@" --out run --quiet 2>&1; }
probabilities c0,c1,c1,c3,c4
probabilities 'c0, c1, c3, c2, c4' | grep 'look wrong'
