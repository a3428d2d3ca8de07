#!/bin/sh
# rooms.sh [DIR] - reads the #include lines: which room may include which, and no floor one above it
# (docs/design.md). Also: file names are unique, comments wrap at 100 columns. Prints file:line of
# what is wrong.
#
# Files of src/ include each other as "room/name.h", and the public headers as <sustain/name.h>.

cd "${1:-$(dirname "$0")/..}" || exit 2
wide=0
# Comments that have a line to themselves. Formulas and tables, which are indented or have columns,
# may be wider.
find include src lab report cli tests examples bench tools cmake \( -name '*.[ch]' -o -name '*.sh' -o -name '*.cmake' \) | sort | xargs awk '
{ text = $0 }
length(text) > 100 && sub(FILENAME ~ /[.][ch]$/ ? "^ *(/[*][*]?|[*]) " : "^ *# ", "", text) && text !~ /^  |[^ ]  +[^ ]/ {
    printf "%s:%d: a comment of more than 100 columns\n", FILENAME, FNR
    errors++
}
END { exit errors > 0 }' || wide=1
find include src lab report cli -name '*.[ch]' | sort | xargs awk '
BEGIN {
    door["core"] = ""
    door["oracle"] = "core"
    door["theory"] = "core oracle"
    door["hypergrad"] = "core oracle"
    door["solvers"] = "core oracle hypergrad theory wrap io"
    door["problems"] = "core"
    door["wrap"] = "core oracle"
    door["io"] = "core"
    door["mpi"] = ""
    door["data"] = "core io"
    door["check"] = "core oracle hypergrad"
    door["jobs"] = "core hypergrad io problems"
    door["nn"] = "core"
    door["meta"] = "core io nn"

    # Floors, from below: 1 libsustain, 2 libsustain-learn, 3 libsustain-fewshot. Public headers not
    # listed belong to floor 1.
    split("core oracle wrap theory hypergrad solvers check problems io", list, " ")
    for (i in list) floor[list[i]] = 1
    floor["mpi"] = 1
    floor["data"] = floor["jobs"] = 2
    floor["nn"] = floor["meta"] = 3
    split("learn clean dataset model npy pictures probabilities select softmax table tune", list, " ")
    for (i in list) header_floor[list[i]] = 2
    header_floor["meta"] = header_floor["fewshot"] = 3
    for (room in door) {
        if (!(room in floor)) { printf "tools/rooms.sh: room \"%s\" is on no floor\n", room; errors++ }
        count = split(door[room], list, " ")
        for (i = 1; i <= count; i++)
            if (floor[list[i]] > floor[room]) { printf "tools/rooms.sh: %s opens a door to %s, a floor above\n", room, list[i]; errors++ }
    }

    # Solvers and problems meet only in problem.h; the core knows nothing of bilevel problems.
    closed["core"] = "check clean dataset hyperclean hypergrad problem quadratic regtune softmax solver sustain"
    closed["problems"] = "check clean dataset hypergrad softmax solver sustain"
    closed["data"] = "check clean hyperclean hypergrad problem quadratic regtune softmax solver sustain"
    closed["solvers"] = closed["hypergrad"] = closed["oracle"] = closed["wrap"] = closed["theory"] = "clean dataset hyperclean quadratic regtune softmax sustain"

    standard = "assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg " \
               "stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype"
    posix = "dirent dlfcn fcntl getopt poll pthread strings termios unistd sys/file sys/ioctl sys/mman sys/prctl sys/resource sys/stat sys/time sys/types sys/wait"
}
function among(word, list) { return index(" " list " ", " " word " ") > 0 }
function wrong(text) { printf "%s:%d: %s\n", FILENAME, FNR, text; errors++ }

FNR == 1 {
    files++
    split(FILENAME, part, "/")
    place = part[1]                       # include, src, lab, report or cli
    room = place == "src" ? part[2] : ""
    alone = part[length(part)]
    if (place != "include" && alone in seen) wrong("has the name of " seen[alone])
    seen[alone] = FILENAME
    level = 3
    if (place == "src") level = floor[room]
    if (place == "include") { sub(/[.]h$/, "", alone); level = alone in header_floor ? header_floor[alone] : 1 }
    if (place == "src" && !(room in door)) wrong("no room is called \"" room "\"")
}

/^[ \t]*#[ \t]*include[ \t]*</ {
    split($0, part, /[<>]/)
    name = part[2]
    sub(/\.h$/, "", name)
    if (sub(/^sustain\//, "", name)) {
        if (header_floor[name] > level) wrong("<sustain/" name ".h> belongs to a floor above")
        if (among(name, closed[room])) wrong(room " may not include <sustain/" name ".h>")
    } else if (name == "jansson") {
        if (place == "src" || place == "include") wrong("only the program and its parts may include <jansson.h>")
    } else if (name == "zlib" || name == "bzlib") {
        if (room != "data") wrong("only src/data may include <" name ".h>")
    } else if (name == "png" || name == "jpeglib" || name == "jerror") {
        if (FILENAME !~ (name == "png" ? "^src/data/picture_png[.]c$" : "^src/data/picture_jpeg[.]c$"))
            wrong("only src/data/picture_png.c and picture_jpeg.c may include <" name ".h>")
    } else if (among(name, posix)) {
        if (room != "io" && place != "cli" && !(name == "pthread" && FILENAME ~ /(core\/parallel|lab\/rates_work)\.c$/) &&
            !(name == "sys/mman" && FILENAME ~ /core\/pages\.c$/))
            wrong("<" name ".h> is not C11; only src/io and cli may include it")
    } else if (name == "immintrin") {
        if (FILENAME !~ /^src\/(core|nn)\/[a-z_]+_avx2\.c$/) wrong("only the *_avx2.c files of src/core and src/nn may include <immintrin.h>")
    } else if (name == "mpi" || name == "sched") {
        if (room != "mpi") wrong("only src/mpi may include <" name ".h>")
    } else if (name == "arm_neon") {
        if (FILENAME !~ /^src\/core\/[a-z_]+_neon\.c$/) wrong("only the *_neon.c files of src/core may include <arm_neon.h>")
    } else if (name == "dnnl" || name == "omp") {
        if (FILENAME !~ /^src\/nn\/layers_onednn\.c$/) wrong("only src/nn/layers_onednn.c may include <" name ".h>")
    } else if (!among(name, standard)) {
        wrong("<" name ".h> is neither ours nor standard")
    }
}

/^[ \t]*#[ \t]*include[ \t]*"/ {
    split($0, part, "\"")
    name = part[2]
    other = name
    sub(/\/.*/, "", other)
    if (place == "include") wrong("a public header includes <sustain/...> and standard headers only")
    else if (place == "cli") {
        if (name ~ /\// && name != "report/report.h" && name !~ /^lab\/[a-z_]+[.]h$/)
            wrong("cli includes <sustain/...>, lab/..., report/report.h and its own headers only")
    }
    else if (place == "lab") { if (name ~ /\//) wrong("lab includes <sustain/...> and its own headers only") }
    else if (place == "report") { if (name ~ /\//) wrong("report includes <sustain/...> and its own headers only") }
    else if (!(other in door) || other == name) wrong("write \"room/name.h\", not \"" name "\"")
    else if (other != room && !among(other, door[room])) wrong(room " may not include " other)
    else if (room == "solvers" && other == "io" && FILENAME !~ /\/checkpoint\.c$/) wrong("of the solvers only checkpoint.c may include io")
}

/^[ \t]*#[ \t]*(if|elif)/ && (room == "solvers" || room == "hypergrad") {
    if (!(FILENAME ~ /\.h$/ && $0 ~ /^#ifndef [A-Z0-9_]+_H$/)) wrong("no #if in " room)
}

END {
    printf "rooms: %d files, %d errors\n", files, errors
    exit errors > 0 || files == 0
}' && [ $wide = 0 ]
