# Options that do not go together, or say what cannot be.
needs python3
python3 "$CASES/support/blobs.py"
bad() {
    "$SUSTAIN" clean "$@" --threads 1 --out run 2>&1
    echo "exit $?"
    test ! -e run || ls run
}
trusted="--trusted tx.npy --trusted-labels ty.npy"
bad
bad x.npy
bad --features x.npy --dataset mnist
bad --dataset generated --labels y.npy
bad --dataset generated --split 5
bad --dataset generated --split 1000000:1
bad --dataset fashion-mnits
bad --features x.npy $trusted
bad --features x.npy --labels y.npy $trusted --trusted-fraction 0.1
bad --features x.npy --labels y.npy --trusted-labels ty.npy --trusted-fraction 0.1
bad --features x.npy --labels y.npy $trusted --test-labels ty.npy
bad --features x.npy --labels y.npy $trusted --split 100:20
bad --features x.npy --labels y.npy $trusted --trusted-count 61
bad --features x.npy --labels y.npy --trusted data.libsvm
bad --features x.npy --labels y.npy $trusted --image-shape 3
bad --features x.npy --labels y.npy $trusted --image-shape 2x2
bad --features x.npy --labels y.npy $trusted --noise-kind odd
bad --features x.npy --labels y.npy $trusted --solver sustian
bad --features x.npy --labels y.npy $trusted --set bacth=4
bad --features x.npy --labels y.npy $trusted --seconds 0
