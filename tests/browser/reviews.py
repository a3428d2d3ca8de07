"""reviews.py FOLDER - run folders of `sustain clean` with everything that its page can show, made by a program: known truth, probabilities that are right, groups, texts,
pictures, verified rows. FOLDER/pictures has 10 classes and pictures, FOLDER/texts 1,000 classes and texts, FOLDER/fields a few columns and rows to ask about next."""
import csv
import json
import math
import os
import random
import struct
import sys

NAMES = ['airplane', 'automobile', 'bird', 'cat', 'deer', 'dog', 'frog', 'horse', 'ship', 'truck']
WORDS = 'the quick brown fox jumps over a lazy dog while <b>markets</b> close & "prices" rise in Zürich'.split()


def fnv(lines):
    value = 0xcbf29ce484222325
    for byte in ''.join(lines).encode():
        value = (value ^ byte) * 0x100000001b3 % 2 ** 64
    return f'r{value:016x}'


def picture(k, noise):
    """A bar whose place shows the class, 16 x 16, three channels."""
    return bytes(min(255, max(0, int((220 if x // 2 == k % 8 or y // 2 == k % 8 else 30) + 40 * (c == k % 3) + noise.gauss(0, 12)))) for y in range(16) for x in range(16) for c in range(3))


def npy(path, shape, data):
    header = f"{{'descr': '|u1', 'fortran_order': False, 'shape': {shape}, }}"
    header += ' ' * (-(len(header) + 11) % 64) + '\n'
    with open(path, 'wb') as file:
        file.write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(header)) + header.encode() + data)


def make(folder, names, count, seed, texts=False, pictures=False, fields=False, groups=0, verified=0):
    source = random.Random(seed)
    os.makedirs(folder, exist_ok=True)
    rows = []
    for i in range(count):
        given = source.randrange(len(names))
        p = source.betavariate(0.35, 1.6)
        other = (given + source.randrange(1, len(names))) % len(names)
        truth = other if source.random() < p else given
        rows.append({'row': 3 * i, 'given': given, 'suggested': other if p > 0.3 else given, 'weight': round(1 - p * source.random(), 5), 'quality': round(1 - p, 6), 'is_issue': int(p > 0.4),
                     'probability_wrong': round(p, 6), 'truth': truth, 'verified': truth if i < verified else -1, 'group': source.randrange(groups) if groups else -1, 'next': 0})
    identity = fnv(f'{row["row"]},{names[row["given"]]}\n' for row in rows)
    rows.sort(key=lambda row: row['quality'])
    if fields:
        for place, row in enumerate(source.sample(rows[len(rows) // 2:], 20)):
            row['next'] = place + 1
    columns = [name for name in rows[0] if name != 'truth' and (groups or name != 'group') and (verified or name != 'verified') and (fields or name != 'next')]
    with open(os.path.join(folder, 'review.csv'), 'w', newline='') as file:
        lines = csv.DictWriter(file, columns, extrasaction='ignore', lineterminator='\n')
        lines.writeheader()
        lines.writerows(rows)
    with open(os.path.join(folder, 'truth.json'), 'w') as file:
        json.dump({row['row']: names[row['truth']] for row in rows}, file)
    if texts or fields:
        with open(os.path.join(folder, 'shown.csv'), 'w', newline='') as file:
            lines = csv.writer(file, lineterminator='\n')
            lines.writerow(['row', 'body'] if texts else ['row', 'name', 'age', 'notes, as they came', 'address'])
            for row in rows[:2000]:
                text = ' '.join(source.choice(WORDS) for _ in range(source.randrange(8, 120)))
                lines.writerow([row['row'], text + '\nSecond line.'] if texts else [row['row'], source.choice(['Ada', 'Grace', '<i>Émilie</i>']), source.randrange(18, 90), text[:60], 'Main Street 3'])
    if pictures:
        shown = rows[:600]
        npy(os.path.join(folder, 'gallery.npy'), (len(shown), 16, 16, 3), b''.join(picture(row['truth'], source) for row in shown))
    expected = sum(row['probability_wrong'] for row in rows if row['verified'] < 0) + sum(row['verified'] >= 0 and row['verified'] != row['given'] for row in rows)
    result = {'review_id': identity, 'issues': sum(row['is_issue'] for row in rows), 'training': count, 'trusted': 0, 'total_seconds': 1.5, 'estimated_errors': round(expected * 1.05),
              'estimated_errors_low': round(expected * 0.9), 'estimated_errors_high': round(expected * 1.25), 'f1_expected': 0.8, 'verified': verified, 'ranking': 'self-confidence',
              'ranking_reason': 'Ranking: self-confidence; it ranks the verified rows best.', 'warnings': ['A warning with <b>signs</b> in it.'],
              'company': [{'name': 'self confidence', 'what': 'probability of the given label', 'seconds': 0.2, 'trusted_accuracy': 0.8}],
              'reliability': [{'low': b / 20, 'high': (b + 1) / 20, 'count': 50, 'said': b / 20 + 0.025, 'right': min(1, max(0, b / 20 + 0.025 + 0.05 * math.sin(b))),
                               'right_low': max(0, b / 20 - 0.06), 'right_high': min(1, b / 20 + 0.11)} for b in range(20)]}
    if groups:
        result['groups'] = [{'name': f'annotator {g}', 'rows': sum(row['group'] == g for row in rows), 'weight': round(1 / (g + 1.2), 3), 'weight_low': round(0.9 / (g + 1.2), 3),
                             'weight_high': round(1.1 / (g + 1.2), 3), 'error_rate': round(0.02 * g, 3), 'error_rate_low': round(0.015 * g, 3), 'error_rate_high': round(0.03 * g, 3)} for g in range(groups)]
    with open(os.path.join(folder, 'result.json'), 'w') as file:
        json.dump(result, file)
    with open(os.path.join(folder, 'config.json'), 'w') as file:
        json.dump({'command': 'clean', 'version': '1', 'precision': 'single', 'repeat': 'sustain clean', 'options': {}, 'data': {'source': 'made.csv', 'training': count, 'trusted': 0, 'classes': names}}, file)


if __name__ == '__main__':
    place = sys.argv[1]
    make(os.path.join(place, 'pictures'), NAMES, 2000, 1, pictures=True, groups=12, verified=200)
    make(os.path.join(place, 'texts'), [f'Lepidóptera {k:03d} of family {k % 37}' for k in range(997)] + ['=1+1', 'Öl, "rein"', '<script>alert(1)</script>'], 6000, 2, texts=True)
    make(os.path.join(place, 'fields'), NAMES, 1500, 3, fields=True)
