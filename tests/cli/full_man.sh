"$SUSTAIN" --man > /dev/full
