#!/bin/sh
# python.sh - prints the Python to use: $PYTHON if it is set, else the first of python3 and Debian's
# python3 that has NumPy, setuptools and wheel.

for python in ${PYTHON:-python3 /usr/bin/python3}; do
    "$python" -c 'import setuptools, wheel, pip, numpy' 2>/dev/null && command -v "$python" && exit 0
done
echo "python.sh: ${PYTHON:-python3} lacks one of NumPy, pip, setuptools and wheel; \"tools/packages.sh python\" installs them, PYTHON= names another one" >&2
exit 1
