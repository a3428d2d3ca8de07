"$SUSTAIN" plan
