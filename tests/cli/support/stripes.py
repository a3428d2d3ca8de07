"""stripes.py DIR COUNT FIRST - writes COUNT pictures (PNG, 40 x 32) of each of three classes into DIR/CLASS/: stripes that lie, stand or lean, which no two have in the
same place; numbered from FIRST."""
import pathlib
import struct
import sys
import zlib

WIDTH, HEIGHT = 40, 32


def chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def png(pixel):
    rows = b"".join(b"\0" + bytes(v for x in range(WIDTH) for v in pixel(x, y)) for y in range(HEIGHT))
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


folder, count, first = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
for name, (across, down) in {"lying": (0, 1), "standing": (1, 0), "leaning": (1, 1)}.items():
    (folder / name).mkdir(parents=True, exist_ok=True)
    for k in range(first, first + count):
        def pixel(x, y):
            light = (across * x + down * y + 3 * k) // 4 % 2
            return (250 - 20 * k % 90, 200, 10 * k % 120) if light else (20 + 15 * k % 70, 30, 60)
        (folder / name / f"{k}.png").write_bytes(png(pixel))
