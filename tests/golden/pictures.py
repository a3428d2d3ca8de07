#!/usr/bin/env python3
"""Writes tests/golden/pictures: a PNG or JPEG file of every kind, and beside each, NAME.bytes, the pixels that it holds, one channel after the other, computed here and
not by a decoder. tests/unit/test_picture.c compares. And a small Omniglot."""
import pathlib
import sys

import numpy as np

here = pathlib.Path(__file__).parent
sys.path.insert(0, str(here.parent / "support"))
from picture_files import jpeg, png  # noqa: E402

folder = here / "pictures"
folder.mkdir(exist_ok=True)
random = np.random.default_rng(1)


def save(name, content, pixels):
    """pixels: (height, width) or (height, width, channels)"""
    pixels = np.clip(np.floor(np.asarray(pixels, float) + 0.5), 0, 255).astype("uint8")
    planar = pixels[None] if pixels.ndim == 2 else pixels.transpose(2, 0, 1)
    (folder / name).write_bytes(content)
    (folder / (name.split(".")[0] + ".bytes")).write_bytes(planar.tobytes())


def rows(array):
    return array.reshape(len(array), -1).tolist()


H, W = 11, 13
grey, colour = random.integers(0, 256, (H, W)), random.integers(0, 256, (H, W, 3))
for depth in (1, 2, 4, 8, 16):
    samples = random.integers(0, 2**depth, (H, W))
    save(f"grey{depth}.png", png(rows(samples), 0, depth), samples * 255 / (2**depth - 1))
save("colour8.png", png(rows(colour), 2, 8), colour)
wide = random.integers(0, 65536, (H, W, 3))
save("colour16.png", png(rows(wide), 2, 16), wide * 255 / 65535)
palette = random.integers(0, 256, (16, 3))
index = random.integers(0, 16, (H, W))
save("palette4.png", png(rows(index), 3, 4, palette=palette.tolist()), palette[index])
save("interlaced.png", png(rows(colour), 2, 8, interlaced=True), colour)


def on_white(samples, alpha):
    """What is transparent is laid on white, light being added up as light: with the curve of sRGB."""
    s = samples / 255
    light = np.where(s <= 0.04045, s / 12.92, ((s + 0.055) / 1.055) ** 2.4)
    light = light * alpha / 255 + 1 - alpha / 255
    return 255 * np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)


alpha = random.choice([0, 60, 128, 255], (H, W, 1))
save("colour_alpha.png", png(rows(np.concatenate([colour, alpha], 2)), 6, 8), on_white(colour, alpha))
save("grey_alpha.png", png(rows(np.stack([grey, alpha[:, :, 0]], 2)), 4, 8), on_white(grey, alpha[:, :, 0]))
clear = np.where(index == 5, 255, 0)[:, :, None]
save("palette_clear.png", png(rows(index), 3, 4, palette=palette.tolist(), transparent=bytes([255] * 5 + [0])),
     np.where(clear == 255, 255, palette[index]))

# ---- Omniglot as NPZ: the drawing that tests/unit/test_pictures.c makes, ink in the left upper corner, of eight characters by two people ----

paper = np.ones((8, 2, 105, 105), bool)
paper[:, :, :15, :30] = False
np.savez_compressed(folder / "omniglot.npz", images=paper, labels=np.arange(8))

# ---- JPEG: random coefficients, transformed back by the definition ----

basis = np.array([[np.sqrt((1 if u else 0.5) / 4) * np.cos((2 * x + 1) * u * np.pi / 16) for x in range(8)] for u in range(8)])


def component(down, right, sampling=1, flat=False, quantum=4):
    """Blocks of coefficients, and their samples before colours are made of them."""
    blocks, samples = {}, np.zeros((8 * down, 8 * right))
    for y in range(down):
        for x in range(right):
            block = np.zeros((8, 8), int)
            block[0, 0] = random.integers(-120, 120)
            if not flat:
                for _ in range(6):
                    block[tuple(random.integers(0, 8, 2))] = random.integers(-30, 30)
            blocks[y, x] = block.ravel().tolist()
            samples[8 * y:8 * y + 8, 8 * x:8 * x + 8] = basis.T @ (block * quantum) @ basis + 128
    return (down, right, blocks, sampling), np.clip(np.round(samples), 0, 255)


def to_colours(y, cb, cr):
    return np.stack([y + 1.402 * (cr - 128), y - 0.344136 * (cb - 128) - 0.714136 * (cr - 128), y + 1.772 * (cb - 128)], 2)


H, W = 14, 21
cut = lambda samples: samples[:H, :W]
for name, kinds in {"grey_jpeg.jpg": {}, "grey_progressive.jpg": {"progressive": True}}.items():
    part, samples = component(2, 3)
    save(name, jpeg(H, W, [part], 4, **kinds), cut(samples))
for name, kinds in {"colour_jpeg.jpg": {}, "colour_progressive.jpg": {"progressive": True}}.items():
    parts, samples = zip(*[component(2, 3) for _ in range(3)])
    save(name, jpeg(H, W, parts, 4, **kinds), to_colours(*map(cut, samples)))
parts, samples = zip(*[component(2, 3) for _ in range(3)])
save("adobe_rgb.jpg", jpeg(H, W, parts, 4, adobe=0), np.stack([cut(s) for s in samples], 2))
parts, samples = zip(*[component(2, 3) for _ in range(4)])
inks = [cut(s) for s in samples]
save("adobe_cmyk.jpg", jpeg(H, W, parts, 4, adobe=0), np.stack([i * inks[3] / 255 for i in inks[:3]], 2))
save("plain_cmyk.jpg", jpeg(H, W, parts, 4), np.stack([(255 - i) * (255 - inks[3]) / 255 for i in inks[:3]], 2))
inverted = 255 - np.clip(np.round(to_colours(*inks[:3])), 0, 255)
save("adobe_ycck.jpg", jpeg(H, W, parts, 4, adobe=2), inverted * inks[3][:, :, None] / 255)
# Half the resolution of colours; one block of them, flat, so that it does not matter how they are interpolated.
luma, luma_samples = component(2, 2, sampling=2)
(blue, blue_samples), (red, red_samples) = component(1, 1, flat=True), component(1, 1, flat=True)
H, W = 16, 15
save("subsampled.jpg", jpeg(H, W, [luma, blue, red], 4), to_colours(cut(luma_samples), *(np.full((H, W), s[0, 0]) for s in (blue_samples, red_samples))))
