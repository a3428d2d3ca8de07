"$SUSTAIN" rates --solvers sustain,, --quick
