# Ctrl-C: job control makes the background job listen to it.
set -m
"$SUSTAIN" rates --solvers bsa --out here &
rates=$!
await test -d here
sleep 0.2
kill -INT $rates
wait $rates
code=$?
ls here
exit $code
