"$SUSTAIN" demo --runs many
