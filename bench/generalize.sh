#!/bin/sh
# generalize.sh [--methods own,rivals,feature] [--sets 'A;B'] [--seeds 0,1] - test loss of `sustain
# tune` without flags beside scikit-learn's penalized linear models, on five random splits of
# tables, texts, pictures and generated rows. Results go to bench/generalize.csv, each in place of
# the row of the same set, seed and method; the table to stdout; docs/tune.md has it.
#
# Needs: build/release, /usr/bin/python3 with numpy, pandas, scipy and scikit-learn, and the data
# sets in $SUSTAIN_DATA.
cd "$(dirname "$0")/.." || exit 2
bin=build/release
[ -x "$bin/sustain" ] || { echo "generalize.sh: build first: make" >&2; exit 2; }
export SUSTAIN_DATA="${SUSTAIN_DATA:-../shared/data}" OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
python=${PYTHON:-/usr/bin/python3}
"$python" bench/yardsticks/generalize.py "$bin/sustain" bench/generalize.csv "$@" || exit 1
"$python" bench/yardsticks/generalize_table.py bench/generalize.csv
