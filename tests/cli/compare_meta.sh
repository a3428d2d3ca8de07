# Few-shot methods side by side: the same tasks judge them, settings of all and of one; a figure of
# the paper, very small.
# long
"$SUSTAIN" compare meta --dataset generated --size 16 --width 4 --shots 1 --tasks 2 --solvers anil,sustain:option=1:K=3 --runs 1 --x iterations --budget 2 --quiet --out cmp >/dev/null || exit
cut -d, -f2,4-6,8,10- cmp/summary.csv | sed 's/0\.[0-9]*/0.N/g'
"$SUSTAIN" compare meta --dataset generated --solvers anil:option=3 --out cmp 2>&1
"$SUSTAIN" compare meta --dataset generated --solvers hoag --out cmp 2>&1
"$SUSTAIN" compare meta --solvers anil --out cmp 2>&1
"$SUSTAIN" compare meta --dataset generated --solvers anil --noise 0.3 --out cmp 2>&1
# A figure with its control, without the costly rival; curves and claims of both panels.
"$SUSTAIN" compare --figure 3 --dataset generated --size 16 --width 4 --shots 1 --tasks 2 --runs 2 --budget 2 --test-tasks 3 --without maml --quiet --out figure >text || exit
sed -n '2,/^$/p' text
grep -c MAML text
grep -o "^[a-z' ]*: SUSTAIN[a-zA-Z, -]* by" text
exit 0
