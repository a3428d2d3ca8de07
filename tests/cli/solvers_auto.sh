. "$CASES/support/json.sh"
"$SUSTAIN" solvers auto
"$SUSTAIN" solvers auto --json | json name rules.0.name rules.7.name
