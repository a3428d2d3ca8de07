# Cross validation; numbers to predict; a folder with a slash at its end.
. "$CASES/support/rounded.sh"
awk "$random"' BEGIN { seed = 7000; print "warm,cold,noise,price"; for (i = 0; i < 90; i++) { a = r() - .5; b = r() - .5; c = r() - .5;
     print 100 * a "," b "," c "," 3 + 2 * a - b + .4 * (r() - .5) } }' > data.csv
"$SUSTAIN" tune --features data.csv --label-column price --test data.csv --penalty feature --folds 5 --threads 1 --out run/ | sed 's/[0-9.]*[0-9]e-[0-9]*/N/g; s/ [0-9.]*[0-9]$/ N/; s/  */ /g; s/[0-9]* iterations in [0-9.]*/N iterations in N/; s/best at [0-9]*; [0-9.]*/best at N; N/' | rounded 1
ls run
"$SUSTAIN" tune --features data.csv --label-column price --test data.csv --penalty feature --folds 5 --threads 2 --out again --quiet > /dev/null
cmp run/penalties.csv again/penalties.csv && cmp run/model.liblinear again/model.liblinear && echo "the same"
# what the run said of its test rows, predict finds again: half the mean squared error
"$SUSTAIN" predict run/model.safetensors data.csv --label-column price > table 2> error
head -n 1 table
wc -l < table
rounded 1 < error
awk 'FNR == NR { if ($1 == "\"test_loss\":" && loss == "") loss = $2 + 0; next } /error/ { ratio = $NF / (2 * loss); print (ratio > .999 && ratio < 1.001 ? "as in the run" : ratio) }' run/result.json error
"$SUSTAIN" predict run/model.safetensors data.csv --label-column price --json | head -n 7 | rounded 1
for wrong in "--folds 1" "--folds 21" "--folds 5 --valid-fraction 0.3" "--folds 5 --valid data.csv"; do
    "$SUSTAIN" tune --features data.csv --label-column price $wrong --out bad 2>&1
    echo "exit $?"
done
head -n 4 data.csv > tiny.csv
"$SUSTAIN" tune --features tiny.csv --label-column price --penalty feature --folds 5 --out bad 2>&1
echo "exit $?"
[ -e bad ] || echo "nothing was written"
