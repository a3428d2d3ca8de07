"$SUSTAIN" plan --problem quadratic --samples 3
