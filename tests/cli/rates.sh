# Tables, plots and the page.
"$SUSTAIN" rates --quick --solvers sustain,saba --problem nonconvex --budget 50 --plot --out here
ls here
grep -Eo "(src|href)=" here/report.html
grep -o "sustain rates --solvers sustain,saba --problem nonconvex --quick --budget 50" here/report.html
