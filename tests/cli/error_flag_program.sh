"$SUSTAIN" --versoin
