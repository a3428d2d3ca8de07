"$SUSTAIN" plan --mu_g=-1
