# The same numbers for 1, 2, 3 and 8 threads, and others for another seed.
# long
numbers() { "$SUSTAIN" rates --quick --solvers soba,fsla --problem nonconvex --cost off --budget 25 --json "$@" | grep -v '"seconds"'; }
numbers --threads 1 >one
grep -c '"reached": true' one
for threads in 2 3 8; do numbers --threads $threads | cmp one -; done
numbers --seed 7 | cmp -s one - && echo "the seed changes nothing"
true
