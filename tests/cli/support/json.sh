# json.sh - json PATH...: reads exactly one JSON object from stdin and prints the value at each
# path, one a line.
needs python3
json() {
    python3 -c '
import json, sys
data = json.load(sys.stdin, parse_constant=lambda word: sys.exit("not JSON: " + word))
assert isinstance(data, dict), "not an object"
for path in sys.argv[1:]:
    value = data
    for part in path.split("."):
        value = value[int(part)] if isinstance(value, list) else value[part]
    print(json.dumps(value, separators=(",", ":")))' "$@"
}
