"$SUSTAIN" plan --mu_g
