"$SUSTAIN" solvers -- --json
