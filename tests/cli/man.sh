# Every command and flag of the help is in the man page.
"$SUSTAIN" --man >sustain.1
for verb in clean predict solvers plan demo rates data help; do
    "$SUSTAIN" help $verb | grep -Eo "^  --[A-Za-z_-]+" | while read -r flag; do
        grep -qF -- ".B ${flag//-/\\-}" sustain.1 || echo "the man page lacks $flag"
    done
done
grep "^\.S[HS]" sustain.1
