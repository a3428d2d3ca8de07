# A pipe and a link are written to, and stay what they are.
"$SUSTAIN" demo --iterations 100 --runs 1 --quiet --out run >/dev/null
mkfifo pipe
ln -s elsewhere link
timeout 20 cat pipe >copy &
"$SUSTAIN" report run -o pipe
wait
"$SUSTAIN" report run -o link
cmp copy run/report.html && cmp elsewhere run/report.html
[ -p pipe ] && [ -L link ] && ls
