"""PNG and JPEG files byte by byte, without any library but zlib: what is in them is known, and every kind and every damage can be made."""
import struct
import zlib

ZIGZAG = sorted(range(64), key=lambda i: (i // 8 + i % 8, (i // 8 if (i // 8 + i % 8) % 2 else i % 8)))


# ---- PNG ----

def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def pack_row(samples, depth):
    """Samples of one row as bytes: 16 bits high byte first, fewer than 8 packed."""
    if depth == 16:
        return b"".join(struct.pack(">H", s) for s in samples)
    per_byte = 8 // depth
    out = bytearray()
    for i in range(0, len(samples), per_byte):
        part = list(samples[i:i + per_byte])
        part += [0] * (per_byte - len(part))
        out.append(sum(s << (8 - depth * (k + 1)) for k, s in enumerate(part)))
    return bytes(out)


def png(rows, kind, depth, palette=None, transparent=None, interlaced=False, width=None, height=None):
    """rows: lists of samples, channels interleaved. kind: 0 grey, 2 colour, 3 palette, 4 grey with alpha, 6 colour with alpha."""
    channels = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[kind]
    h, w = len(rows), len(rows[0]) // channels
    passes = [(0, 0, 1, 1)]
    if interlaced:  # first row, first column, row step, column step
        passes = [(0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1)]
    raw = b""
    for top, left, down, right in passes:
        for row in rows[top::down]:
            samples = [s for x in range(left, w, right) for s in row[x * channels:(x + 1) * channels]]
            if samples:
                raw += b"\0" + pack_row(samples, depth)
    out = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width or w, height or h, depth, kind, 0, 0, int(interlaced)))
    if palette:
        out += chunk(b"PLTE", bytes(v for colour in palette for v in colour))
    if transparent:
        out += chunk(b"tRNS", transparent)
    return out + chunk(b"IDAT", zlib.compress(raw, 9)) + chunk(b"IEND", b"")


# ---- JPEG ----
# Huffman codes: four bits for the twelve sizes of DC differences, eight bits for the symbols of AC coefficients.

DC_SYMBOLS = list(range(12))
AC_SYMBOLS = [0x00, 0xF0] + [run << 4 | size for run in range(16) for size in range(1, 11)]


def segment(marker, data):
    return bytes([0xFF, marker]) + struct.pack(">H", len(data) + 2) + data


def huffman_table(place, symbols, length):
    return bytes([place]) + bytes(len(symbols) if i == length else 0 for i in range(1, 17)) + bytes(symbols)


class Bits:
    def __init__(self):
        self.text = []

    def put(self, value, count):
        if count:
            self.text.append(format(value, f"0{count}b"))

    def number(self, value):
        """Size and bits of a coefficient."""
        size = abs(value).bit_length()
        return size, value if value >= 0 else value + (1 << size) - 1

    def done(self):
        text = "".join(self.text)
        text += "1" * (-len(text) % 8)
        return bytes(int(text[i:i + 8], 2) for i in range(0, len(text), 8)).replace(b"\xff", b"\xff\0")


def put_dc(bits, difference):
    size, value = bits.number(difference)
    bits.put(DC_SYMBOLS.index(size), 4)
    bits.put(value, size)


def put_ac(bits, block):
    run = 0
    for k in range(1, 64):
        value = block[ZIGZAG[k]]
        if value == 0:
            run += 1
            continue
        while run > 15:
            bits.put(AC_SYMBOLS.index(0xF0), 8)
            run -= 16
        size, coded = bits.number(value)
        bits.put(AC_SYMBOLS.index(run << 4 | size), 8)
        bits.put(coded, size)
        run = 0
    if run:
        bits.put(AC_SYMBOLS.index(0), 8)


def scan_header(components, first, last):
    return segment(0xDA, bytes([len(components)]) + b"".join(bytes([c + 1, 0]) for c in components) + bytes([first, last, 0]))


def jpeg(height, width, components, quantum=1, adobe=None, progressive=False):
    """components: (blocks down, blocks right, {(row, column): 64 coefficients in natural order}, sampling) a component; sampling 1 or 2 in both
    directions. Progressive: no subsampling."""
    out = b"\xff\xd8"
    if adobe is not None:
        out += segment(0xEE, b"Adobe\0\x64\0\0\0\0" + bytes([adobe]))
    out += segment(0xDB, b"\0" + bytes([quantum] * 64))
    out += segment(0xC2 if progressive else 0xC0, struct.pack(">BHHB", 8, height, width, len(components)) +
                   b"".join(bytes([i + 1, c[3] << 4 | c[3], 0]) for i, c in enumerate(components)))
    out += segment(0xC4, huffman_table(0x00, DC_SYMBOLS, 4)) + segment(0xC4, huffman_table(0x10, AC_SYMBOLS, 8))
    numbers = list(range(len(components)))
    largest = max(c[3] for c in components)
    bits, before = Bits(), [0] * len(components)
    down, right = components[0][0] // components[0][3], components[0][1] // components[0][3]
    assert all(c[0] == down * c[3] and c[1] == right * c[3] for c in components) and largest in (1, 2)
    for y in range(down):
        for x in range(right):
            for i, (_, _, blocks, sampling) in enumerate(components):
                for v in range(sampling):
                    for u in range(sampling):
                        block = blocks[y * sampling + v, x * sampling + u]
                        put_dc(bits, block[0] - before[i])
                        before[i] = block[0]
                        if not progressive:
                            put_ac(bits, block)
    out += scan_header(numbers, 0, 0 if progressive else 63) + bits.done()
    for i in numbers if progressive else []:
        bits = Bits()
        for y in range(components[i][0]):
            for x in range(components[i][1]):
                put_ac(bits, components[i][2][y, x])
        out += scan_header([i], 1, 63) + bits.done()
    return out + b"\xff\xd9"
