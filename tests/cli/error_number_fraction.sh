"$SUSTAIN" demo --runs 1.5
