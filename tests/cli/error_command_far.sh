"$SUSTAIN" zzzzzz
