# Checkpoints: one bit that is flipped is noticed, and the checkpoint before it is used, with the
# same end; data that changed is refused; one without a checksum is loaded with a warning.
# long
needs python3
awk 'BEGIN { srand(5); for (i = 0; i < 200; i++) { a = rand() - .5; b = rand() - .5; print (a + .3 * (rand() - .5) > 0 ? 1 : -1) " 1:" a " 3:" b } }' > data.libsvm
options="--penalty feature --solver sustain --features data.libsvm --threads 1 --quiet"
# shellcheck disable=SC2086
"$SUSTAIN" tune $options --iterations 400 --out whole >/dev/null
for end in 100 200; do
    # shellcheck disable=SC2086
    "$SUSTAIN" tune $options --iterations $end --out parts --resume >/dev/null
done
ls parts | grep checkpoint
flip() {
    cp -r parts "$1"
    python3 - "$1/checkpoint.safetensors" "$2" <<'PYTHON'
import sys
path, part = sys.argv[1], float(sys.argv[2])
data = bytearray(open(path, "rb").read())
header = 8 + int.from_bytes(data[:8], "little")
at = header + int(part * (len(data) - header))
data[at] ^= 4
open(path, "wb").write(data)
PYTHON
}
for part in 0 0.1 0.3 0.5 0.7 0.9 0.999; do
    flip flipped-$part $part
    "$SUSTAIN" tune --out flipped-$part --resume --iterations 400 --threads 1 --quiet 2>&1 >/dev/null | sed "s/$part/N/"
    cmp whole/penalties.csv flipped-$part/penalties.csv && echo "the same"
done
flip both 0.5
cp both/checkpoint.safetensors both/checkpoint-previous.safetensors
"$SUSTAIN" tune --out both --resume --iterations 400 --threads 1 --quiet 2>&1
rm -r both
cp -r parts old
python3 -c "
path = 'old/checkpoint.safetensors'
data = open(path, 'rb').read()
open(path, 'wb').write(data.replace(b'\"checksum\"', b'\"checkold\"').replace(b'\"run\"', b'\"rum\"'))"
"$SUSTAIN" tune --out old --resume --iterations 400 --threads 1 2>&1 >/dev/null | grep -v "memory: "
cmp whole/penalties.csv old/penalties.csv && echo "the same"
sed -i '2s/ 1:[^ ]*/ 1:0.7/' data.libsvm
"$SUSTAIN" tune --out parts --resume --iterations 400 --threads 1 --quiet 2>&1 | sed 's/(.*)/(...)/'
# Files that exchange their content are other data; under other names they are the same.
awk 'NR % 2' data.libsvm > odd.libsvm
awk 'NR % 2 == 0' data.libsvm > even.libsvm
"$SUSTAIN" tune --penalty feature --solver sustain --features odd.libsvm --valid even.libsvm --threads 1 --iterations 20 --out two --quiet >/dev/null
fingerprint() { grep '"fingerprint"' "$1/config.json"; }
fingerprint two > first
cp odd.libsvm a.libsvm
cp even.libsvm b.libsvm
"$SUSTAIN" tune --penalty feature --solver sustain --features a.libsvm --valid b.libsvm --threads 1 --iterations 20 --out renamed --quiet >/dev/null
fingerprint renamed | cmp - first && echo "other names: the same data"
cp b.libsvm odd.libsvm
cp a.libsvm even.libsvm
"$SUSTAIN" tune --out two --resume --iterations 40 --threads 1 --quiet 2>&1 | sed 's/(.*)/(...)/'
