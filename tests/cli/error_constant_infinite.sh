"$SUSTAIN" plan --problem quadratic --phi square
