// left.js - the number of wrong labels left, and whether to continue the review. page_clean_left.c has the formulas.
'use strict';

const shiftedProbability = (p, shift) => p > 0 && p < 1 ? p / (p + (1 - p) * Math.exp(-shift)) : p > 0 ? 1 : 0;

// [estimate, low, high], or [estimate] where the run has no interval. `open`: the probabilities of the listed rows without a decision; `found`: wrong labels found.
function leftWrong(left, open, found) {
    const sums = left.shift.map((shift, i) => open.reduce((sum, p) => sum + shiftedProbability(p, shift), left.rest[i]));
    if (sums.length < 3) return sums;
    const [middle, low, high] = sums, [, least, most] = left.total;
    return [middle, Math.min(low, Math.max(0, least - found)), Math.min(open.length + left.others, Math.max(high, most - found))];
}

// How far it is until less than `share` of the next rows are wrong: how many of the next 50 are expected to be, and the rows before that point; `more`: it is beyond the list.
function untilStop(left, open, share) {
    const shifted = open.map(p => shiftedProbability(p, left.shift[0])), next = shifted.slice(0, 50);
    return {count: next.length, expected: next.reduce((sum, p) => sum + p, 0), rows: shifted.filter(p => p >= share).length, more: left.others > 0 && shifted.every(p => p >= share)};
}

// Whether the decisions fit the probabilities: wrong ones found and expected, and whether they differ by more than chance (three standard deviations).
function fitOf(left, decided) {
    const p = decided.map(row => shiftedProbability(row.p, left.shift[0])), sum = list => list.reduce((a, b) => a + b, 0);
    const found = decided.filter(row => row.wrong).length, expected = sum(p), deviation = Math.sqrt(sum(p.map(q => q * (1 - q))));
    return {found, expected, differs: Math.abs(found - expected) > 3 * deviation + 1};
}
