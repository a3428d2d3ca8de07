"$SUSTAIN" plan --problem quadratic --wave 2 --theorem strongly-convex
