# Data from which nothing can be concluded: refused, or a warning, also in JSON. What needs too much
# memory is refused.
row() { awk -v kind="$1" -v n="$2" 'BEGIN { srand(3); for (i = 0; i < n; i++) { a = rand(); b = rand();
    if (kind == "zero") a = b = 0; if (kind == "equal") { a = 2; b = 3 } y = kind == "own" ? i : kind == "one" ? 1 : i % 2 ? 1 : -1; print y " 1:" a " 2:" b } }'; }
for kind in zero equal one; do
    row $kind 200 > $kind.libsvm
    for verb in clean tune; do
        "$SUSTAIN" $verb --features $kind.libsvm --out run --quiet 2>&1
        [ -e run ] && echo "there is a folder"
    done
done
row own 200 > own.libsvm
"$SUSTAIN" clean --features own.libsvm --out run --quiet 2>&1
awk 'BEGIN { srand(5); print "a,b,id"; for (i = 0; i < 400; i++) print rand() "," rand() ",u" (i < 300 ? i % 150 : 0) }' > ids.csv
"$SUSTAIN" clean --features ids.csv --label-column id --out ids --json 2>warnings | grep -A1 '"warnings"'
grep -c ' classes of ids.csv have one or two rows' warnings
awk 'BEGIN { srand(5); print "a,b,kind"; for (i = 0; i < 90; i++) print rand() "," rand() "," (i % 9 ? (i % 2 ? "cat" : "dog") : "Dog") }' > letters.csv
"$SUSTAIN" clean --features letters.csv --label-column kind --out letters --quiet 2>&1 >/dev/null | grep letters.csv
row few 5 > few.libsvm
"$SUSTAIN" clean --features few.libsvm --out few --json 2>/dev/null | grep -A1 '"warnings"'
"$SUSTAIN" clean --features few.libsvm --out few --quiet 2>&1 >/dev/null | grep few.libsvm
row many 300 > many.libsvm
"$SUSTAIN" clean --features many.libsvm --solver sustain --trusted-fraction 0.1 --batch 1000000000 --out run --quiet 2>&1 | grep batch
"$SUSTAIN" clean --dataset generated --noise 0.3 --trusted-count 200 --max-memory 0.001 --out run --quiet 2>&1 | sed 's/[0-9.e-]* GB/N GB/g'
# features that have nothing to do with the labels; and such as have
warned() { "$SUSTAIN" clean --features $1.libsvm --out $1 --json 2>&1 >$1.json | grep -o 'the features predict.*'; grep -c 'the features predict' $1.json; }
awk 'BEGIN { srand(9); for (i = 0; i < 300; i++) { a = rand(); b = rand(); print int(3 * rand()) " 1:" a " 2:" b } }' > noise.libsvm
warned noise
awk 'BEGIN { srand(6); for (i = 0; i < 300; i++) print i % 3 " 1:" rand() + (i % 3 == 1) " 2:" rand() + (i % 3 == 2) }' > good.libsvm
warned good
# probabilities of a model that was trained on the labels, and such as say nothing; and good ones
awk 'BEGIN { for (i = 0; i < 90; i++) { print i % 3 > "y.txt"; k = i < 88 ? i % 3 : (i + 1) % 3
    for (j = 0; j < 3; j++) { sep = j < 2 ? "," : "\n"; printf "%g%s", j == i % 3, sep > "same.csv"; printf "%.3f%s", 1 / 3, sep > "flat.csv"
        printf "%g%s", j == k ? 0.8 : 0.1, sep > "fold.csv" } } }'
for p in same flat fold; do "$SUSTAIN" clean --labels y.txt --pred-probs $p.csv --out run --quiet 2>&1 | grep -c 'in every row the given label'; done
"$SUSTAIN" clean --features good.libsvm --solver sustian --out run --quiet 2>&1
awk 'BEGIN { srand(4); for (i = 0; i < 1500; i++) print i % 100 " 1:" rand() " 2:" rand() }' > classes.libsvm
"$SUSTAIN" clean --features classes.libsvm --trusted-fraction 0.1 --max-memory 0.001 --out refused --quiet 2>&1 | sed 's/[0-9.e-]* GB/N GB/g'
[ -e refused ] && echo "there is a folder"
"$SUSTAIN" clean --features classes.libsvm --trusted-fraction 0.1 --max-memory 0.1 --iterations 10 --out allowed 2>&1 >/dev/null | grep memory | sed "s/[0-9]* MB/N MB/g"
grep -c memory_estimated_bytes allowed/result.json
