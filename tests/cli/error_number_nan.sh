"$SUSTAIN" plan --problem quadratic --epsilon nan
