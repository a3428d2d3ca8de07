#!/usr/bin/env bash
# run.sh BUILD - the pages of the program in a browser. Makes small runs of every kind in
# BUILD/browser, opens their pages, leaves screenshots there.

cd "$(dirname "$0")/../.." || exit 2
program=$(realpath "$1/sustain") || exit 2
out=$1/browser
if ! command -v chromium >/dev/null && ! command -v chromium-browser >/dev/null && ! command -v google-chrome >/dev/null; then
    echo "skipped: no chromium"
    exit 77
fi
if ! command -v python3 >/dev/null; then
    echo "skipped: no python3"
    exit 77
fi
rm -rf "$out" && mkdir -p "$out" || exit 2
out=$(realpath "$out")
support=$(realpath tests/cli/support)
tests=$(realpath tests/browser)
quietly() { "$@" >"$out/log" 2>&1 || { cat "$out/log"; exit 1; }; }

(
    cd "$out" || exit 1
    quietly python3 "$support/blobs.py"
    quietly "$program" clean --dataset generated --noise 0.4 --trusted-count 500 --split 4000:1000 --iterations 400 --out clean
    quietly "$program" clean --features data.csv --label-column kind --trusted trusted.csv --test test.csv --iterations 500 --out words
    quietly python3 "$tests/names.py" 8 few.csv
    quietly "$program" clean --features few.csv --label-column kind --trusted-fraction 0.3 --iterations 200 --out few
    quietly python3 "$tests/names.py" 30 many.csv
    quietly "$program" clean --features many.csv --label-column kind --trusted-fraction 0.3 --iterations 200 --out many
    quietly "$program" tune --features data.csv --label-column kind --test test.csv --penalty feature --out tune
    quietly "$program" tune --features data.csv --label-column kind --test test.csv --out selected
    quietly "$program" tune --features data.csv --label-column kind --test test.csv --penalty l1 --out lasso
    quietly "$program" rates --quick --solvers sustain,saba,stocbio --budget 20 --out rates
    quietly "$program" compare quadratic --solvers sustain,soba --runs 2 --budget 2000 --out compare
    quietly "$program" compare --figure 4 --features x.npy --labels y.npy --trusted tx.npy --trusted-labels ty.npy --test tx.npy --test-labels ty.npy --scale 0.004 --out figure
    quietly "$program" meta train --dataset generated --width 8 --tasks 4 --iterations 20 --validate-every 5 --validation-tasks 10 --test-tasks 10 --out meta
    quietly "$program" demo --iterations 1000 --runs 2 --out demo
    quietly "$program" clean --features data.csv --label-column kind --trusted trusted.csv --iterations 500 --seed 1 --out more
    quietly "$program" clean --features data.csv --label-column kind --trusted trusted.csv --iterations 200 --out reviewed
    quietly python3 "$tests/reviews.py" .
    for run in pictures texts fields; do quietly "$program" report $run; done
    cp -r words long && quietly python3 "$tests/lines.py" 150000 long/metrics.jsonl && quietly "$program" report long
    mkdir both && quietly "$program" report words more -o both/report.html
) || exit 1
python3 tests/browser/pages.py "$out"
