# A run in two parts equals a run in one; other options than those it began with are refused.
. "$CASES/support/rounded.sh"
awk "$random"' BEGIN { seed = 5000; for (i = 0; i < 200; i++) { a = r() - .5; b = r() - .5; print (a + .3 * (r() - .5) > 0 ? 1 : -1) " 1:" a " 3:" b } }' > data.libsvm
"$SUSTAIN" tune --penalty feature --features data.libsvm --threads 1 --iterations 12 --out whole --quiet > /dev/null
"$SUSTAIN" tune --penalty feature --features data.libsvm --threads 1 --iterations 5 --out parts --quiet > /dev/null
"$SUSTAIN" tune --threads 1 --iterations 12 --out parts --resume --quiet > /dev/null
cmp whole/penalties.csv parts/penalties.csv && cmp whole/model.liblinear parts/model.liblinear && echo "the same"
"$SUSTAIN" tune --out parts --resume --penalty single 2>&1
"$SUSTAIN" tune --out nowhere --resume 2>&1
for solver in sustain stocbio aid-cg; do
    "$SUSTAIN" tune --penalty feature --features data.libsvm --threads 1 --solver $solver --iterations 20 --out "$solver" --quiet | rounded 1
done
# Many penalties, few rows: some of the rows decide, and what they said before the break counts
# after it.
awk "$random"' BEGIN { seed = 6000; for (i = 0; i < 120; i++) { s = 0; line = ""; for (j = 1; j <= 15; j++) { a = r() - .5; if (j < 4) s += a; line = line " " j ":" a }
     print (s + .3 * (r() - .5) > 0 ? 1 : -1) line } }' > wide.libsvm
"$SUSTAIN" tune --penalty feature --features wide.libsvm --threads 1 --iterations 40 --out wide --quiet > /dev/null
best=$(sed -n 's/.*"best_iteration": \([0-9]*\).*/\1/p' wide/result.json)
"$SUSTAIN" tune --penalty feature --features wide.libsvm --threads 1 --iterations $((best + 2)) --out wide-parts/ --quiet > /dev/null
"$SUSTAIN" tune --threads 1 --iterations 40 --out wide-parts/ --resume --quiet | rounded 1
grep -o '"watched": [0-9]*' wide/config.json
cmp wide/penalties.csv wide-parts/penalties.csv && cmp wide/model.liblinear wide-parts/model.liblinear && echo "the same"
for run in wide wide-parts; do grep best_iteration $run/result.json; done | uniq | wc -l
# A name that is not UTF-8 is the name of the same file when the run is resumed.
name=$(printf 'data\351.libsvm')
cp data.libsvm "$name"
"$SUSTAIN" tune --penalty feature --features "$name" --threads 1 --solver soba --iterations 10 --out latin --quiet > /dev/null
"$SUSTAIN" tune --threads 1 --iterations 20 --out latin --resume --quiet > /dev/null
"$SUSTAIN" tune --penalty feature --features data.libsvm --threads 1 --solver soba --iterations 20 --out ascii --quiet > /dev/null
cmp latin/penalties.csv ascii/penalties.csv && echo "the same"
