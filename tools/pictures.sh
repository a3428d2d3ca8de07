#!/usr/bin/env bash
# pictures.sh [BUILD] - the pictures of README.md, docs/pictures/*.png: pages that the program made,
# photographed in a browser.

cd "$(dirname "$0")/.." || exit 2
build=$(realpath "${1:-build}") || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
mkdir -p docs/pictures
(cd "$work" && "$build/sustain" clean --dataset fashion-mnist --noise 0.4 --trusted-count 1000 --out clean --quiet && # so that the page names no other folder
    "$build/sustain" demo --out demo --quiet) &&
    PYTHONPATH=tests/browser python3 - "$work" docs/pictures <<'END'
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
browser.close()
END
