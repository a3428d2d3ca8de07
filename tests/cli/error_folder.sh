touch there
"$SUSTAIN" demo --iterations 100 --runs 1 --out there/below
