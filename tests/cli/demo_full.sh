# A page that cannot be written is said, and no half of it stays.
mkdir demo demo/report.html
"$SUSTAIN" demo --iterations 100 --runs 1
code=$?
ls demo
exit $code
