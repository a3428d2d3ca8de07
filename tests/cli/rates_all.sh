# Every algorithm of the registry has its theorem, and every theorem its algorithm.
# long
"$SUSTAIN" rates --quick --budget 0.001 --cost off --problem nonconvex --json | grep '"solver"' | sed 's/.*: "\(.*\)",/\1/' | sort >rates
"$SUSTAIN" solvers --json | grep '^      "name"' | sed 's/.*: "\(.*\)",/\1/' | sort >solvers
[ -s rates ] && diff solvers rates
