"$SUSTAIN" help demmo
