"$SUSTAIN" --completion fish
