. "$CASES/support/json.sh"
"$SUSTAIN" solvers --json | json solvers.0.name solvers.0.needs
"$SUSTAIN" solvers sustain --json | json name complexity deterministic parameters.0.name parameters.0.type parameters.0.default parameters.0.most parameters.0.choices parameters.2.choices parameters.2.default
"$SUSTAIN" solvers hoag --json | json name deterministic parameters.0.name
