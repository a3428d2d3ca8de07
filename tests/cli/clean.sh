# Text labels in CSV files: the summary, every file of the run, and a report that shows HTML as
# text.
needs python3
python3 "$CASES/support/blobs.py" truth
"$SUSTAIN" clean --features data.csv --label-column kind --trusted trusted.csv --test test.csv --iterations 2000 --threads 1 --out run
ls run
wc -l <run/labels.csv
head -1 run/labels.csv
python3 "$CASES/support/found.py" run/labels.csv truth.csv 0.9 0.8
awk -F, '$6 == 1' run/labels.csv | sort -t, -k5,5g | cut -d, -f5 | cmp - <(tail -n +2 run/issues.csv | cut -d, -f5)
echo "kept and flagged: $(($(wc -l <run/cleaned.csv) - 1 + $(awk -F, '$6 == 1' run/labels.csv | wc -l)))"
echo "corrected by nobody: $(grep -c ',0$' run/corrected.csv)"
echo "alert( as text: $(($(grep -c '&lt;script&gt;alert(1)' run/report.html) > 0)), as a script: $(grep -c '<script>alert' run/report.html)"
if grep -E "(src|href)=" run/report.html; then exit 1; fi
