. "$CASES/support/json.sh"
"$SUSTAIN" plan --problem quadratic --json | json nonconvex.iterations strongly_convex.iterations
"$SUSTAIN" plan --problem quadratic --theorem nonconvex --json | json nonconvex.iterations strongly_convex
"$SUSTAIN" plan --problem quadratic --theorem strongly-convex --json | json nonconvex strongly_convex.iterations
"$SUSTAIN" plan --problem quadratic --wave 2 --json | json nonconvex.iterations strongly_convex nonconvex.bound
