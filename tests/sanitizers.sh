#!/bin/sh
# Runs the suites that reach `unsafe` code with AddressSanitizer, and the tests of the CPU's memory with valgrind:
# `sh tests/sanitizers.sh [address] [valgrind]`
#
# Level Zero takes part where SIM_SANITIZE=1 says that libraries are not opened with RTLD_DEEPBIND: Intel's driver asks
# for that, and AddressSanitizer ends a process that does it.
set -eu
cd "$(dirname "$0")/.."

[ $# -ne 0 ] || set -- address valgrind
target=x86_64-unknown-linux-gnu
[ "$(rustc -vV | sed -n 's/^host: //p')" = $target ] || { echo "skipped: this is not $target"; exit 0; }

# Memory that is used after it is freed or beyond its end. Leaks are left out: what the loader of Level Zero and the
# process keep to the end is theirs, and the tests on the mock count objects.
address() {
    export RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Zsanitizer=address" CARGO_TARGET_DIR=target/address
    [ -n "${SIM_SANITIZE:-}" ] || export CM_LEVEL_ZERO_LOADER=/none CM_REQUIRE_LEVEL_ZERO=0
    # The driver frees with another size than it allocates, and is preloaded before the sanitizer.
    export ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0:new_delete_type_mismatch=0
    cargo test --target $target --locked --package cm-dsl --package cm-runtime --lib
    cargo test --target $target --locked --package cm-tests --test memory --test device -- \
        --skip faults::memory # there memory is limited, and the sanitizer reserves terabytes
}

# Without a compiler of its own: the memory of the CPU, and Level Zero where it has a device, also a simulated one.
# Valgrind knows no AVX-512.
valgrind() {
    command -v valgrind >/dev/null || { echo "skipped: valgrind is not installed"; return; }
    export CM_CPU_ISA=avx2 CM_NUM_THREADS=2 PROPTEST_CASES=4
    checked memory env CM_LEVEL_ZERO_LOADER=/none CM_REQUIRE_LEVEL_ZERO=0
    checked device env -- level_zero::
}

# A suite under valgrind: its name, the command before, and after `--` what its tests begin with.
checked() {
    suite=$1
    shift
    program=$(cargo test --locked --package cm-tests --test "$suite" --no-run --message-format json 2>/dev/null |
        sed -n 's/.*"executable":"\([^"]*\)".*/\1/p')
    before=
    while [ $# -ne 0 ] && [ "$1" != -- ]; do
        before="$before $1"
        shift
    done
    [ $# -eq 0 ] || shift
    # The documents that tests read are beside the package. No word of `before` has a blank.
    (cd tests && $before valgrind --quiet --error-exitcode=9 --leak-check=no --suppressions=valgrind.supp \
        "$program" --test-threads=1 "$@")
}

for step in "$@"; do
    printf '\n== %s\n' "$step"
    "$step"
done
