"$SUSTAIN" solvers
