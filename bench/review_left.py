"""review_left.py HUMAN_LABELS - how often the interval of docs/review.md covers the number of wrong labels that are left, on labels of people with known truth (CIFAR-10N).

Rows drawn at random are verified; isotonic regression of self-confidence on them gives the probabilities, and the difference estimator the interval of their number. Then the
rows are reviewed in order of self-confidence. Needs numpy and scikit-learn."""
import sys

import numpy as np
from sklearn.isotonic import IsotonicRegression

REVIEWED = (0, 1000, 2500, 5000, 10000)
SEEDS = range(60)


def calibrated(score, wrong):
    return IsotonicRegression(increasing=False, out_of_bounds='clip').fit(score, wrong)


def interval(score, wrong, rows, source):
    """Probabilities of all rows, and the interval of the number of wrong labels: five folds of the verified rows, so that no row speaks for itself."""
    count = len(rows)
    p = np.clip(calibrated(score[rows], wrong[rows]).predict(score), 0.5 / count, 1 - 0.5 / count)
    fold, out = source.integers(0, 5, count), np.zeros(count)
    for f in range(5):
        out[fold == f] = calibrated(score[rows[fold != f]], wrong[rows[fold != f]]).predict(score[rows[fold == f]])
    half = 1.96 * len(score) * (wrong[rows] - out).std(ddof=1) / np.sqrt(count)
    return p, p.sum(), max(p.sum() - half, 1), p.sum() + half


def shift_for(odds, target):
    low, high = -30.0, 30.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if (1 / (1 + np.exp(-odds - middle))).sum() > target else (middle, high)
    return low


def draw(score, wrong, count, seed):
    """Of one draw of verified rows: for every number of reviewed rows, whether the shown interval and that of the shift alone cover the truth, and the relative error."""
    source = np.random.default_rng(seed)
    rows = source.choice(len(score), count, replace=False)
    p, *numbers = interval(score, wrong, rows, source)
    open_rows = np.ones(len(score), bool)
    open_rows[rows] = False
    order = np.flatnonzero(open_rows)[np.argsort(score[open_rows])]
    odds, known = np.log(p[order] / (1 - p[order])), wrong[rows].sum()
    estimate, low, high = (number - known for number in numbers)
    shifts = [shift_for(odds, max(number, 0)) for number in (estimate, low, high)]
    found = []
    for k in REVIEWED:
        left, before = wrong[order[k:]].sum(), wrong[order[:k]].sum()
        middle, least, most = ((1 / (1 + np.exp(-odds[k:] - shift))).sum() for shift in shifts)
        found.append((min(least, max(0, low - before)) <= left <= max(most, high - before), least <= left <= most, abs(middle - left) / max(left, 1)))
    return found


for name in ('aggregate', 'worst'):
    given, truth, probabilities = (np.load(f'{sys.argv[1]}/cifar-10n-{name}-{part}.npy') for part in ('given', 'true', 'pred-probs'))
    self_confidence, is_wrong = probabilities[np.arange(len(given)), given], (given != truth).astype(float)
    for verified in (1000, 200):
        table = np.array([draw(self_confidence, is_wrong, verified, seed) for seed in SEEDS], float)
        for k, at in enumerate(REVIEWED):
            print(f'{name}, {verified} verified, {at} reviewed: covered {table[:, k, 0].mean():.2f}, by the shift alone {table[:, k, 1].mean():.2f}, error {100 * np.median(table[:, k, 2]):.0f} %')
