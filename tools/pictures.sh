#!/usr/bin/env bash
# pictures.sh [BUILD] - the pictures of README.md and docs, docs/pictures/*.png: pages that the
# program made, photographed in a browser. That of `tune` wants SUSTAIN_DATA.

cd "$(dirname "$0")/.." || exit 2
build=$(realpath "${1:-build}") || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
mkdir -p docs/pictures
(cd "$work" && "$build/sustain" clean --dataset fashion-mnist --noise 0.4 --trusted-count 1000 --out clean --quiet && # so that the page names no other folder
    "$build/sustain" demo --out demo --quiet &&
    { [ -z "$SUSTAIN_DATA" ] || "$build/sustain" tune --features "$SUSTAIN_DATA/tables/adult.csv" --label-column income --out tune --quiet; }) &&
    PYTHONPATH=tests/browser python3 - "$work" docs/pictures <<'END'
import os
import sys
from browser import Browser

work, pictures = sys.argv[1:]
browser = Browser()
browser.open(f'{work}/clean/report.html', 960, 1320)
for key in 'aaka':  # a few decisions, so that the picture shows some
    browser.key(key)
browser.screenshot(f'{pictures}/clean.png', whole=False)
browser.open(f'{work}/demo/report.html', 960, 860)
browser.screenshot(f'{pictures}/demo.png', whole=False)
if os.path.exists(f'{work}/tune/report.html'):
    browser.open(f'{work}/tune/report.html', 720, 1000)
    browser.run("""document.querySelectorAll('section section').forEach(s => s.innerText.startsWith('What each feature adds') || s.remove());
        document.querySelectorAll('figure').forEach(f => /The effect of (age|hr_per_week) /.test(f.innerText) || f.remove())""")
    browser.screenshot(f'{pictures}/tune.png')
browser.close()
END
