# No line of help is wider than a terminal, commands to copy apart.
for verb in solvers plan demo help; do "$SUSTAIN" help "$verb"; done | grep -v "^  sustain " | awk "length > 80"
