#!/usr/bin/env bash
# figures.sh [FIGURE...] - the paper's figures (docs/experiments.md): runs `sustain compare --figure
# N` into build/figures/N, and keeps the curves, their tables and a picture of them in
# docs/experiments. Without arguments: 4 and 5, ten runs of each, about an hour on two cores. 1, 2
# and 3 need SUSTAIN_DATA and have the sizes below: hours; at full size days. RUNS=3 says how many
# runs, MAML=0 how many of MAML, which takes thirty times as long; OPTIONS="--scale 0.01" replaces
# the sizes. Runs of Figures 1 to 3 are kept in bench/figures as well; runs that are there or in
# build/figures already are not computed again.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p docs/experiments build/figures bench/figures
[ $# -gt 0 ] || set -- 4 5
maml="--fewer-runs maml=${MAML:-2}"
[ "${MAML:-2}" != 0 ] || maml="--without maml"
for figure; do
    out=build/figures/$figure kept=bench/figures/$figure.tar.gz
    [ -e "$out" ] || [ ! -e "$kept" ] || { mkdir -p "$out" && tar -xzf "$kept" -C "$out"; }
    case $figure in
        1) size="--budget 200 --tasks 8 --width 32 --test-tasks 300 --runs ${RUNS:-5}" ;;
        2) size="--budget 40 --tasks 5 --width 32 --test-tasks 150 --runs ${RUNS:-5} $maml" ;;
        3) size="--budget 400 --tasks 16 --width 32 --test-tasks 300 --runs ${RUNS:-5} $maml" ;;
        *) size="--runs ${RUNS:-10}" ;;
    esac
    # shellcheck disable=SC2086
    nice -n 10 "${SUSTAIN:-build/release/sustain}" compare --figure "$figure" ${OPTIONS:-$size} --out "$out"
    [ "$figure" -gt 3 ] || (cd "$out" && find . -path '*/seed-*' -type f | LC_ALL=C sort |
        tar --mtime=@0 --owner=0 --group=0 --numeric-owner -cf - -T -) | gzip -9n > "$kept"
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
