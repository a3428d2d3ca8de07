"$SUSTAIN" plam
