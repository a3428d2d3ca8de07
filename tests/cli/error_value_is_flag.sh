"$SUSTAIN" demo --out --json
