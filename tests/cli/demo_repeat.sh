# Same seed, same numbers; another seed, others.
. "$CASES/support/json.sh"
numbers() { "$SUSTAIN" demo --iterations 200 --runs 2 --seed "$1" --json | json rows sustain sgd; }
numbers 3 >first
numbers 3 | cmp first - && ! numbers 4 | cmp -s first -
