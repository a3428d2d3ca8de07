# One sentence each, exit code 2, nothing written.
printf '1 1:0.5 3:1\n-1 2:1\n' > good.libsvm
printf '1 1:0.5 3:1\n-1 3:1 2:1\n' > unsorted.libsvm
printf '1 1:0.5 1:1\n' > twice.libsvm
printf '1 2147483647:0.5\n' > far.libsvm
printf '1 1:0.5\n-1 2\n' > colon.libsvm
printf '1 99999999999999999999:0.5\n' > large.libsvm
printf '1 1:1e999\n' > infinite.libsvm
printf '1\n1\n' > groups.txt
try() {
    "$SUSTAIN" tune "$@" --out run 2>&1
    echo "exit code $?"
    [ ! -e run ] || echo "something was written"
}
try
try --features good.libsvm --dataset ijcnn1
try --dataset ijcnn1 --test good.libsvm
try --features good.libsvm --valid good.libsvm --valid-fraction 0.5
try --features good.libsvm --penalty group
try --features good.libsvm --penalty group --groups groups.txt
try --features good.libsvm --penalty class
try --features good.libsvm --valid-fraction 0.01
try --features good.libsvm --penalty feature --valid-fraction 0.5
for file in unsorted twice far colon large infinite; do try --features "$file.libsvm"; done
try --features missing.libsvm
(echo x,y; for i in 1 2 3 4; do for y in 0 1 2; do echo $i$y,$y; done; done) > counts.csv && (echo x,y; echo 3,3) > more.csv
try --features counts.csv --test more.csv --label-column y
try --features good.libsvm --valid good.libsvm --penalty feature --solver hoga
try --features good.libsvm --valid good.libsvm --penalty feature --solver soba --local-steps 4
