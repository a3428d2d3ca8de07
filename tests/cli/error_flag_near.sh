"$SUSTAIN" plan --mug 1
