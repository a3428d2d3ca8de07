"$SUSTAIN" solvers sustian
