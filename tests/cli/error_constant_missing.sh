"$SUSTAIN" plan --mu_g 1 --L_g 4 --json
