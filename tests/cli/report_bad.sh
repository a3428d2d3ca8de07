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
cp run/review.csv good.csv
bad_rows() {
    sed "$1" good.csv >run/review.csv
    refused run -o page.html
}
bad_rows '3s/,[01],[^,]*,[^,]*$//'
bad_rows '4s/^\([0-9]*\),[^,]*,/\1,no class,/'
bad_rows '4s/^\([0-9]*\),[^,]*,/\1,0,/'
bad_rows '2s/,[^,]*,\([01],[^,]*,[^,]*\)$/,nan,\1/'
bad_rows '1s/quality/worth/'
cp good.csv run/review.csv
printf 'row,text\n1,a\n2\n' >run/shown.csv
refused run -o page.html
rm run/shown.csv run/review.csv good.csv
refused run -o page.html
ls
if ls run | grep report; then exit 1; fi
