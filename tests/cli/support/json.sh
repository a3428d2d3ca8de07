# json.sh - json PATH...: reads exactly one JSON object from stdin and prints the value at each path, one a line.
json() {
    if command -v python3 >/dev/null; then
        python3 -c '
import json, sys
data = json.load(sys.stdin, parse_constant=lambda word: sys.exit("not JSON: " + word))
assert isinstance(data, dict), "not an object"
for path in sys.argv[1:]:
    value = data
    for part in path.split("."):
        value = value[int(part)] if isinstance(value, list) else value[part]
    print(json.dumps(value, separators=(",", ":")))' "$@"
    else # jq writes [0] for .0
        local path program='if type == "object" then . else error("not an object") end'
        for path in "$@"; do program+=", .$path"; done
        jq -c "$(sed -E 's/\.([0-9]+)/[\1]/g' <<<"$program")" | tail -n +2
    fi
}
