# What cannot be done is said in one sentence, with exit code 2, and nothing is written.
bad() {
    "$SUSTAIN" compare "$@" --out cmp 2>&1
    echo "exit $?"
    test ! -e cmp || ls cmp
}
bad
bad cleen --solvers sustain
bad something --solvers sustain
bad quadratic
bad quadratic --solvers sustan
bad quadratic --solvers sustain,,soba
bad quadratic --solvers sustain:batch
bad quadratic --solvers sustain:bach=3
bad quadratic --solvers hoag:batch=3
bad quadratic --solvers sustain:batch=0
bad quadratic --solvers sustain:seed=3
bad quadratic --solvers sustain,sustain
bad quadratic --solvers sustain --noise 0.3
bad quadratic --solvers sustain --mu_g -1
bad quadratic --solvers sustain --scale 0.5
bad clean --solvers sustain --mu_g 1 --dataset generated
bad clean --solvers sustain
bad tune --solvers sustain --noise 0.3 --dataset ijcnn1
bad clean --figure 4 --solvers sustain
bad tune --figure 4
bad --figure 4 --without maml
bad quadratic --solvers sustain --without maml
bad quadratic --solvers sustain --test-tasks 4
bad --figure 7
bad quadratic --solvers sustain --runs 1001
bad quadratic --solvers sustain --runs 3 --fewer-runs sustain
bad quadratic --solvers sustain --runs 3 --fewer-runs sustain=4
bad quadratic --solvers sustain --runs 3 --fewer-runs sustain=2,soba=1
