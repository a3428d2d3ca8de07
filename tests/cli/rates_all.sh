# Every algorithm of the registry has its theorem, and every theorem its algorithm; one has a second
# row, with another linear system.
# long
"$SUSTAIN" rates --quick --budget 0.001 --cost off --problem nonconvex --json | grep '"solver"' | sed 's/.*: "\(.*\)",/\1/' | grep -vx sustain-running | sort >rates
"$SUSTAIN" solvers --json | grep '^      "name"' | sed 's/.*: "\(.*\)",/\1/' | sort >solvers
[ -s rates ] && diff solvers rates
