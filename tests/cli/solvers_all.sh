# The table has a line for every algorithm that --json lists, and each has its own page; how many
# there are does not matter.
"$SUSTAIN" solvers --json | sed -n 's/^      "name": "\(.*\)",$/\1/p' >names
[ -s names ] || echo "no names in the JSON"
"$SUSTAIN" solvers >table
while read -r name; do
    grep -q "^$name  *[^ ]" table || echo "$name is not in the table"
    [ "$("$SUSTAIN" solvers "$name" | head -n 1)" = "$name" ] || echo "$name has no page"
    [ "$(awk 'length > 80' table | wc -l)" = 0 ] || echo "the table is wider than 80 columns"
done <names
