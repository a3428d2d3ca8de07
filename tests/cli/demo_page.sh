# One page that needs no other file, every number of the JSON on it.
"$SUSTAIN" demo --iterations 1000 --runs 2 --quiet >/dev/null
ls demo
grep -c "<tr>" demo/report.html
grep -Eo "(src|href)=" demo/report.html
grep -o "sustain demo --iterations 1000 --runs 2" demo/report.html
