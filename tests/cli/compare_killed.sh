# Killed, it leaves no process behind that goes on computing.
"$SUSTAIN" compare quadratic --solvers sustain,soba --runs 2 --threads 2 --budget 2e9 --out long --quiet &
compare=$!
both() { children=$(ps -o pid= --ppid $compare) && [ "$(wc -w <<<"$children")" = 2 ]; }
await both
echo "children: $(wc -w <<<"$children")"
exec 2>/dev/null # where bash says that it was killed
kill -KILL $compare
wait $compare
ended() { for child in $children; do case $(ps -o stat= -p "$child") in '' | Z*) ;; *) return 1 ;; esac; done; }
await ended || kill $children
