# The bound is at most epsilon, and not by much below.
. "$CASES/support/json.sh"
"$SUSTAIN" plan --problem quadratic --epsilon 0.5 --json >plan
json epsilon <plan
json nonconvex.bound strongly_convex.bound <plan | awk '{ print ($1 <= 0.5 && $1 > 0.49) }'
