"$SUSTAIN" demo --out=
