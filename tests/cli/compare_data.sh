# A data file that changed is another comparison: its runs are computed again.
awk 'BEGIN { srand(5); for (i = 0; i < 200; i++) { a = rand() - .5; b = rand() - .5; print (a + .3 * (rand() - .5) > 0 ? 1 : -1) " 1:" a " 3:" b } }' > data.libsvm
run() { "$SUSTAIN" compare tune --features data.libsvm --solvers sustain --runs 1 --budget 200 --x iterations --out cmp --quiet >/dev/null && cat cmp/sustain/seed-0/config.json > config.$1; }
run 1
touch -d '2001-01-01' cmp/sustain/seed-0/metrics.jsonl
run 2
[ "$(stat -c %Y cmp/sustain/seed-0/metrics.jsonl)" -lt 1000000000 ] && cmp config.1 config.2 && echo "the same data: not computed again"
sed -i '2s/ 1:[^ ]*/ 1:0.7/' data.libsvm
run 3
[ "$(stat -c %Y cmp/sustain/seed-0/metrics.jsonl)" -gt 1000000000 ] && echo "other data: computed again"
diff config.1 config.3 | grep -c fingerprint
# A run without its first line has no evaluation in common with the others.
sed -i 1d cmp/sustain/seed-0/metrics.jsonl
run 4 2>&1 || echo "exit code $?"
# Nor are results shown of files that have exchanged their content.
awk 'NR % 2' data.libsvm > odd.libsvm
awk 'NR % 2 == 0' data.libsvm > even.libsvm
two() { "$SUSTAIN" compare tune --features odd.libsvm --valid even.libsvm --solvers soba --runs 1 --budget 5 --x iterations --out two --quiet >/dev/null; }
two
touch -d '2001-01-01' two/soba/seed-0/metrics.jsonl
mv odd.libsvm other
mv even.libsvm odd.libsvm
mv other even.libsvm
two
[ "$(stat -c %Y two/soba/seed-0/metrics.jsonl)" -gt 1000000000 ] && echo "exchanged: computed again"
# A large file that was touched is the same data, unless its time of change is trusted.
awk 'BEGIN { srand(5); for (i = 0; i < 40000; i++) { a = rand() - .5; print (a + .3 * (rand() - .5) > 0 ? 1 : -1) " 1:" a " 2:" rand() " 3:0.000001" } }' > data.libsvm
large() { "$SUSTAIN" compare tune --features data.libsvm --solvers soba --runs 1 --budget 5 --x iterations --out "$@" --quiet >/dev/null && grep fingerprint "$1/soba/seed-0/config.json"; }
for trust in "" --trust-mtime; do
    touch -d '2001-01-01' data.libsvm
    large "large$trust" $trust > before
    touch -d '2002-01-01' data.libsvm
    large "large$trust" $trust > after
    cmp -s before after && echo "touched $trust: the same" || echo "touched $trust: another"
done
