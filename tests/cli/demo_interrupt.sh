# Ctrl-C: job control makes the background job listen to it.
set -m
"$SUSTAIN" demo --iterations 1000000000 --runs 1 &
demo=$!
await test -d demo
sleep 0.2
kill -INT $demo
wait $demo
