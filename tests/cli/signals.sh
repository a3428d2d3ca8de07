# SIGHUP ends a run as Ctrl-C does; what the parent ignores stays ignored; a limit of file sizes is
# an error with a sentence.
set -m
"$SUSTAIN" demo --iterations 100000000 --quiet --out hup 2>hup.txt &
demo=$!
await test -d hup
sleep 0.2
kill -HUP $demo
wait $demo
echo "exit $?"
cat hup.txt
set +m # a shell without job control starts its background jobs with SIGINT ignored
"$SUSTAIN" demo --iterations 50000 --runs 1 --quiet --out ignored >/dev/null &
demo=$!
await test -d ignored
kill -INT $demo
wait $demo
echo "exit $?"
(ulimit -f 1 && "$SUSTAIN" demo --iterations 1000 --runs 1 --quiet --out small) >/dev/null 2>large.txt
echo "exit $?"
cat large.txt
# The command that resumes the run can be pasted.
set -m
awk 'BEGIN { for (i = 0; i < 40; i++) print (i % 3 ? 1 : -1) " 1:" i % 7 " 2:" i % 5 }' >few.libsvm
"$SUSTAIN" tune --features few.libsvm --penalty feature --solver sustain --out "a run; 'x'" --iterations 1000000000 --quiet 2>quoted.txt &
tune=$!
await test -s "a run; 'x'/metrics.jsonl"
kill -INT $tune
wait $tune
sed 's/.*resume with/resume with/' quoted.txt
