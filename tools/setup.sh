#!/usr/bin/env bash
# Sets up everything a developer needs: system packages, .venv, the C library, the Python module.
# usage: tools/setup.sh [tests] [asan] [tsan] [gcov] [clang-asan] [msan] [memcheck] [fortified] [fuzz] [extras]
#   tests   also the C test programs        asan, tsan   also the C tests under these sanitizers
#   clang-asan, msan, memcheck, fortified   builds of make sanitize (docs/internals/build.md)
#   fuzz    also the fuzzing targets, with clang     gcov   also the tests in a build that counts its branches
#   extras  also clang, valgrind, abigail-tools, atheris and the aarch64 cross compiler, where the package manager has them
# A second run does only what has changed. The full log is build/setup.log.
set -u
export LC_ALL=C
# Run by make, but no part of its job counting.
unset MAKEFLAGS MFLAGS MAKELEVEL
root=$(cd "$(dirname "$0")/.." && pwd -P)
cd "$root" || exit 1
mkdir -p build
log=build/setup.log

# Two set-ups in one tree wait for each other.
if command -v flock >/dev/null; then
    exec 9>build/.lock
    flock 9
fi
: >"$log"

jobs=$(nproc 2>/dev/null || echo 2)

stop() {
    printf 'setup: %s\n' "$*" >&2
    exit 1
}

# step TEXT COMMAND...: one line for the reader, everything else for the log.
step() {
    local text=$1 start=$SECONDS
    shift
    printf '== %s\n' "$text" >>"$log"
    if ! "$@" >>"$log" 2>&1 </dev/null; then
        printf 'setup: %s: failed. The end of %s:\n' "$text" "$log" >&2
        tail -n 40 "$log" >&2
        exit 1
    fi
    printf 'setup: %s (%d s)\n' "$text" $((SECONDS - start))
}

# ---- system packages -----------------------------------------------------------------------------------------

has_header() { echo "#include <$1>" | gcc -E - >/dev/null 2>&1; }
cmocka_probe() {
    printf '#include <stdarg.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <setjmp.h>\n#include <cmocka.h>\n' |
        gcc -E - >/dev/null 2>&1
}
works() { command -v "$1" >/dev/null && "$1" --version >/dev/null 2>&1; }

python_probe='
import os, sys, sysconfig, venv, ensurepip
assert sys.version_info >= (3, 11)
assert os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h"))'

find_python() {
    local candidate
    for candidate in ${NOMEN_PYTHON:-python3 /usr/bin/python3 python3.14 python3.13 python3.12 python3.11}; do
        if command -v "$candidate" >/dev/null && "$candidate" -c "$python_probe" >/dev/null 2>&1; then
            "$candidate" -c 'import sys; print(sys._base_executable)'
            return 0
        fi
    done
    return 1
}

missing_packages() {
    local list=()
    works gcc && has_header stdio.h || list+=(gcc libc6-dev)
    works g++ || list+=(g++)
    works cmake || list+=(cmake)
    works ninja || works make || list+=(make)
    works pkg-config || list+=(pkg-config)
    works nm || list+=(binutils)
    cmocka_probe || list+=(libcmocka-dev)
    find_python >/dev/null || list+=(python3 python3-dev python3-venv)
    # make would do, but ninja is faster: it comes along when something is installed anyway.
    [ ${#list[@]} != 0 ] && ! works ninja && list+=(ninja-build)
    echo "${list[@]}"
}

apt_install() {
    apt-get update && apt-get install -y --no-install-recommends "$@"
}

packages() {
    local missing line
    missing=$(missing_packages)
    [ -z "$missing" ] && return 0
    line="apt-get update && apt-get install -y --no-install-recommends $missing"
    command -v apt-get >/dev/null || stop "these are missing: $missing (Debian's names). Install them and run this again."
    [ "$(id -u)" = 0 ] || stop "system packages are missing. Run this as root, then run this again:
  sudo sh -c '$line'"
    export DEBIAN_FRONTEND=noninteractive
    # shellcheck disable=SC2086
    step "system packages: $missing" apt_install $missing
    missing=$(missing_packages)
    [ -z "$missing" ] || stop "the packages are installed, but these still do not work: $missing. See $log."
}

clang_sanitizes() { echo 'int main(void) { return 0; }' | clang -fsanitize=address -x c - -o /dev/null >/dev/null 2>&1; }

install_extras() {
    [ $# = 0 ] && return 0
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
        echo "setup: not here, and the checks that want them will be skipped: $*"
        return 0
    fi
    export DEBIAN_FRONTEND=noninteractive
    local package
    for package in "$@"; do
        apt_install "$package" >>"$log" 2>&1 </dev/null || echo "setup: $package cannot be had here"
    done
}

# Nice to have: what is not there is skipped by the tests, which say so.
extras() {
    local list=()
    works clang || list+=(clang)
    works valgrind || list+=(valgrind)
    works abidw || list+=(abigail-tools)
    works aarch64-linux-gnu-gcc || list+=(gcc-aarch64-linux-gnu libc6-dev-arm64-cross)
    install_extras "${list[@]}"
    # What its sanitizers link with is a package of its own, which clang only recommends.
    if works clang && ! clang_sanitizes; then
        install_extras "libclang-rt-$(clang -dumpversion | cut -d. -f1)-dev"
    fi
}

# ---- the virtual environment ---------------------------------------------------------------------------------

make_venv() {
    rm -rf .venv && "$python" -m venv .venv
}

# The library needs the interpreter only: what the tests need arrives while it is being built.
arriving=""
virtual_environment() {
    python=$(find_python) || stop "no Python of at least 3.11 with venv and headers was found"
    # The path belongs to the stamp: an environment that was copied along with the tree does not work.
    want="$root $python $(cksum <tools/requirements.txt)"
    [ -x .venv/bin/python ] && [ "$(cat .venv/.stamp 2>/dev/null)" = "$want" ] && return 0
    step "virtual environment in .venv" make_venv
    .venv/bin/python -m pip install --disable-pip-version-check -r tools/requirements.txt \
        >build/packages.log 2>&1 </dev/null &
    arriving=$!
}

have_arrived() {
    [ -n "$arriving" ] || return 0
    step "Python packages" wait_for_packages
    echo "$want" >.venv/.stamp
}

# libFuzzer for Python: in processors and versions that it is not made for, what wants it is skipped.
more_packages() {
    .venv/bin/python -c "import atheris" 2>/dev/null && return 0
    .venv/bin/python -m pip install --disable-pip-version-check --only-binary :all: \
        -r tools/requirements-fuzz.txt >>"$log" 2>&1 </dev/null || echo "setup: atheris cannot be had here"
}

wait_for_packages() {
    local status=0
    wait "$arriving" || status=$?
    cat build/packages.log
    return $status
}

# ---- the library ---------------------------------------------------------------------------------------------

# configure FLAVOUR OPTION...: only when the options, the place or the tools have changed since the last time.
configure() {
    local dir=build/$1 generator="Unix Makefiles" want
    shift
    works ninja && generator=Ninja
    want="$root $(command -v cmake) $generator $*"
    [ -e "$dir/CMakeCache.txt" ] && [ "$(cat "$dir/.stamp" 2>/dev/null)" = "$want" ] && return 0
    rm -rf "$dir"
    mkdir -p "$dir"
    step "configure $dir" cmake -S . -B "$dir" -G "$generator" "$@"
    echo "$want" >"$dir/.stamp"
}

# build TEXT FLAVOUR [TARGET]: silent when there was nothing to do.
build() {
    local text=$1 dir=build/$2 target=${3:-all} start=$SECONDS
    printf '== %s\n' "$text" >>"$log"
    if ! cmake --build "$dir" --target "$target" --parallel "$jobs" >"$dir/build.log" 2>&1 </dev/null; then
        cat "$dir/build.log" >>"$log"
        printf 'setup: %s: failed. The errors (all of it: %s):\n' "$text" "$log" >&2
        grep -nE -A3 'error:|undefined reference|multiple definition|CMake Error' "$dir/build.log" | head -n 40 >&2
        exit 1
    fi
    cat "$dir/build.log" >>"$log"
    if [ $((SECONDS - start)) -gt 1 ]; then
        printf 'setup: %s (%d s)\n' "$text" $((SECONDS - start))
    fi
}

link_module() {
    local site
    site=$(echo .venv/lib/python3.*/site-packages)
    echo "$root/build/release/python" >"$site/nomen-build.pth"
}

# The builds under sanitizers: gcc's asan and tsan, clang's clang-asan and msan.
sanitized() {
    local sanitizers compiler=gcc python=ON isas brief=OFF
    case $1 in
    asan) sanitizers="address,undefined" ;;
    tsan) sanitizers="thread" ;;
    clang-asan) sanitizers="address,undefined" compiler=clang ;;
    # What another compiler made, Python for one, writes memory that this sanitizer takes for unwritten.
    msan) sanitizers="memory" compiler=clang python=OFF ;;
    esac
    works $compiler || stop "$1 wants $compiler; tools/setup.sh extras installs it where it can"
    # All kernels come from one text. The plain ones stand for all where time is short (make test), watched for
    # bad addresses; CI and make check set NOMEN_SANITIZED=wide, for all kinds of undefined behaviour in them and
    # for the narrower vectors. clang's sanitizers watch the plain ones: msan knows no instructions of processors.
    case $1${NOMEN_SANITIZED:-}$(uname -m) in
    clang-asan* | msan*) isas="scalar" ;;
    *widex86_64) isas="scalar;avx2" ;;
    *wideaarch64) isas="scalar;neon" ;;
    *wide*) isas="scalar" ;;
    *) isas="scalar" brief=ON ;;
    esac
    set -- "$1" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG="-O1 -g1" -DNOMEN_KERNEL_OPT=-O1 \
        -DNOMEN_SANITIZE=$sanitizers -DNOMEN_SANITIZE_BRIEF=$brief -DNOMEN_ISAS="$isas" -DNOMEN_FAULTS=ON \
        -DNOMEN_DEBUG=ON -DNOMEN_TESTS=ON -DNOMEN_INSTALL=OFF -DNOMEN_WERROR=ON -DNOMEN_PYTHON=$python \
        -DPython_EXECUTABLE="$root/.venv/bin/python"
    [ $compiler = gcc ] || set -- "$@" -DCMAKE_C_COMPILER=$compiler
    configure "$@"
    build "C tests under $sanitizers ($compiler)" "$1" nomen_tests
}

# The library as it is shipped, but without AVX-512, which valgrind does not know. memcheck hands back
# every block, so that valgrind sees who uses it again, and leaves the upper vector registers alone:
# assemblers write a move from one of them to a lower one in a form that valgrind 3.19 does not know
# either. fortified lets the C library check the sizes that it is given.
checked() {
    set -- "$1" -DCMAKE_BUILD_TYPE=Release -DNOMEN_WERROR=ON -DNOMEN_TESTS=ON -DNOMEN_INSTALL=OFF \
        -DNOMEN_PYTHON=ON -DPython_EXECUTABLE="$root/.venv/bin/python"
    case $1$(uname -m) in
    *x86_64) set -- "$@" "-DNOMEN_ISAS=scalar;avx2" ;;
    esac
    case $1 in
    memcheck)
        set -- "$@" -DNOMEN_NO_CACHE=ON
        case $(uname -m) in
        x86_64) set -- "$@" "-DCMAKE_C_FLAGS_RELEASE=-O3 -DNDEBUG $(printf ' -ffixed-xmm%d' 8 9 10 11 12 13 14 15)" ;;
        esac
        ;;
    fortified)
        set -- "$@" "-DCMAKE_C_FLAGS_RELEASE=-O2 -DNDEBUG -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3" \
            "-DNOMEN_KERNEL_OPT=-O2;-D_FORTIFY_SOURCE=3"
        ;;
    esac
    configure "$@"
    build "C tests, $1" "$1" nomen_tests
    build "Python module, $1" "$1" nomen_python
}

packages
for word in "$@"; do
    [ "$word" = extras ] && extras
done
virtual_environment
configure release -DCMAKE_BUILD_TYPE=Release -DNOMEN_WERROR=ON -DNOMEN_TESTS=ON -DNOMEN_EXAMPLES=ON \
    -DNOMEN_PYTHON=ON -DPython_EXECUTABLE="$root/.venv/bin/python"
build "library, Python module and examples" release
have_arrived
link_module
for word in "$@"; do
    case $word in
    tests) build "C tests" release nomen_tests ;;
    asan | tsan | clang-asan | msan) sanitized "$word" ;;
    memcheck | fortified) checked "$word" ;;
    gcov)
        isas="scalar"
        [ "$(uname -m)" = x86_64 ] && isas="scalar;avx2;avx512"
        # As little as possible is optimised, so that what is counted is what is written.
        configure gcov -DCMAKE_C_COMPILER=gcc -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG="-O0 -g1" \
            -DNOMEN_KERNEL_OPT=-O1 -DNOMEN_COUNT_BRANCHES=ON -DNOMEN_ISAS="$isas" -DNOMEN_FAULTS=ON \
            -DNOMEN_TESTS=ON -DNOMEN_INSTALL=OFF -DNOMEN_WERROR=ON -DNOMEN_PYTHON=ON \
            -DPython_EXECUTABLE="$root/.venv/bin/python"
        build "C tests that count branches" gcov nomen_tests
        build "module that counts branches" gcov nomen_python
        build "library that counts branches" gcov nomen
        ;;
    fuzz)
        works clang || stop "the fuzzing targets want clang; tools/setup.sh extras fuzz installs it where it can"
        configure fuzz -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG="-O1 -g1" \
            -DNOMEN_KERNEL_OPT=-O1 -DNOMEN_SANITIZE=address,undefined -DNOMEN_SANITIZE_BRIEF=ON \
            -DNOMEN_ISAS=scalar -DNOMEN_DEBUG=ON -DNOMEN_FUZZ=ON -DNOMEN_INSTALL=OFF -DNOMEN_WERROR=ON
        build "fuzzing targets" fuzz nomen_fuzz
        ;;
    extras) more_packages ;;
    *) stop "$word: not one of tests, asan, tsan, gcov, clang-asan, msan, memcheck, fortified, fuzz, extras" ;;
    esac
done
echo "setup: ready"
