# Ctrl-C ends it at once; runs that were done are whole, and the same command goes on.
set -m
command="compare quadratic --solvers sustain,soba --runs 2 --threads 1 --budget 3000 --out cmp --quiet"
"$SUSTAIN" compare quadratic --solvers sustain --runs 1 --budget 3000 --out cmp --quiet >/dev/null
"$SUSTAIN" compare quadratic --solvers sustain,soba --runs 2 --threads 1 --budget 2e8 --out long --quiet &
compare=$!
await test -d long
sleep 0.3
kill -INT $compare
wait $compare
echo "exit $?"
find long cmp -type f | sort
touch cmp/kept
# shellcheck disable=SC2086
"$SUSTAIN" $command >/dev/null
find cmp -name config.json -newer cmp/kept | sort
