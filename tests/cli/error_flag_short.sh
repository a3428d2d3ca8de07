"$SUSTAIN" demo -n 3
