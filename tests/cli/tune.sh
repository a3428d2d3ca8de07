# Two classes by name, columns with names: the files are there, predict reads the model, the same
# seed gives the same files.
awk 'BEGIN { srand(7); print "warm,cold,noise,kind"; for (i = 0; i < 300; i++) { a = rand() - .5; b = rand() - .5; c = rand() - .5;
     print a "," b "," c "," (a - b + .4 * (rand() - .5) > 0 ? "yes" : "no") } }' > data.csv
"$SUSTAIN" tune --features data.csv --label-column kind --test data.csv --threads 1 --out run --quiet | sed 's/0\.[0-9]*/N/g'
ls run
head -n 1 run/penalties.csv
cut -d , -f 2 run/penalties.csv
head -n 5 run/model.liblinear
"$SUSTAIN" tune --features data.csv --label-column kind --test data.csv --threads 2 --out again --quiet > /dev/null
cmp run/penalties.csv again/penalties.csv && cmp run/model.liblinear again/model.liblinear && echo "the same"
"$SUSTAIN" predict run/model.safetensors data.csv --label-column kind --out predicted.csv | sed 's/[0-9.]\{5,\}/N/; s/^[0-9]* of/N of/'
