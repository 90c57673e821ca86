#!/bin/sh
# `sh check.sh` runs the checks of the project, except the long steps `every_device`, `sanitizers` and `fuzz`. It stops at the
# first failure. Failures of the steps that run beside others are reported at the end.
# `sh check.sh portable` skips the checks that need Linux, the expected texts of one Rust version, or Intel's tools.
# `sh check.sh STEP..` runs single steps, named after the functions below.
set -eu
cd "$(dirname "$0")"

# Everything is built once, and the data of incremental builds would be a third of the size.
export CARGO_INCREMENTAL="${CARGO_INCREMENTAL:-0}"

stated=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)

# The stated minimum is the version that everything is checked with. With a newer compiler, this also checks with the
# minimum if rustup has it. An older compiler is an error.
minimum_rust() {
    present=$(rustc --version | sed 's/^rustc \([0-9]*\.[0-9]*\).*/\1/')
    if [ "$present" = "$stated" ]; then
        echo "stated $stated, and all checks below run with it"
    elif rustup run "$stated" rustc --version >/dev/null 2>&1; then
        rustup run "$stated" cargo check --workspace --all-targets --locked
    elif [ "$(printf '%s\n%s\n' "$stated" "$present" | sort -V | head -n 1)" = "$stated" ]; then
        echo "stated $stated, present $present: not checked here (rustup toolchain install $stated)"
    else
        echo "stated $stated, present $present: too old" >&2
        exit 1
    fi
}

# `--all` is the workspace; the packages outside of it are named.
format() {
    cargo fmt --all --check
    cargo fmt --manifest-path tests/public-api/Cargo.toml --check
    cargo fmt --manifest-path fuzz/Cargo.toml --check
    cargo fmt --manifest-path runtime/level-zero-sys/generate/Cargo.toml --check
}

clippy() {
    cargo clippy --workspace --all-targets --test instruction_sets --locked -- -D warnings
}

# Not of the tests' own crates, which nobody reads apart from their source.
documentation() {
    RUSTDOCFLAGS=-Dwarnings cargo doc --workspace --no-deps --locked \
        --exclude cm-tests --exclude cm-test-support --exclude cm-random-kernels \
        --exclude cm-instruction-sets --exclude cm-illegal-programs
}

# The public items match the committed lists.
public_items() {
    cargo run --manifest-path tests/public-api/Cargo.toml --target-dir target/public-api --locked -- "$@"
}

# Not a check: rewrites the lists.
write_public_items() {
    public_items --write
}

# Each published crate can be packed, with its licences. The files need not be committed yet.
packages() {
    for package in level-zero-sys cm-macros cm-compiler cm-dsl cm-runtime cm; do
        files=$(cargo package --package "$package" --list --allow-dirty --locked)
        for file in README.md LICENSE-MIT LICENSE-APACHE; do
            echo "$files" | grep -qx "$file" || { echo "$package is packed without $file" >&2; exit 1; }
        done
        if echo "$files" | grep -E '^(tests|benches)/'; then
            echo "$package is packed with tests that need the workspace" >&2
            exit 1
        fi
    done
    if cargo deny --version >/dev/null 2>&1; then
        cargo deny --locked check bans licenses sources
    else
        echo "skipped: cargo deny (cargo install cargo-deny)"
    fi
}

# The simulated GPU, for tests of Level Zero: `target/release/cm-simulator run sh check.sh tests`
simulator() {
    build_simulator
    target/release/cm-simulator doctor
}

build_simulator() {
    cargo build --release --package cm-simulator --package cm-simulator-preload --locked
}

# The unit tests inside of examples, which `cargo test` skips because it only builds examples to run them.
example() {
    cargo test --workspace --example linear --locked
}

# Without Level Zero, everything builds, and `doctor` says what is missing. It has the features that the tests have, so
# that their dependencies are built once.
without_level_zero() {
    cargo clippy --package cm --package cm-runtime --no-default-features --locked -- -D warnings
    cargo run --package cm-examples --no-default-features --features cm/generic-array,cm/image,cm/ndarray \
        --example doctor --locked | grep "no Level Zero in this program"
}

# Each feature builds without the others. The tests use all of them.
features() {
    for feature in generic-array image ndarray; do
        cargo clippy --package cm --no-default-features --features $feature --locked -- -D warnings
    done
}

# There are no warnings about unused items on targets without the x86-64 code or without Level Zero.
other_targets() {
    for target in aarch64-unknown-linux-gnu aarch64-apple-darwin x86_64-pc-windows-msvc wasm32-unknown-unknown; do
        if [ -d "$(rustc --print target-libdir --target $target)" ]; then
            RUSTFLAGS=-Dwarnings cargo check --package cm --target $target --locked
        else
            echo "skipped: rustup target add $target"
        fi
    done
}

# With optimisation, because without it kernels have the same code for all instruction sets. The next step counts the
# instructions of the same program.
instruction_sets() {
    cargo test --profile bench --config 'profile.bench.package.cm-compiler.opt-level = 0' \
        --package cm-instruction-sets --test instruction_sets --locked
}

# Instruction counts of the CPU path.
instructions() {
    if command -v valgrind >/dev/null && [ "$(uname -m)" = x86_64 ]; then
        sh benches/instructions.sh
    else
        echo "skipped: valgrind is not installed, or this is no x86-64"
    fi
}

# The fuzz targets compile; `sh fuzz/run.sh` runs them. Nothing is linked, so any file is the library,
# and libFuzzer is not compiled.
fuzz_targets() {
    CUSTOM_LIBFUZZER_PATH="$PWD/fuzz/Cargo.toml" \
        cargo clippy --manifest-path fuzz/Cargo.toml --target-dir target --locked -- -D warnings
}

# Compiles every kernel with the newest Intel compiler, which it downloads.
newest_compiler() {
    sh tests/newest_compiler.sh
}

# Compiles every kernel for all devices. Not run by default, because it takes long.
every_device() {
    CM_EVERY_DEVICE=1 CM_REQUIRE_OCLOC=1 cargo test --workspace --test compiler --locked -- ocloc:: regressions::
    CM_EVERY_DEVICE=1 sh tests/newest_compiler.sh
}

# Not run by default, because it rebuilds everything and takes long.
sanitizers() {
    sh tests/sanitizers.sh
}

fuzz() {
    sh fuzz/run.sh 600
}

build_tests() {
    cargo test --workspace --no-run --locked
}

# The test command of the README, with the versions of `Cargo.lock`.
tests() {
    cargo test --workspace --locked
}

# Tests of kernels and their meaning, without the tests of tools.
portable_tests() {
    cargo test --package cm-compiler --package cm-dsl --package cm-runtime --lib --locked
    cargo test --package cm-tests --test language --test memory --locked
    cargo test --package downstream --locked
}

# Runs steps.
run() {
    for step in "$@"; do
        printf '\n== %s\n' "$step" | tr _ ' '
        "$step"
    done
}

# Runs steps at the same time as the following ones, which leave cores idle. `finish` prints their output, and fails if
# one of them has failed.
jobs=
beside() {
    # In a group of its own, so that `stop` stops what it has started.
    if command -v setsid >/dev/null; then
        setsid sh check.sh "$@" >"$logs/$1" 2>&1 &
    else
        sh check.sh "$@" >"$logs/$1" 2>&1 &
    fi
    jobs="$jobs $!:$1"
}

finish() {
    failed=0
    for job in $jobs; do
        wait "${job%%:*}" || failed=1
        cat "$logs/${job#*:}"
    done
    jobs=
    [ "$failed" = 0 ]
}

stop() {
    for job in $jobs; do
        kill -- "-${job%%:*}" 2>/dev/null || kill "${job%%:*}" 2>/dev/null || true
        printf '\n== %s, until it was stopped\n' "${job#*:}" | tr _ ' '
        tail -n 20 "$logs/${job#*:}"
    done
    rm -rf "$logs"
}

case "${1:-}" in
    "")
        logs=$(mktemp -d)
        trap stop EXIT
        trap 'exit 130' INT
        trap 'exit 143' TERM
        # They build with optimisation in another folder, and count instructions instead of time.
        beside instruction_sets instructions
        run minimum_rust format clippy fuzz_targets documentation public_items packages without_level_zero \
            features other_targets build_tests
        # `newest_compiler` runs a program that `build_tests` has built.
        beside newest_compiler
        run tests example
        finish
        ;;
    portable) run clippy without_level_zero portable_tests ;;
    *) run "$@" ;;
esac
