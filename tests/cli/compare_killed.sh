# Killed, it leaves no process behind that goes on computing.
"$SUSTAIN" compare quadratic --solvers sustain,soba --runs 2 --threads 2 --budget 2e9 --out long --quiet &
compare=$!
for _ in $(seq 100); do
    children=$(ps -o pid= --ppid $compare)
    [ "$(wc -w <<<"$children")" = 2 ] && break
    sleep 0.05
done
echo "children: $(wc -w <<<"$children")"
exec 2>/dev/null # where bash says that it was killed
kill -KILL $compare
wait $compare
sleep 0.3
alive=0
for child in $children; do
    case $(ps -o stat= -p "$child") in '' | Z*) ;; *) alive=$((alive + 1)) && kill "$child" ;; esac
done
echo "alive: $alive"
