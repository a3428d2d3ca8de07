# A budget that ends: what was not reached is shown as such, and not what it would have taken.
"$SUSTAIN" rates --quick --solvers ttsa --problem nonconvex --budget 26 --cost off | sed -n 's/^ *\([0-9.]*e-[0-9]\)  */\1 /p' | sed 's/[0-9.]*e[0-9]*$/N/'
