# Pictures beside features that are none: from a folder, a list of files and an array the gallery
# shows the worst rows.
needs python3
python3 - <<'EOF'
import os, random, struct, zlib
source = random.Random(4)
N = 120
with open("data.csv", "w") as file:
    file.write("x,y,kind\n")
    for i in range(N):
        k = source.randrange(2)
        file.write("%.3f,%.3f,c%d\n" % (3 * k + source.gauss(0, 1), source.gauss(0, 1), k if i % 9 else 1 - k))
def png(path, grey):
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = zlib.compress(b"".join(b"\0" + bytes([grey]) * 8 for _ in range(8)))
    open(path, "wb").write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 8, 8, 8, 0, 0, 0, 0)) + chunk(b"IDAT", rows) + chunk(b"IEND", b""))
os.mkdir("folder")
for i in range(N):
    png("folder/%d.png" % i, 2 * i)  # 9.png comes before 10.png
open("list.txt", "w").write("".join("folder/%d.png\n" % i for i in range(N)))
head = "{'descr': '|u1', 'fortran_order': False, 'shape': (%d, 100, 80), }" % N
head += " " * (63 - (10 + len(head)) % 64) + "\n"
open("array.npy", "wb").write(b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head.encode() + b"".join(bytes([2 * i]) * 8000 for i in range(N)))
EOF
for pictures in folder list.txt array.npy; do
    "$SUSTAIN" clean --features data.csv --label-column kind --pictures $pictures --iterations 50 --threads 1 --quiet --out run >/dev/null 2>&1
    python3 - $pictures <<'EOF'
import csv, re, sys
rows = sorted(csv.DictReader(open("run/labels.csv")), key=lambda r: (float(r["label_quality"]), int(r["index"])))
data = open("run/gallery.npy", "rb").read()
shape = [int(n) for n in re.search(rb"\(([0-9, ]+)\)", data).group(1).decode().split(",") if n.strip()]
size = 1
for n in shape[1:]:
    size *= n
pixels = data[-shape[0] * size :]
assert all(set(pixels[k * size : (k + 1) * size]) == {2 * int(r["index"])} for k, r in enumerate(rows))
print(sys.argv[1], shape)
EOF
done
rm folder/5.png
"$SUSTAIN" clean --features data.csv --label-column kind --pictures folder --out other
echo "exit $?"
"$SUSTAIN" clean --features data.csv --label-column kind --pictures data.npy --out other
echo "exit $?"
