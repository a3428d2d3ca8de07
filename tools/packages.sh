#!/bin/sh
# packages.sh [--check] GROUP... - sees to it that what a group needs is there: build, check, docs,
# python, elsewhere, demo.
#
# On Debian and its relatives missing packages are installed with apt-get, as root or with sudo,
# after a line that names them. Elsewhere the script says what to install, and fails only if the
# tools themselves are missing. With --check nothing is installed: what is missing is named, with
# the command that installs it.

packages= tools= libraries= check=
[ "$1" = --check ] && check=yes && shift
for group in "${@:-build}"; do
    case $group in
    build)
        packages="$packages gcc libc6-dev make cmake ninja-build pkg-config libjansson-dev zlib1g-dev libbz2-dev libpng-dev libjpeg-dev libdnnl-dev"
        tools="$tools cc make cmake ninja pkg-config" libraries="$libraries jansson zlib libpng libjpeg"
        ;;
    check) # libclang-rt-dev: the sanitizers, which the package clang only recommends
        packages="$packages g++ binutils python3 libcmocka-dev clang lld clang-tidy libclang-rt-dev libomp-dev clang-format chromium groff-base strace openmpi-bin libopenmpi-dev"
        tools="$tools c++ nm clang" libraries="$libraries cmocka"
        ;;
    docs)
        packages="$packages doxygen graphviz"
        tools="$tools doxygen dot"
        ;;
    python) # the package and its tests
        packages="$packages python3 python3-pip python3-setuptools python3-wheel python3-venv python3-numpy python3-scipy python3-sklearn python3-pandas"
        packages="$packages python3-torch python3-matplotlib python3-tqdm python3-pytest mypy"
        tools="$tools python3"
        ;;
    elsewhere) # compilers with their C libraries, which they only recommend, and emulators for other machines
        packages="$packages qemu-user-static gcc-i686-linux-gnu gcc-aarch64-linux-gnu gcc-arm-linux-gnueabihf gcc-s390x-linux-gnu musl-tools clang qemu-system-arm gcc-arm-none-eabi libnewlib-arm-none-eabi"
        packages="$packages libc6-dev-i386-cross libc6-dev-arm64-cross libc6-dev-armhf-cross libc6-dev-s390x-cross"
        ;;
    demo) # data; the demo has a way without
        packages="$packages dataset-fashion-mnist"
        ;;
    *)
        echo "packages.sh: no group \"$group\"; there are: build check docs python elsewhere demo" >&2
        exit 2
        ;;
    esac
done

if [ -z "$check" ] && command -v dpkg-query >/dev/null && command -v apt-get >/dev/null; then
    installed=" $(dpkg-query -W -f '${db:Status-Status}=${Package} ' $packages 2>/dev/null)"
    missing=
    for package in $packages; do
        case $installed in *" installed=$package "*) ;; *) missing="$missing $package" ;; esac
    done
    [ -z "$missing" ] && exit 0
    as_root=env
    [ "$(id -u)" = 0 ] || as_root=$(command -v sudo)
    if [ -n "$as_root" ]; then
        echo "packages.sh: installing with apt-get:$missing"
        $as_root apt-get -qq update &&
            $as_root DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 install -y --no-install-recommends \
                $missing >/dev/null && exit 0
        echo "packages.sh: apt-get did not succeed" >&2
    else
        echo "packages.sh: neither root nor sudo here; please have these installed:$missing" >&2
    fi
fi

absent=
for tool in $tools; do
    command -v "$tool" >/dev/null || absent="$absent $tool"
done
for library in $libraries; do
    pkg-config --exists "$library" 2>/dev/null || absent="$absent $library"
done
[ -z "$absent" ] && exit 0
echo "packages.sh: missing:$absent" >&2
if [ -n "$check" ] && command -v apt-get >/dev/null; then
    echo "packages.sh: \"make deps\" installs what is missing with apt-get" >&2
    exit 1
fi
echo "packages.sh: install them with your system's package manager; in Debian's names:$packages" >&2
exit 1
