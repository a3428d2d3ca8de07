"$SUSTAIN" solvers --json=yes
