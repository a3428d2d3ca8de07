"$SUSTAIN" solvers > /dev/full
