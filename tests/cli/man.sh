# Every command and flag of the help is in the man page, and troff has nothing to say about it.
"$SUSTAIN" --man >sustain.1
for verb in clean predict solvers plan demo rates data help; do
    "$SUSTAIN" help $verb | grep -Eo "^  --[A-Za-z_-]+" | while read -r flag; do
        grep -qF -- ".B ${flag//-/\\-}" sustain.1 || echo "the man page lacks $flag"
    done
done
if command -v groff >/dev/null; then groff -man -Tascii -wall sustain.1 >/dev/null; fi
if command -v mandoc >/dev/null; then mandoc -Tlint -Wwarning sustain.1; fi
grep "^\.S[HS]" sustain.1
