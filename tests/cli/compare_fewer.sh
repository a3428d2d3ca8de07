# Fewer runs of one algorithm: its folders, its column of runs, what is printed; and the others can
# be added later.
"$SUSTAIN" compare quadratic --solvers sustain,soba --runs 3 --fewer-runs soba=2 --budget 20 --quiet --out cmp | sed -n 2,3p
ls cmp/sustain cmp/soba
cut -d, -f2,3 cmp/summary.csv | sort -u
"$SUSTAIN" compare quadratic --solvers sustain,soba --runs 3 --budget 20 --quiet --out cmp >/dev/null
ls cmp/soba
