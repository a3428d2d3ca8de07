"$SUSTAIN" plan --problem quadratic --iterations 1000
