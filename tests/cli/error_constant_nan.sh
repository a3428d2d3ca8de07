"$SUSTAIN" plan --set mu_g=nan
