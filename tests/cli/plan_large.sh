# A number far above every integer, but in its range.
"$SUSTAIN" plan --problem quadratic --wave 2 --gap 1e30 --theorem nonconvex | grep "^  gap"
