#!/usr/bin/env bash
# rates.sh [SOLVER...] - the tables of docs/rates.md: `sustain rates` for one algorithm after the
# other into build/rates/SOLVER, so that more can be added later; what is there already is not
# measured again. Left out: all. About ten minutes of one core. BUDGET=MILLIONS, COST=off and
# PROBLEM=strongly-convex as the options of `sustain rates`.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=${SUSTAIN:-build/release/sustain}
out=${OUT:-build/rates}
mkdir -p "$out"
[ $# -gt 0 ] || set -- sustain sustain-running bsa ttsa stocbio stable svrb mrbo vrbo soba ma-soba fsla amigo f2sa f2sa-p f3sa spaba slip bo-rep fedbioacc \
    pzobo tfbo saba srba pbgd bome meha hoag itd-bio aid-cg
for solver; do
    [ -s "$out/$solver/result.json" ] ||
        "$bin" rates --solvers "$solver" --threads 1 --cost "${COST:-on}" --problem "${PROBLEM:-both}" ${BUDGET:+--budget "$BUDGET"} --quiet --out "$out/$solver" > /dev/null
done
bench/rates_pages.py "$out"
