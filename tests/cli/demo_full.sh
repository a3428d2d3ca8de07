# A page that cannot be written is said, and no half of it stays.
mkdir demo && ln -s /dev/full/x demo/index.html && mkdir demo/chart.svg
"$SUSTAIN" demo --iterations 100 --runs 1
code=$?
ls demo
exit $code
