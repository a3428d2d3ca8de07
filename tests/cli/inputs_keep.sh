# No command replaces a file that it reads, nor the files of a folder that is not that of a run.
awk 'BEGIN { srand(7); print "x,z" > "features.csv"; print "label" > "labels.txt"
    for (i = 0; i < 120; i++) { k = i % 3; print 3 * k + rand() "," rand() - 3 * k > "features.csv"; print substr("abc", k + 1, 1) > "labels.txt" } }'
clean() { "$SUSTAIN" clean --threads 1 --quiet "$@" 2>&1 | grep -v 'warning: no label\|^[0-9A]\|^is no interval'; }
mkdir mine && cp features.csv mine && cp labels.txt mine/labels.csv
echo "--- a folder with the labels in it"
clean --features mine/features.csv --labels mine/labels.csv --out mine
clean --features features.csv --labels labels.txt --out "$PWD/mine/../mine" | sed "s,$PWD/,,g"
"$SUSTAIN" tune --features features.csv --labels labels.txt --out mine --quiet 2>&1
echo '{"name": "of another program"}' > mine/config.json && rm mine/labels.csv && clean --features features.csv --labels labels.txt --out mine
ls mine
echo "--- a list to check, filled in"
clean --features features.csv --labels labels.txt --out run --next 40 > /dev/null
awk -F, 'NR == 1 { print $0 ",label"; next } { print $0 "," $2 }' run/next.csv > filled.csv && cp filled.csv run/next.csv
clean --features features.csv --labels labels.txt --out run --verified run/next.csv
cmp filled.csv run/next.csv
clean --features features.csv --labels labels.txt --out run --verified filled.csv
echo "--- what was verified for a run that is replaced"
clean --features features.csv --labels labels.txt --out run --verified filled.csv
ls run | grep previous
cp run/verified.csv verified.csv
clean --features features.csv --labels labels.txt --out run
cmp verified.csv run/verified-previous.csv
clean --features features.csv --labels labels.txt --out run --verified run/verified-previous.csv --verified-are mixed
cut -d, -f1,2 run/verified.csv | cmp - <(cut -d, -f1,2 verified.csv)
echo "--- other outputs"
cp features.csv before.csv
"$SUSTAIN" predict run/model.safetensors features.csv --out features.csv 2>&1
"$SUSTAIN" predict run/model.safetensors features.csv --out run/model.safetensors 2>&1
"$SUSTAIN" data pack features.csv --out ./features.csv 2>&1
"$SUSTAIN" data pack before.csv,features.csv --out features.csv 2>&1
"$SUSTAIN" data pack 'f*.csv' --out features.csv 2>&1
cmp before.csv features.csv
"$SUSTAIN" predict run/model.safetensors features.csv --out predicted.csv 2>&1
"$SUSTAIN" predict run/model.safetensors features.csv --out predicted.csv --quiet 2>&1
echo "--- comparisons and measurements"
demo() { "$SUSTAIN" demo --iterations 100 --runs 1 --quiet "$@" 2>&1 >/dev/null; }
rates() { "$SUSTAIN" rates --quick --solvers sustain --problem nonconvex --budget 0.001 --cost off --quiet "$@" 2>&1 >/dev/null; }
compare() { "$SUSTAIN" compare --solvers sustain --runs 1 --budget 20 --threads 1 --quiet "$@" 2>&1 >/dev/null; }
mkdir other && paste -d, features.csv labels.txt > other/summary.csv
data="clean --features other/summary.csv --label-column label --trusted-fraction 0.2"
for try in "compare $data" "compare quadratic" demo rates; do $try --out other; done
echo '{"command": "sustain compare quadratic"}' > other/compare.json && compare $data --out other
ls other
for try in "compare quadratic" demo rates; do
    $try --out own && $try --out own || echo "$try: not again in its own folder"
    ls own | xargs && rm -r own
done
compare quadratic --out compared
rm compared/*.* && compare quadratic --out compared # as where it was interrupted
echo "--- every file of a run is in the list, but the one that is to be given again"
"$SUSTAIN" tune --features features.csv --labels labels.txt --out tuned --quiet > /dev/null
clean --features features.csv --labels labels.txt --out run --next 5 > /dev/null
for name in $(cd run && ls; cd ../tuned && ls; cd ../compared && ls -p | grep -v /); do
    mkdir named && touch "named/$name" && demo --out named | grep -q "named/$name exists" || echo "$name"
    rm -r named
done
