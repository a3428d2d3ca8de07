"$SUSTAIN" --version
