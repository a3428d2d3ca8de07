"$SUSTAIN" plan --wave 2
