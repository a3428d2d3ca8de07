# A reader that stops early is no failure of ours to talk about.
"$SUSTAIN" solvers --json | head -n 1
