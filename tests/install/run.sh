#!/usr/bin/env bash
# run.sh BUILD_DIR... - installs the builds, float and double, into one temporary prefix and uses
# what is there from outside: with pkg-config and with find_package, shared and static, in C and in
# C++. Prints "install: N passed, N failed".

here=$(cd "$(dirname "$0")" && pwd)
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
prefix=$temporary/prefix
stage=$temporary/stage
export PKG_CONFIG_PATH=
passed=0 failed=0

# expect TEXT COMMAND...
expect() {
    local text=$1
    shift
    if "$@" >"$temporary/log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "not ok: $text"
        echo "    $*"
        sed 's/^/    /' "$temporary/log"
    fi
}

pc() { pkg-config "$@"; }
run() { LD_LIBRARY_PATH=$libdir "$@"; }

# compile_run EXPECTED COMPILER SOURCE FLAG...: the program is told what to expect.
compile_run() {
    local expected=$1
    shift
    "$@" -Wall -Wextra -Werror -o "$temporary/outside" && run "$temporary/outside" "$expected"
}

with_pkg_config() { # precision, name of the .pc
    compile_run "$1" cc "$here/outside.c" $(pc --cflags --libs "$2")
}
with_pkg_config_cxx() {
    compile_run "$1" c++ "$here/outside.cc" $(pc --cflags --libs "$2")
}
with_pkg_config_static() {
    compile_run "$1" cc -static "$here/outside.c" $(pc --static --cflags --libs "$2")
}
all_with_pkg_config() { # precision, name of the .pc
    compile_run "$1" cc "$here/outside_libraries.c" $(pc --cflags --libs "$2")
}
with_find_package() { # precision
    local build=$temporary/find-$1
    cmake -S "$here/package" -B "$build" -DCMAKE_PREFIX_PATH="$prefix" -DPRECISION="$1" \
        -DVERSION="$(pc --modversion sustain)" && cmake --build "$build" &&
        "$build/outside-c" "$1" && "$build/outside-cxx" "$1" && "$build/outside-static" "$1" &&
        "$build/outside-libraries" "$1"
}
other_precision_refused() { # name of the .pc, the flag of the other precision
    compile_run refused cc "$here/outside.c" $(pc --cflags --libs "$1") "$2"
}
header_alone() { # compiler, language and standard, header
    echo "#include <sustain/$3>" | $1 $2 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$prefix/include" -
}
only_public_names() { # library, its headers: no other name exported, and all functions of the headers
    local exported declared library=$1
    shift
    exported=$(nm -D --defined-only "$library" | awk '{ print $NF }' | sort -u)
    # internal functions have a version of their own, so that no program links with them by accident
    ! grep 'sustain__' <<<"$exported" | grep -v '@@SUSTAIN_PRIVATE$' || return 1
    exported=$(grep -o '^sustain_[a-z].*@@SUSTAIN$' <<<"$exported" | sed 's/@.*//')
    declared=$(cd "$prefix/include/sustain" && cat "$@" | cc -fpreprocessed -dD -E -P - 2>/dev/null | tr '\n' ' ' | sed 's/[;}]/\n/g' |
        grep -v 'static inline\|typedef\|#define' | grep -o '^ *[a-z][a-z0-9_ *]*sustain_[a-z_]*(' | grep -o 'sustain_[a-z_]*($' | tr -d '(' | sort -u)
    [ -n "$declared" ] && ! comm -13 <(echo "$exported" | sort -u) <(echo "$declared") | grep .
}
headers_of() { # library: its public headers
    case $1 in
    sustain-fewshot*) echo fewshot.h meta.h ;;
    sustain-learn*) sed -n 's,#include <sustain/\(.*\)>,\1,p' "$prefix/include/sustain/learn.h" | grep -v '^sustain.h$' ;;
    *) sed -n 's,#include <sustain/\(.*\)>,\1,p' "$prefix/include/sustain/sustain.h" ;;
    esac
}
needs_nothing() { # library: libm and libc alone
    ! ldd "$1" | grep -v 'linux-vdso\|libm\.\|libc\.\|ld-linux' &&
        ! nm -D "$1" | grep -i ' \(json_\|png_\|jpeg_\|dnnl_\|inflate\|BZ2_\)'
}
without_jansson() { ! ldd "$1" | grep jansson && ! nm -D "$1" | grep ' json_'; } # library
only_our_names() { # archive: names that could clash with a user's
    ! nm -g --defined-only "$1" | awk 'NF == 3 { print $3 }' | grep -v '^sustain_'
}
fewshot_alone() { # from the installed archive with libm, and nothing else at run time
    cc -Wall -Wextra -Werror -I"$prefix/include" "$here/../../examples/fewshot.c" "$libdir/libsustain-device.a" -lm -o "$temporary/fewshot" &&
        "$temporary/fewshot" "$here/../../examples/fewshot.safetensors" &&
        ! ldd "$temporary/fewshot" | grep -v 'linux-vdso\|libm\.\|libc\.\|ld-linux'
}
hardened() { # program or library: addresses that move, a read-only table of links, guarded stacks and string functions
    readelf -hW "$1" | grep -q 'Type: *DYN' && readelf -lW "$1" | grep -q GNU_RELRO && readelf -dW "$1" | grep -q 'BIND_NOW\|NOW' &&
        nm -D "$1" | grep -q '__stack_chk_fail' && nm -D "$1" | grep -q '_chk@'
}
same_files() { diff <(cd "$1" && find . | sort) <(cd "$2" && find . | sort); }
nothing_else_in_stage() { [ "$(ls "$stage")" = opt ] && [ "$(ls "$stage/opt")" = sustain ]; }
named_nowhere() { ! grep -rl "$1" "$2" --include='*.pc' --include='*.cmake'; }

for build in "$@"; do
    expect "install $build" cmake --install "$build" --prefix "$prefix"
    expect "install $build with DESTDIR" env DESTDIR="$stage" cmake --install "$build" --prefix /opt/sustain
done
expect "DESTDIR holds the same files" same_files "$prefix" "$stage/opt/sustain"
expect "DESTDIR holds nothing else" nothing_else_in_stage
expect "no .pc or .cmake file names the prefix" named_nowhere "$temporary" "$prefix"

libdir=$(dirname "$(find "$prefix" -name 'libsustain*.so' | head -n 1)")
export PKG_CONFIG_PATH=$libdir/pkgconfig

for header in "$prefix"/include/sustain/*.h; do
    name=$(basename "$header")
    expect "$name alone in C" header_alone cc "-x c -std=c11" "$name"
    expect "$name alone in C++" header_alone c++ "-x c++ -std=c++11" "$name"
done

for build in "$@"; do
    case $(grep '^SUSTAIN_DOUBLE:' "$build/CMakeCache.txt") in
    *=ON) precision=double name=sustain-double other=-USUSTAIN_DOUBLE ;;
    *) precision=float name=sustain other=-DSUSTAIN_DOUBLE ;;
    esac
    for part in sustain sustain-learn sustain-fewshot; do
        library=lib${name/sustain/$part}
        expect "$library has a soname" grep -q "$library.so.0.1$" <(objdump -p "$libdir/$library.so" | grep SONAME)
        # shellcheck disable=SC2046 # words
        expect "$library: only and all public names exported" only_public_names "$libdir/$library.so" $(headers_of ${name/sustain/$part})
        expect "$library: only sustain_ names in the archive" only_our_names "$libdir/$library.a"
        expect "$library is hardened" hardened "$libdir/$library.so"
    done
    expect "lib${name/sustain/sustain-learn} has no jansson" without_jansson "$libdir/lib${name/sustain/sustain-learn}.so"
    expect "lib$name needs libm and libc alone" needs_nothing "$libdir/lib$name.so"
    expect "$precision: all libraries with pkg-config" all_with_pkg_config $precision ${name/sustain/sustain-fewshot}
    expect "$precision: pkg-config in C" with_pkg_config $precision $name
    expect "$precision: pkg-config in C++" with_pkg_config_cxx $precision $name
    expect "$precision: pkg-config --static" with_pkg_config_static $precision $name
    expect "$precision: find_package in C and C++, shared and static" with_find_package $precision
    expect "$precision: a program for the other precision is refused" other_precision_refused $name $other
    if [ $precision = float ]; then
        expect "the device library: only sustain_ names" only_our_names "$libdir/libsustain-device.a"
        expect "the device library: libm is all it needs" fewshot_alone
        expect "the program runs" "$prefix/bin/sustain" --version
        expect "the program is hardened" hardened "$prefix/bin/sustain"
        expect "man page" grep -q '^\.TH' "$prefix/share/man/man1/sustain.1"
        expect "completion of bash" bash -c ". '$prefix/share/bash-completion/completions/sustain' && complete -p sustain"
    fi
done

echo "install: $passed passed, $failed failed"
[ $failed = 0 ] && [ $passed != 0 ]
