# The model of costs in docs/scale.md runs, and is within 25 % of the CPU seconds that were
# measured.
needs python3
cat >compare.py <<'PYTHON'
import subprocess, sys
measured = {10_000: 1.42, 100_000: 9.6, 400_000: 22.6, 2_000_000: 48.7, 20_000_000: 383}
for rows, seconds in measured.items():
    text = subprocess.run([sys.executable, sys.argv[1], "--rows", str(rows)], check=True, capture_output=True, text=True).stdout
    said = float(next(line.split()[1] for line in text.splitlines() if line.startswith("all")))
    print(rows, "within 25 %" if abs(said / seconds - 1) < 0.25 else f"model {said}, measured {seconds}")
PYTHON
python3 compare.py "$CASES/../../tools/scale_model.py"
python3 "$CASES/../../tools/scale_model.py" | grep -c '^| 20,000,000 '
