"$SUSTAIN" solvers sustain
