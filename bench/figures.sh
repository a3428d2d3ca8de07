#!/usr/bin/env bash
# figures.sh [FIGURE...] - the paper's figures (docs/experiments.md): runs `sustain compare --figure
# N` into build/figures/N, and keeps the curves, their tables and a picture of them in
# docs/experiments. Left out: 4 and 5, ten runs of each, about an hour on two cores. 1, 2 and 3 want
# SUSTAIN_DATA and have the sizes below, without MAML (WITHOUT= adds it): hours; at full size days.
# RUNS=3 says how many runs, OPTIONS="--scale 0.01" replaces the sizes. Runs that are in
# build/figures already are not computed again.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p docs/experiments build/figures
[ $# -gt 0 ] || set -- 4 5
without=" --without ${WITHOUT-maml}"
[ -n "${WITHOUT-maml}" ] || without=
for figure; do
    out=build/figures/$figure
    case $figure in
        1) size="--budget 200 --tasks 8 --test-tasks 600 --runs ${RUNS:-5}" ;;
        2) size="--budget 200 --tasks 8 --test-tasks 600 --runs ${RUNS:-5}$without" ;;
        3) size="--budget 400 --tasks 16 --width 32 --test-tasks 300 --runs ${RUNS:-5}$without" ;;
        *) size="--runs ${RUNS:-10}" ;;
    esac
    # shellcheck disable=SC2086
    nice -n 10 "${SUSTAIN:-build/release/sustain}" compare --figure "$figure" ${OPTIONS:-$size} --out "$out"
    cp "$out/summary.csv" "docs/experiments/figure-$figure.csv"
    bench/figures_page.py "$out/compare.json" "docs/experiments/figure-$figure.md"
    PYTHONPATH=tests/browser python3 - "$out/report.html" "docs/experiments/figure-$figure.png" << 'END'
import sys
from browser import Browser, find

if find() is None:
    sys.exit('no picture is made: there is no browser')
browser = Browser()
browser.open(sys.argv[1], 900, 1000)
# The curves alone: claims and tables are text.
browser.run("document.querySelectorAll('section').forEach(s => s.querySelector('svg') || s.remove()); "
            "document.querySelectorAll('section .scroll').forEach(t => { t.previousElementSibling.remove(); t.remove(); })")
browser.screenshot(sys.argv[2])
browser.close()
END
done
