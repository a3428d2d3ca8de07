"$SUSTAIN" plan --problem quadratic --set zzzzzz=1
