#!/bin/sh
# Runs the suites that reach `unsafe` code with AddressSanitizer and under valgrind: `sh tests/sanitizers.sh [STEP..]`
# Steps: address, simulated, memcheck, level_zero.
set -eu
cd "$(dirname "$0")/.."

[ $# -ne 0 ] || set -- address simulated memcheck level_zero
target=x86_64-unknown-linux-gnu
[ "$(rustc -vV | sed -n 's/^host: //p')" = $target ] || { echo "skipped: this is not $target"; exit 0; }

# Builds for AddressSanitizer. Leaks are not checked: rayon's pool and statics keep memory, and the tests on the mock
# count objects. Allocations may fail, because some tests request more memory than exists.
for_address() {
    export RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Zsanitizer=address CARGO_TARGET_DIR=target/address
    export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1
}

# The CPU, and Level Zero on the mock.
address() {
    (
        for_address
        export CM_LEVEL_ZERO_LOADER=/none CM_REQUIRE_LEVEL_ZERO=0
        cargo test --target $target --locked --package cm-dsl --package cm-runtime --lib
        # With limited memory, the sanitizer cannot reserve its own memory.
        cargo test --target $target --locked --package cm-tests --test memory --test device -- --skip faults::memory
    )
}

# Level Zero on the simulated GPU, under Intel's driver, which is not built with the sanitizer.
simulated() {
    sh check.sh build_simulator
    simulator=$PWD/target/release/cm-simulator
    "$simulator" doctor || { echo "skipped: the simulator lacks something"; return; }
    (
        for_address
        export CM_REQUIRE_LEVEL_ZERO=1
        "$simulator" run --sanitizer \
            cargo test --target $target --locked --package cm-tests --test device -- --skip faults::memory
    )
}

# The CPU under valgrind, without a special build.
memcheck() {
    (
        export CM_LEVEL_ZERO_LOADER=/none CM_REQUIRE_LEVEL_ZERO=0
        checked tests "--test memory"
        # Kernels that are not optimised do not use gathers, so these run alone.
        checked runtime --lib cpu::gather::
    )
}

# Level Zero, if it has a device; this may be the simulated GPU.
level_zero() {
    checked tests "--test device" level_zero::
}

# Runs tests under valgrind, which does not support AVX-512: those of the package in a folder, of a target of cargo, by filters.
checked() {
    command -v valgrind >/dev/null || { echo "skipped: valgrind is not installed"; return; }
    folder=$1
    tested=$2
    shift 2
    # shellcheck disable=SC2086 # the option and the name are words
    program=$(cargo test --locked --package "cm-$folder" $tested --no-run --message-format json |
        sed -n 's/.*"executable":"\([^"]*\)".*/\1/p')
    # Run in the folder of the package, like cargo.
    suppressions=$PWD/tests/valgrind.supp
    (
        cd "$folder"
        CM_CPU_ISA=avx2 CM_NUM_THREADS=2 PROPTEST_CASES=4 valgrind --quiet --error-exitcode=9 --leak-check=no \
            --suppressions="$suppressions" "$program" --test-threads=1 "$@"
    )
}

for step in "$@"; do
    printf '\n== %s\n' "$step" | tr _ ' '
    "$step"
done
