# On a terminal there is a line that says how far it is.
needs python3
python3 "$CASES/support/blobs.py"
python3 - >screen <<'EOF'
import os, pty
pty.spawn([os.environ["SUSTAIN"], "clean", "--features", "x.npy", "--labels", "y.npy", "--trusted", "tx.npy", "--trusted-labels", "ty.npy",
           "--iterations", "2000", "--threads", "1"])
EOF
tr '\r' '\n' <screen | grep -Ec "^iteration [0-9]+  loss [0-9.]+  trusted [0-9.]+ %  [0-9]+/s  [0-9.]+ s left" >count
test "$(cat count)" -gt 5 && echo "progress"
tr '\r' '\n' <screen | grep -o "The report: run/report.html"
