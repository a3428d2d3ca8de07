# Classes that no linear score separates, a ring around a disc: the model of a run has Fourier
# features, on raw numbers whatever they were scaled by, and `predict` says what the run said.
. "$CASES/support/json.sh"
python3 - <<'END'
import math, random, struct
source = random.Random(5)
def points(count):
    for _ in range(count):
        ring = source.random() < 0.5
        angle, radius = source.uniform(0, 2 * math.pi), source.uniform(1.8, 3) if ring else source.uniform(0, 2)
        yield 2000 + radius * math.cos(angle), 0.01 * radius * math.sin(angle), source.choice("xyz"), "ring" if ring else "disc"
def csv(name, rows):
    with open(name, "w") as file:
        file.write("a,b,c,kind\n" + "".join("%.6f,%.6f,%s,%s\n" % row for row in rows))
other = {"ring": "disc", "disc": "ring"}
train, test = list(points(500)), list(points(200))
noisy = [row[:3] + (other[row[3]] if source.random() < 0.2 else row[3],) for row in train]
csv("train.csv", noisy), csv("test.csv", test), csv("trusted.csv", list(points(80)))
with open("checked.csv", "w") as file:
    file.write("row,label\n" + "".join("%d,%s\n" % (i, train[i][3]) for i in range(0, 500, 5)))
for name, rows in (("train", noisy), ("test", test)):  # numbers that are 0 are not written
    with open(name + ".libsvm", "w") as file:
        for a, b, _, kind in rows:
            numbers = ["%d:%.4f" % (j + 1, v) for j, v in enumerate((a - 2000, 100 * b)) if abs(v) > 0.05]
            file.write(" ".join([str(int(kind == "ring"))] + numbers) + "\n")
END
high() { # FILE KEY
    json "$2" <"$1" | awk -v key="$2" '{ print key, ($1 > 0.9 ? "above 0.9" : $1) }'
}
try() { # NAME TEST options...
    local name=$1 test=$2
    shift 2
    "$SUSTAIN" clean "$@" --test "$test" --threads 1 --quiet --json --out "$name" >"$name.json" 2>/dev/null
    echo "$name: $(high "$name.json" test_accuracy)"
    "$SUSTAIN" predict "$name/model.safetensors" "$test" $(case $test in *.csv) echo --label-column kind ;; esac) --json >predicted.json
    json test_accuracy <"$name.json" | awk "{ print \$1 + 0 }" >there
    json accuracy <predicted.json | awk "{ print \$1 + 0 }" >here
    cmp there here
    grep -ac "sustain model 2" "$name/model.safetensors"
}
table="--features train.csv --label-column kind"
try verified test.csv $table --verified checked.csv
try trusted test.csv $table --trusted trusted.csv
try nothing test.csv $table
try sparse test.libsvm --features train.libsvm
# The same bits for any number of threads, and after a review with nothing new.
"$SUSTAIN" clean $table --verified checked.csv --test test.csv --threads 3 --quiet --out three >/dev/null 2>&1
cmp verified/model.safetensors three/model.safetensors
"$SUSTAIN" clean --out three --resume --quiet >/dev/null 2>&1
cmp verified/model.safetensors three/model.safetensors
# A model that was damaged is refused, wherever.
python3 - <<'END'
whole = bytearray(open("nothing/model.safetensors", "rb").read())
for name, at in (("header", 20), ("waves", len(whole) // 2), ("end", len(whole) - 1)):
    part = whole[:]
    part[at] ^= 0x40
    open(name + ".safetensors", "wb").write(part)
END
for name in header waves end; do
    "$SUSTAIN" predict $name.safetensors test.csv --label-column kind 2>&1 | cut -d: -f1-3 | cut -c1-50
done
