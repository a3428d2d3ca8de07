# rounded DIGITS: every number with a point or an exponent, to so many significant digits.
rounded() {
    awk -v digits="$1" '{
        out = ""
        while (match($0, /[0-9]+(\.[0-9]+(e[-+]?[0-9]+)?|e[-+]?[0-9]+)/)) {
            out = out substr($0, 1, RSTART - 1) sprintf("%." digits "g", substr($0, RSTART, RLENGTH))
            $0 = substr($0, RSTART + RLENGTH)
        }
        print out $0
    }'
}

# For awk programs: the same numbers r() between 0 and 1 with every awk, from a seed that the
# program sets.
random='function r() { seed = seed * 16807 % 2147483647; return seed / 2147483647 }'
