"$SUSTAIN" plan --theorem convex
