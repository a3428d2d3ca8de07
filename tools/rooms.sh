#!/bin/sh
# rooms.sh [DIR] - reads the #include lines: which module may include which, and no library one
# above it (docs/design.md). Also: file names are unique, comments wrap at 100 columns, the
# text of Markdown at 120, and two lists of the files of a run are complete. Prints file:line of
# what is wrong.
#
# Files of src/ include each other as "module/name.h", and the public headers as <sustain/name.h>.

cd "${1:-$(dirname "$0")/..}" || exit 2
# Comments that have a line to themselves. Formulas and tables, which are indented or have columns,
# may be wider.
wide=$(find include src lab report cli tests examples bench tools cmake \( -name '*.[ch]' -o -name '*.sh' -o -name '*.cmake' \) | sort | xargs awk '
{ text = $0 }
length(text) > 100 && sub(FILENAME ~ /[.][ch]$/ ? "^ *(/[*][*]?|[*]) " : "^ *# ", "", text) && text !~ /^  |[^ ]  +[^ ]/ {
    printf "%s:%d: a comment of more than 100 columns\n", FILENAME, FNR
}')
# Tables, code and single long words may be wider; characters are counted, not bytes.
wide=$wide${wide:+
}$(LC_ALL=C find . -name '*.md' -not -path './build/*' | sort | LC_ALL=C xargs awk '
FNR == 1 { code = 0 }
/^```/ { code = !code }
code || /^(    |[|])/ { next }
{ text = $0; gsub(/[\200-\277]/, "", text) }
length(text) > 120 && text ~ /[^ ] / { printf "%s:%d: text of more than 120 columns\n", FILENAME, FNR }')
# listed DIRECTORY FILE NAME...: names of a run's files in the C of a directory that the list in a
# file of it has not, but the names given.
listed() {
    names='"[a-z-]+[.](csv|jsonl?|npy|html|safetensors|liblinear)"' file=$2
    grep -ohE "$names" "$1"/*.c | sort -u | while read -r name; do
        case " $* " in *" $(echo "$name" | tr -d '"') "*) continue ;; esac
        sed -n '/const names\[\] = {/,/};/p' "$file" | grep -qF "$name" || echo "$file: $name is missing in the list of a run's files"
    done
}
wrong=$(
    [ -z "$wide" ] || echo "$wide"
    listed cli cli/kept_inputs.c verified-previous.csv
    listed report report/run_record.c
)
[ -z "$wrong" ] || echo "$wrong"
find include src lab report cli -name '*.[ch]' | sort | xargs awk -v learn="$(sed -n 's/^#include <sustain\/\(.*\)[.]h>$/\1/p' include/sustain/learn.h | tr '\n' ' ')" \
    -v errors="$(printf %s "$wrong" | grep -c '')" '
BEGIN {
    uses["core"] = ""
    uses["oracle"] = "core"
    uses["theory"] = "core oracle"
    uses["hypergrad"] = "core oracle"
    uses["solvers"] = "core oracle hypergrad theory wrap io"
    uses["problems"] = "core"
    uses["wrap"] = "core oracle"
    uses["io"] = "core"
    uses["mpi"] = ""
    uses["data"] = "core io"
    uses["check"] = "core oracle hypergrad"
    uses["jobs"] = "core hypergrad io problems"
    uses["nn"] = "core"
    uses["meta"] = "core io nn"

    # Libraries, from below: 1 libsustain, 2 libsustain-learn, whose headers learn.h includes, 3
    # libsustain-fewshot. Other public headers belong to library 1.
    split("core oracle wrap theory hypergrad solvers check problems io", list, " ")
    for (i in list) library[list[i]] = 1
    library["mpi"] = 1
    library["data"] = library["jobs"] = 2
    library["nn"] = library["meta"] = 3
    split(learn, list, " ")
    for (i in list) if (list[i] != "sustain") header_library[list[i]] = 2
    header_library["learn"] = 2
    header_library["meta"] = header_library["fewshot"] = 3
    for (module in uses) {
        if (!(module in library)) { printf "tools/rooms.sh: module \"%s\" belongs to no library\n", module; errors++ }
        count = split(uses[module], list, " ")
        for (i = 1; i <= count; i++)
            if (library[list[i]] > library[module]) { printf "tools/rooms.sh: %s may include %s, of a library above\n", module, list[i]; errors++ }
    }

    # Solvers and problems meet only in problem.h; the core knows nothing of bilevel problems.
    closed["core"] = "check clean dataset hyperclean hypergrad problem quadratic regtune softmax solver sustain"
    closed["problems"] = "check clean dataset hypergrad softmax solver sustain"
    closed["data"] = "check clean hyperclean hypergrad problem quadratic regtune softmax solver sustain"
    closed["solvers"] = closed["hypergrad"] = closed["oracle"] = closed["wrap"] = closed["theory"] = "clean dataset hyperclean quadratic regtune softmax sustain"

    standard = "assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg " \
               "stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype"
    posix = "dirent dlfcn fcntl getopt glob malloc poll pthread strings termios unistd sys/file sys/ioctl sys/mman sys/prctl sys/resource sys/stat sys/time sys/types sys/wait"
}
function among(word, list) { return index(" " list " ", " " word " ") > 0 }
function wrong(text) { printf "%s:%d: %s\n", FILENAME, FNR, text; errors++ }

FNR == 1 {
    files++
    split(FILENAME, part, "/")
    place = part[1]                       # include, src, lab, report or cli
    module = place == "src" ? part[2] : ""
    alone = part[length(part)]
    if (place != "include" && alone in seen) wrong("has the name of " seen[alone])
    seen[alone] = FILENAME
    level = 3
    if (place == "src") level = library[module]
    if (place == "include") { sub(/[.]h$/, "", alone); level = alone in header_library ? header_library[alone] : 1 }
    if (place == "src" && !(module in uses)) wrong("no module is called \"" module "\"")
}

/^[ \t]*#[ \t]*include[ \t]*</ {
    split($0, part, /[<>]/)
    name = part[2]
    sub(/\.h$/, "", name)
    if (sub(/^sustain\//, "", name)) {
        if (header_library[name] > level) wrong("<sustain/" name ".h> belongs to a library above")
        if (among(name, closed[module])) wrong(module " may not include <sustain/" name ".h>")
    } else if (name == "jansson") {
        if (place == "src" || place == "include") wrong("only the program and its parts may include <jansson.h>")
    } else if (name == "zlib" || name == "bzlib") {
        if (module != "data") wrong("only src/data may include <" name ".h>")
    } else if (name == "png" || name == "jpeglib" || name == "jerror") {
        if (FILENAME !~ (name == "png" ? "^src/data/picture_png[.]c$" : "^src/data/picture_jpeg[.]c$"))
            wrong("only src/data/picture_png.c and picture_jpeg.c may include <" name ".h>")
    } else if (among(name, posix)) {
        if (module != "io" && place != "cli" && !(name == "pthread" && FILENAME ~ /(core\/parallel|lab\/rates_work)\.c$/) &&
            !(name == "sys/mman" && FILENAME ~ /core\/pages\.c$/))
            wrong("<" name ".h> is not C11; only src/io and cli may include it")
    } else if (name == "immintrin") {
        if (FILENAME !~ /^src\/(core\/[a-z_]+_avx2\.c|nn\/vector8\.h)$/) wrong("only src/nn/vector8.h and the *_avx2.c files of src/core may include <immintrin.h>")
    } else if (name == "mpi" || name == "sched") {
        if (module != "mpi") wrong("only src/mpi may include <" name ".h>")
    } else if (name == "arm_neon") {
        if (FILENAME !~ /^src\/(core\/[a-z_]+_neon\.c|nn\/vector8\.h)$/) wrong("only src/nn/vector8.h and the *_neon.c files of src/core may include <arm_neon.h>")
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
    else if (!(other in uses) || other == name) wrong("write \"module/name.h\", not \"" name "\"")
    else if (other != module && !among(other, uses[module])) wrong(module " may not include " other)
    else if (module == "solvers" && other == "io" && FILENAME !~ /\/checkpoint\.c$/) wrong("of the solvers only checkpoint.c may include io")
}

/^[ \t]*#[ \t]*(if|elif)/ && (module == "solvers" || module == "hypergrad") {
    if (!(FILENAME ~ /\.h$/ && $0 ~ /^#ifndef [A-Z0-9_]+_H$/)) wrong("no #if in " module)
}

END {
    printf "rooms: %d files, %d errors\n", files, errors
    exit errors > 0 || files == 0
}'
