#!/usr/bin/env bash
# Measures schedule=auto against a grid of settings, for every solver and problem, and writes
# bench/defaults.csv and the tables of docs/ that are made of it: see bench/defaults.c and
# docs/defaults.md. One problem after the other, kept in build/defaults (OUT), so that a run which
# was stopped goes on with the problems that are missing; the tables are written when there are all.
# Arguments are those of bench/defaults. Problems on real data want $SUSTAIN_DATA.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=build/release/bench/defaults
out=${OUT:-build/defaults}
mkdir -p "$out"
commit=$(git rev-parse --short HEAD 2> /dev/null || echo unknown)
machine="$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2> /dev/null | head -n 1 | tr -d ',') x $(nproc)"
problems=$(sed -n 's/^    {.name = "\([^"]*\)".*/\1/p' bench/shipped/shipped.c)
for problem in $problems; do
    file=$out/${problem//\//_}.csv
    [ -s "$file" ] || { "$bin" --seeds 3 --first-seed 30 --problem "$problem" "$@" > "$file.part" && mv "$file.part" "$file"; }
done
for problem in $problems; do cat "$out/${problem//\//_}.csv"; done | awk 'NR == 1 || !/^problem,solver,/' |
    sed -e "1s/^/date,commit,machine,/" -e "2,\$s/^/$(date +%F),$commit,$machine,/" > bench/defaults.csv.part
mv bench/defaults.csv.part bench/defaults.csv
bench/defaults_pages.py
