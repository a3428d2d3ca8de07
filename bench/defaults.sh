#!/usr/bin/env bash
# Measures schedule=auto against a grid of settings, for every solver and problem, and writes
# bench/defaults.csv and the tables of docs/ that are made of it: see bench/defaults.c and
# docs/defaults.md. Takes about twenty minutes of one core; problems on real data are left out where
# $SUSTAIN_DATA does not say where it is.
set -euo pipefail
cd "$(dirname "$0")/.."
commit=$(git rev-parse --short HEAD 2> /dev/null || echo unknown)
machine="$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2> /dev/null | head -n 1 | tr -d ',') x $(nproc)"
build/release/bench/defaults --seeds 3 --first-seed 0 "$@" |
    sed -e "1s/^/date,commit,machine,/" -e "2,\$s/^/$(date +%F),$commit,$machine,/" > bench/defaults.csv.part
mv bench/defaults.csv.part bench/defaults.csv
bench/defaults_pages.py
