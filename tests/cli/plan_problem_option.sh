# A name that both have is the problem's; the constant follows.
. "$CASES/support/json.sh"
"$SUSTAIN" plan --problem quadratic --mu_g 2 --L-g 8 --wave 3 --gap 5 --json | json constants.mu_g constants.L_g constants.L_fx constants.gap sources.mu_g sources.gap sources.mu_f strongly_convex
