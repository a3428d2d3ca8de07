"$SUSTAIN" data --data-dir nowhere
