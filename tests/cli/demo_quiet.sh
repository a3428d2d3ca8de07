"$SUSTAIN" demo --iterations 100 --runs 1 --quiet
