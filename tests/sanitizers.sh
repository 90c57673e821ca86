#!/bin/sh
# Runs the suites that reach `unsafe` code with AddressSanitizer and under valgrind: `sh tests/sanitizers.sh [STEP..]`
# Steps: address, simulated, memcheck, level_zero.
set -eu
cd "$(dirname "$0")/.."

[ $# -ne 0 ] || set -- address simulated memcheck level_zero
target=x86_64-unknown-linux-gnu
[ "$(rustc -vV | sed -n 's/^host: //p')" = $target ] || { echo "skipped: this is not $target"; exit 0; }

# Builds for AddressSanitizer. Leaks are left out: what rayon's pool and statics keep is theirs, and the tests on the mock
# count objects. Tests ask for more memory than there is.
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
        # Where memory is limited, the sanitizer cannot reserve its own.
        cargo test --target $target --locked --package cm-tests --test memory --test device -- --skip faults::memory
    )
}

# Level Zero on the simulated GPU, under Intel's driver, which has no checks of its own.
simulated() {
    sh check.sh simulator || { echo "skipped: the simulator lacks something"; return; }
    (
        simulator=$PWD/target/release/cm-simulator
        for_address
        export CM_REQUIRE_LEVEL_ZERO=1
        "$simulator" run --sanitizer \
            cargo test --target $target --locked --package cm-tests --test device -- --skip faults::memory
    )
}

# The CPU, without a compiler of its own.
memcheck() {
    CM_LEVEL_ZERO_LOADER=/none CM_REQUIRE_LEVEL_ZERO=0 checked memory
}

# Level Zero, where it has a device, also a simulated one.
level_zero() {
    checked device level_zero::
}

# The tests of a suite under valgrind, which knows no AVX-512.
checked() {
    command -v valgrind >/dev/null || { echo "skipped: valgrind is not installed"; return; }
    suite=$1
    shift
    program=$(cargo test --locked --package cm-tests --test "$suite" --no-run --message-format json |
        sed -n 's/.*"executable":"\([^"]*\)".*/\1/p')
    # As cargo does, in the folder of the package.
    (
        cd tests
        CM_CPU_ISA=avx2 CM_NUM_THREADS=2 PROPTEST_CASES=4 valgrind --quiet --error-exitcode=9 --leak-check=no \
            --suppressions=valgrind.supp "$program" --test-threads=1 "$@"
    )
}

for step in "$@"; do
    printf '\n== %s\n' "$step" | tr _ ' '
    "$step"
done
