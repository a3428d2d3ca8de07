. "$CASES/support/json.sh"
"$SUSTAIN" plan --problem quadratic --iterations 1000 --json | json problem epsilon constants.mu_g constants.sigma_f sources.sigma_f nonconvex.iterations nonconvex.K nonconvex.samples_upper nonconvex.samples_lower nonconvex.steps.0.t nonconvex.steps.0.eta_f nonconvex.steps.1.t nonconvex.steps.2.t strongly_convex.K strongly_convex.p
