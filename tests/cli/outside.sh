# A run writes to its own folder alone, starts no other program and opens no connection; a link out
# of its folder is refused.
needs strace
needs python3
strace -qq -o /dev/null true 2>/dev/null || { echo "skipped: strace may not trace here"; exit 77; }
python3 "$CASES/support/blobs.py"
export ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 # a leak cannot be looked for under strace
traced() {
    name=$1
    shift
    strace -f -qq -o trace-$name -e trace=openat,open,creat,rename,renameat,unlink,unlinkat,mkdir,link,symlink,execve,socket,connect "$SUSTAIN" "$@" --out $name --quiet --threads 1 >/dev/null
    # what is opened for writing, renamed, made or removed, and is neither in the folder nor a
    # device
    grep -E 'O_WRONLY|O_RDWR|O_CREAT|rename|unlink|mkdir|link\(' trace-$name | grep -o '"[^"]*"' | tr -d '"' | grep -vE "^$name(/|\$)|^/dev/|^/proc/" | sort -u
    grep -q "\"$name/.*O_CREAT" trace-$name || echo "$name: nothing was traced"
    echo "$name: $(grep -c execve trace-$name) program, $(grep -cE 'socket|connect' trace-$name) connections"
}
traced clean clean --features data.csv --label-column kind --trusted trusted.csv --iterations 60
traced tune tune --features data.libsvm --penalty feature --iterations 20
traced meta meta train --dataset generated --size 16 --width 4 --ways 3 --shots 2 --queries 2 --tasks 2 --validation-tasks 2 --test-tasks 2 --iterations 1
echo mine >precious
ln -sf ../precious clean/labels.csv
"$SUSTAIN" clean --features data.csv --label-column kind --trusted trusted.csv --iterations 20 --out clean --quiet 2>&1
cat precious
rm clean/labels.csv
mkfifo clean/labels.csv
timeout 120 "$SUSTAIN" clean --features data.csv --label-column kind --trusted trusted.csv --iterations 20 --out clean --quiet 2>&1
rm clean/labels.csv
mkdir clean/shown.csv
"$SUSTAIN" report clean -o page.html 2>&1
echo "exit $?"
