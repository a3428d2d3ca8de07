# Two classes by name, columns with names: the files are there, predict reads the model, the same
# seed gives the same files.
. "$CASES/support/rounded.sh"
awk "$random"' BEGIN { seed = 7; print "warm,cold,noise,kind"; for (i = 0; i < 300; i++) { a = r() - .5; b = r() - .5; c = r() - .5;
     print a "," b "," c "," (a - b + .4 * (r() - .5) > 0 ? "yes" : "no") } }' > data.csv
"$SUSTAIN" tune --features data.csv --label-column kind --test data.csv --threads 1 --out run --quiet | rounded 3
ls run
head -n 1 run/penalties.csv
cut -d , -f 2 run/penalties.csv
rounded 3 < run/coefficients.csv
head -n 5 run/model.liblinear
"$SUSTAIN" tune --features data.csv --label-column kind --test data.csv --threads 2 --out again --quiet > /dev/null
cmp run/penalties.csv again/penalties.csv && cmp run/model.liblinear again/model.liblinear && echo "the same"
"$SUSTAIN" predict run/model.safetensors data.csv --label-column kind --out predicted.csv
