"$SUSTAIN" solvers --json > /dev/full
