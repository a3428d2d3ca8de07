"$SUSTAIN" plan --zzzzzzzzzz
