"$SUSTAIN" plan --problem quadratic --iterations 10 --epsilon 1
