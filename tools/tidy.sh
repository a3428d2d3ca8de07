#!/bin/sh
# tidy.sh BUILD - clang-tidy, with the checks of .clang-tidy, over the sources of a build made with clang. A finding fails.

command -v clang-tidy >/dev/null || {
    echo "skipped: no clang-tidy" >&2
    exit 77
}
files=$(sed -n 's/.*"file": "\(.*\)".*/\1/p' "$1/compile_commands.json" | grep -E '/(src|lab|report|cli)/[a-z_]+(/[a-z0-9_]+)?\.c$' | sort -u)
[ -n "$files" ] || exit 2
echo "$files" | xargs -P "$(nproc)" -n 8 clang-tidy --quiet --warnings-as-errors='*' -p "$1" 2>/dev/null
