#!/bin/sh
# tidy.sh [CHECKS] - clang-tidy over the sources of libraries and program, with the checks of
# .clang-tidy and CHECKS added (-clang-analyzer-* leaves out the slow ones). A finding fails.

cd "$(dirname "$0")/.." || exit 2
command -v clang-tidy >/dev/null || {
    echo "skipped: no clang-tidy"
    exit 77
}
# Nothing is built: clang-tidy reads the flags of each file alone, and the headers of the tree.
cmake --preset tsan -B build/check/tidy -DSUSTAIN_SANITIZE= -DBUILD_TESTING=OFF >/dev/null || exit 2
# Only what is compiled here: files for other processors are left out.
awk -F '"' -v here="$PWD/" '$2 == "file" && index($4, here) == 1 && substr($4, length(here) + 1) ~ /^(src|lab|report|cli)\// { print $4 }' \
    build/check/tidy/compile_commands.json | sort -u |
    xargs -P "$(nproc)" -n 8 clang-tidy --quiet --warnings-as-errors='*' --checks="$1" -p build/check/tidy 2>/dev/null
