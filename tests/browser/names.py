"""names.py CLASSES FILE.csv - rows of classes whose names are hard to show: long, of one word, in other scripts, with signs of HTML and CSV in them."""
import csv
import random
import sys

NAMES = ['<script>alert(1)</script>', '"quoted", with a comma', 'x', 'a' * 40, 'a name of forty characters, with its end', 'Grüße & Öl', 'кошка', '日本語の名前']

count, source = int(sys.argv[1]), random.Random(3)
with open(sys.argv[2], 'w', newline='') as file:
    lines = csv.writer(file)
    lines.writerow([f'x{j}' for j in range(12)] + ['kind'])
    middles = [[source.gauss(0, 2) for _ in range(12)] for _ in range(count)]
    for i in range(40 * count):
        k = i % count
        given = source.randrange(count) if source.random() < 0.2 else k
        lines.writerow([f'{source.gauss(m, 1):.4g}' for m in middles[k]] + [NAMES[given] if given < len(NAMES) else f'class number {given}'])
