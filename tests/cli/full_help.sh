"$SUSTAIN" plan --help > /dev/full
