. "$CASES/support/json.sh"
"$SUSTAIN" solvers auto
"$SUSTAIN" solvers auto --json | json name rules.1.name rules.8.name
