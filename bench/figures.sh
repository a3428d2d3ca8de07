#!/usr/bin/env bash
# figures.sh [FIGURE...] - the paper's figures (docs/experiments.md): runs `sustain compare --figure N` into build/figures/N and keeps the curves and the page's
# picture in docs/experiments. Left out: 4 and 5, ten runs of each, about an hour on two cores. SCALE=0.01 shortens; 1, 2 and 3 want SUSTAIN_DATA, and
# days without a scale. Runs that are in build/figures already are not computed again.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=build/release/sustain
scale=${SCALE:-1}
mkdir -p docs/experiments build/figures
[ $# -gt 0 ] || set -- 4 5
for figure; do
    out=build/figures/$figure
    nice -n 10 "$bin" compare --figure "$figure" --scale "$scale" ${RUNS:+--runs "$RUNS"} --out "$out" --plot | tee "$out.txt"
    cp "$out/summary.csv" "docs/experiments/figure-$figure.csv"
    tail -n +1 "$out.txt" | sed '/^What the paper says/,/^$/!d' > "docs/experiments/figure-$figure-claims.txt"
    if PYTHONPATH=tests/browser python3 -c 'import browser, sys; sys.exit(browser.find() is None)'; then
        PYTHONPATH=tests/browser python3 - "$out/report.html" "docs/experiments/figure-$figure.png" << 'END'
import sys
from browser import Browser

browser = Browser()
browser.open(sys.argv[1], 960, 1400)
browser.screenshot(sys.argv[2], whole=True)
browser.close()
END
    fi
done
