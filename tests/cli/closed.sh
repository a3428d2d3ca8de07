"$SUSTAIN" solvers >&-
