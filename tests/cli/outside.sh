# A run writes to its own folder alone, starts no program and opens no connection; a link out of its
# folder is refused.
needs strace
needs python3
strace -qq -o /dev/null true 2>/dev/null || { echo "skipped: strace may not trace here"; exit 77; }
python3 "$CASES/support/blobs.py"
export ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 # a leak cannot be looked for under strace
# traced NAME OUT ARGUMENT...: OUT is NAME, or a file in it
traced() {
    name=$1 out=$2
    shift 2
    strace -f -qq -o trace-$name -e trace=openat,open,creat,rename,renameat,unlink,unlinkat,mkdir,link,symlink,execve,socket,connect "$SUSTAIN" "$@" --out $out --quiet >/dev/null
    # what is opened for writing, renamed, made or removed, and is neither in the folder nor a
    # device
    grep -E 'O_WRONLY|O_RDWR|O_CREAT|rename|unlink|mkdir|link\(' trace-$name | grep -o '"[^"]*"' | tr -d '"' | grep -vE "^$name(/|\$)|^/dev/|^/proc/" | sort -u
    grep -q "\"$name/.*O_CREAT" trace-$name || echo "$name: nothing was traced"
    echo "$name: $(grep -c execve trace-$name) program, $(grep -cE 'socket|connect' trace-$name) connections"
}
compare="compare quadratic --solvers sustain --budget 100 --runs 2 --threads 1"
rates="rates --quick --solvers sustain --cost off --runs 2 --budget 0.02 --threads 1"
demo="demo --iterations 100 --runs 1"
mkdir predict pack
traced clean clean clean --features data.csv --label-column kind --trusted trusted.csv --iterations 60 --threads 1
traced tune tune tune --features data.libsvm --penalty feature --iterations 20 --threads 1
traced meta meta meta train --dataset generated --size 16 --width 4 --ways 3 --shots 2 --queries 2 --tasks 2 --validation-tasks 2 --test-tasks 2 --iterations 1 --threads 1
# shellcheck disable=SC2086
{
    traced compare compare $compare
    traced rates rates $rates
    traced demo demo $demo
}
traced predict predict/rows.csv predict clean/model.safetensors data.csv --label-column kind
traced pack pack/rows.safetensors data pack data.csv --label-column kind
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
# In folders of folders, and the folders themselves; each command says which link it is.
linked() {
    rm -rf "${link:?}"
    ln -s "$1" $link
    shift
    timeout 20 "$SUSTAIN" "$@" 2>&1 >/dev/null
    echo "exit $?"
    rm $link
}
mkdir elsewhere
here=$PWD
# shellcheck disable=SC2086
{
    cp -r compare spare
    for name in metrics.jsonl config.json result.json; do
        link=compare/sustain/seed-1/$name linked $here/precious $compare --budget 90 --out compare --quiet
        rm -rf compare && cp -r spare compare
    done
    for link in compare/sustain/seed-0 compare/sustain compare/summary.csv; do
        linked $here/elsewhere $compare --budget 90 --out compare --quiet
        rm -rf compare && cp -r spare compare
    done
    link=rates/result.json linked $here/precious $rates --out rates --quiet
    link=demo/report.html linked $here/precious $demo --out demo --quiet
    link=tune/report.html linked $here/precious report tune
    link=tune/metrics.jsonl linked $here/precious report tune -o page.html
}
# The name of a file that is not yet complete.
bash -c 'ln -s ../precious predict/rows.csv.tmp.$$; exec "$SUSTAIN" predict clean/model.safetensors data.csv --label-column kind --out predict/rows.csv --quiet'
ls predict elsewhere
cat precious
# A pipe in place of what is read before the folder is locked.
for name in compare/compare.json demo/config.json; do
    rm $name
    mkfifo $name
done
# shellcheck disable=SC2086
timeout 20 "$SUSTAIN" $compare --out compare --quiet 2>&1
# shellcheck disable=SC2086
timeout 20 "$SUSTAIN" $demo --out demo --quiet 2>&1
echo "exit $?"
