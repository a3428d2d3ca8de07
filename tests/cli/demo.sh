"$SUSTAIN" demo --iterations 1000 --runs 2 --out here/there
ls here/there
