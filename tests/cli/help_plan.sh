# What follows are the tables of the library.
"$SUSTAIN" plan --help | sed '/^Constants of the theory/q'
