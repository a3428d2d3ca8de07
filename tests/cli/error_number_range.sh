"$SUSTAIN" demo --runs 0
