# Bad input: one sentence that names the file and the place, exit code 2, nothing written.
needs python3
python3 "$CASES/support/blobs.py"
python3 - <<'EOF'
import sys, os, struct
sys.path.insert(0, os.path.join(os.environ["CASES"], "support"))
import blobs
blobs.integers("short.npy", [0, 1] * 100)
blobs.integers("one.npy", [1] * 240)
blobs.integers("ones.npy", [1] * 60)
blobs.integers("new.npy", [0, 1, 2, 7] + [0] * 56)
blobs.floats("nan.npy", [[1, 2, 3]] * 5 + [[1, float("nan"), 3]] + [[1, 2, 3]] * 234)
blobs.npy("huge.npy", "<f4", "(1000000000000, 3)", bytes(64))
blobs.npy("wide.npy", "<f4", "(60, 2)", bytes(480))
open("empty.npy", "w")
open("text.npy", "w").write("these are words\n")
open("hole.csv", "w").write("a,b,kind\n1,2,x\n3,,y\n")
open("silent.csv", "w").write("body,who,kind\n" + ",ann,x\n,ben,y\n" * 20)
open("nobody.csv", "w").write("a,who,kind\n1,ann,x\n2,,y\n")
open("header.csv", "w").write("kind\n" + "x\ny\n" * 120)
open("marks.csv", "w").write("a,checked,kind\n1,0,x\n3,2,y\n")
open("only.csv", "w").write("a,checked,kind\n" + "1,0,x\n2,0,y\n3,1,x\n4,1,y\n" * 9 + "5,1,z\n")
open("unsorted.libsvm", "w").write("1 1:2 2:3\n0 2:1 1:3\n")
open("cifar.bin", "wb").write(bytes([3, 200]) + bytes(3072))
open("latin.csv", "wb").write(b"a,b,kind\n" + b"1,2,caf\xe9\n3,4,tea\n" * 20)
EOF
bad() {
    "$SUSTAIN" clean "$@" --threads 1 --out run 2>&1
    echo "exit $?"
    test ! -e run || ls run
}
trusted="--trusted tx.npy --trusted-labels ty.npy"
bad --features x.npy --labels short.npy $trusted
bad --features nan.npy --labels y.npy $trusted
bad --features x.npy --labels one.npy --trusted tx.npy --trusted-labels ones.npy
bad --features x.npy --labels y.npy --trusted tx.npy --trusted-labels new.npy
bad --features x.npy --labels y.npy --trusted wide.npy --trusted-labels ty.npy
bad --features empty.npy --labels y.npy $trusted
bad --features text.npy --labels y.npy $trusted
bad --features huge.npy --labels y.npy $trusted
bad --features cifar.bin --trusted-fraction 0.5
bad --features data.csv --label-column species --trusted trusted.csv
bad --features hole.csv --label-column kind --missing refuse --trusted-fraction 0.5
bad --features marks.csv --label-column kind --trusted-column checked
bad --features only.csv --label-column kind --trusted-column checked
bad --features x.npy --labels y.npy --trusted-column checked
bad --features unsorted.libsvm --trusted-fraction 0.5
bad --features latin.csv --label-column kind --trusted-fraction 0.5
bad --features silent.csv --label-column kind --text-column body --ignore-column who
bad --features nobody.csv --label-column kind --group-column who
bad --features x.npy --labels header.csv $trusted
bad --features nowhere.npy --labels y.npy $trusted
