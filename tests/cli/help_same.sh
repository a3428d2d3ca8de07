for verb in clean predict meta solvers plan demo rates data help; do
    cmp <("$SUSTAIN" "$verb" --help) <("$SUSTAIN" help "$verb") || exit 1
    cmp <("$SUSTAIN" "$verb" -h) <("$SUSTAIN" help "$verb") || exit 1
done
cmp <("$SUSTAIN" --help) <("$SUSTAIN" help)
