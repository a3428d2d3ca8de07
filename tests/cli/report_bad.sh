# What cannot be shown: one sentence, exit code 2, no page.
needs python3
refused() {
    "$SUSTAIN" report "$@" 2>&1
    echo "exit code $?"
}
python3 "$CASES/support/blobs.py"
"$SUSTAIN" clean --features data.csv --label-column kind --trusted trusted.csv --iterations 100 --quiet --out run >/dev/null
"$SUSTAIN" demo --iterations 100 --runs 1 --quiet --out demo >/dev/null
rm run/report.html
mkdir empty broken other begun
echo '{"command": "clean"' >broken/config.json
echo '{"command": "plan"}' >other/config.json
echo '{"command": "clean"}' >begun/config.json
refused
refused nowhere
refused empty -o page.html
refused broken -o page.html
refused other -o page.html
refused begun -o page.html
refused run demo -o page.html
refused run run
refused run -o missing/page.html
refused run -o ./
sed -i '3s/,[01]$//' run/issues.csv
refused run
sed -i 's/,[a-z]*,/,dog,/' run/issues.csv
refused run -o page.html
rm run/issues.csv
refused run -o page.html
ls
if ls run | grep report; then exit 1; fi
