"$SUSTAIN" plan --set mu_gg=1
