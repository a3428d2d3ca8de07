# No line of help is wider than a terminal, commands to copy apart.
for verb in clean predict meta solvers plan demo rates data help; do "$SUSTAIN" help "$verb"; done | grep -v "^  sustain " | awk "length > 80"
