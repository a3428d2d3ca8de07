# null_calls.awk - writes calls of every function of the public headers with NULL in each place of a pointer, for test_null.c.
#
#   awk -f null_calls.awk include/sustain/*.h > null_calls.h
#
# A row: CALL(name, place, status|other, name(arguments)). The argument of a type is a macro of test_null.c, ARGUMENT_ and the type's words: a function with a new type
# of parameter does not compile before there is one.

function words(type) {
    gsub(/const /, "const_", type)
    gsub(/\*const \*/, "** ", type)
    gsub(/\*/, "_p", type)
    gsub(/\[[0-9]*\]/, "_p", type)
    gsub(/[^A-Za-z0-9_]/, "", type)
    return type
}

# One prototype: "type name(parameters)".
function prototype(text, open, name, type, list, n, i, k, p, arguments) {
    gsub(/[ \t\n]+/, " ", text)
    sub(/^ */, "", text)
    if (text ~ /^(typedef|enum|struct|extern|return|static const)/ || text !~ /sustain_[a-z0-9_]+\(/) return
    sub(/^static inline /, "", text)
    open = index(text, "(")
    type = name = substr(text, 1, open - 1)
    sub(/.*[ *]/, "", name)
    type = substr(type, 1, length(type) - length(name))
    if (name !~ /^sustain_/) return
    list = substr(text, open + 1)
    sub(/\)[^)]*$/, "", list)
    n = list == "void" ? 0 : split(list, p, /, */)
    for (i = 1; i <= n; i++) {
        parameter[i] = p[i]
        if (parameter[i] ~ /\[[0-9]*\]$/) sub(/[a-z_0-9]+\[/, "[", parameter[i])
        else sub(/[A-Za-z_0-9]+$/, "", parameter[i])
    }
    functions++
    for (k = 1; k <= n; k++) {
        if (parameter[k] !~ /[*\[]/) continue
        arguments = ""
        for (i = 1; i <= n; i++) arguments = arguments (i > 1 ? ", " : "") (i == k ? "NULL" : "ARGUMENT_" words(parameter[i]))
        printf "CALL(%s, %d, %s, %s(%s))\n", name, k, type ~ /^sustain_status *$/ ? "STATUS" : "OTHER", name, arguments
    }
}

{ text = text $0 "\n" }

END {
    while ((i = index(text, "/*")) > 0) { # comments
        j = index(substr(text, i + 2), "*/")
        text = substr(text, 1, i - 1) " " substr(text, i + j + 3)
    }
    n = split(text, line, "\n")
    text = ""
    for (i = 1; i <= n; i++) { # directives, with what continues them; what is for C++ alone
        if (line[i] ~ /^#ifdef __cplusplus/) plus_plus = 1
        if (line[i] ~ /^#endif/) plus_plus = 0
        if (line[i] ~ /^[ \t]*#/ || continued) {
            continued = line[i] ~ /\\$/
            continue
        }
        if (!plus_plus) text = text line[i] "\n"
    }
    depth = 0
    statement = ""
    n = length(text)
    for (i = 1; i <= n; i++) { # statements outside of braces
        c = substr(text, i, 1)
        if (c == "{") {
            if (depth++ == 0) { prototype(statement); statement = statement ~ /(struct|enum|union) ?[a-z_]* *$/ ? "typedef" : "" }
        } else if (c == "}") {
            depth--
        } else if (depth == 0 && c == ";") {
            prototype(statement)
            statement = ""
        } else if (depth == 0) {
            statement = statement c
        }
    }
    if (functions < 100) print "#error \"only " functions " functions were found\""
}
