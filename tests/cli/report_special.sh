# A pipe and a link are written to, and stay what they are. Once a link stands for a file, that is
# replaced as a whole by another one.
"$SUSTAIN" demo --iterations 100 --runs 1 --quiet --out run >/dev/null
mkfifo pipe
ln -s elsewhere link
timeout 120 cat pipe >copy &
"$SUSTAIN" report run -o pipe
wait
"$SUSTAIN" report run -o link
cmp copy run/report.html && cmp elsewhere run/report.html
before=$(stat -c %i elsewhere)
"$SUSTAIN" report run -o link
[ "$before" != "$(stat -c %i elsewhere)" ] || echo "written in place"
cmp elsewhere run/report.html
[ -p pipe ] && [ -L link ] && ls
