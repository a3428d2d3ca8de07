"$SUSTAIN" solvers sustain bsa
