. "$CASES/support/json.sh"
"$SUSTAIN" demo --iterations 1000 --runs 2 --seed 7 --json | json iterations runs seed rows.0.iterations rows.4.iterations page
