"$SUSTAIN" --help | sed 's/^sustain [0-9.]* /sustain VERSION /'
