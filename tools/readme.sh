#!/bin/sh
# readme.sh - is the C code in README.md the code of examples/quickstart.c, which the tests compile
# and run?
cd "$(dirname "$0")/.." || exit 1
sed -n '/^```c$/,/^```$/p' README.md | sed '1d;$d' | diff - examples/quickstart.c && echo "readme: 1 passed, 0 failed"
