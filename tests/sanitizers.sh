#!/bin/sh
# Runs the suites that reach `unsafe` code with AddressSanitizer, and the tests of the CPU's memory with valgrind:
# `sh tests/sanitizers.sh [address] [valgrind]`
#
# Level Zero takes part where it has a device. Under a preloaded simulator it needs a driver whose libraries are not
# opened with RTLD_DEEPBIND, which AddressSanitizer refuses (SIM_SANITIZE=1).
set -eu
cd "$(dirname "$0")/.."

[ $# -ne 0 ] || set -- address valgrind
target=x86_64-unknown-linux-gnu
[ "$(rustc -vV | sed -n 's/^host: //p')" = $target ] || { echo "skipped: this is not $target"; exit 0; }

# Memory that is used after it is freed or beyond its end. Leaks are left out: what the loader of Level Zero and the
# process keep to the end is theirs, and the tests on the mock count objects.
address() {
    export RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Zsanitizer=address" CARGO_TARGET_DIR=target/address
    # The driver frees with another size than it allocates, and is preloaded before the sanitizer.
    export ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0:new_delete_type_mismatch=0
    cargo test --target $target --locked --package cm-dsl --package cm-runtime --lib
    cargo test --target $target --locked --package cm-tests --test memory --test device -- \
        --skip faults::memory # there memory is limited, and the sanitizer reserves terabytes
}

# The same without a compiler of its own, on the CPU alone; valgrind knows no AVX-512.
valgrind() {
    command -v valgrind >/dev/null || { echo "skipped: valgrind is not installed"; return; }
    suites=$(cargo test --locked --package cm-tests --test memory --no-run --message-format json |
        sed -n 's/.*"executable":"\([^"]*\)".*/\1/p')
    for suite in $suites; do
        CM_CPU_ISA=avx2 CM_LEVEL_ZERO_LOADER=/none CM_REQUIRE_LEVEL_ZERO=0 CM_NUM_THREADS=2 PROPTEST_CASES=4 \
            command valgrind --quiet --error-exitcode=9 --leak-check=no "$suite" --test-threads=1
    done
}

for step in "$@"; do
    printf '\n== %s\n' "$step"
    "$step"
done
