"$SUSTAIN" help demo
