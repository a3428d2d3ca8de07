"$SUSTAIN" rates --solvers sustain,sobba
