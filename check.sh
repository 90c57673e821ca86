#!/bin/sh
# Every check of the project, in order; the first one that fails ends it. `sh check.sh`
set -eu
cd "$(dirname "$0")"

step() { printf '\n== %s\n' "$*"; }

step "minimum Rust version"
# The stated minimum is the version that everything is checked with: a newer compiler also checks with it if rustup
# has it, an older one cannot go on.
stated=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
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

step "format"
cargo fmt --all --check

step "clippy"
cargo clippy --workspace --all-targets --locked -- -D warnings

step "documentation"
RUSTDOCFLAGS=-Dwarnings cargo doc --workspace --no-deps --locked

step "public items"
# What users name is what the committed lists have; the tool writes them anew if told to.
cargo run --manifest-path tests/public-api/Cargo.toml --target-dir target/public-api --locked

step "unit tests of the example"
cargo test --example linear --locked

step "without Level Zero"
# The program is whole, and says what it lacks.
cargo clippy --package cm --package cm-runtime --no-default-features --locked -- -D warnings
cargo run --no-default-features --example doctor --locked | grep "no Level Zero in this program"

step "another processor"
# What is for x86-64 alone leaves nothing behind elsewhere.
if [ -d "$(rustc --print target-libdir --target aarch64-unknown-linux-gnu)" ]; then
    RUSTFLAGS=-Dwarnings cargo check --package cm-runtime --target aarch64-unknown-linux-gnu --locked
else
    echo "skipped: rustup target add aarch64-unknown-linux-gnu"
fi

step "a downstream crate"
cp Cargo.lock tests/downstream/Cargo.lock # the same versions
cargo run --manifest-path tests/downstream/Cargo.toml --target-dir target/downstream

step "instruction sets"
# With optimisation: without it the kernels have one code for all instruction sets.
cargo test --release --test instruction_sets --locked

step "instructions of the CPU path"
if command -v valgrind >/dev/null && [ "$(uname -m)" = x86_64 ]; then
    sh benches/instructions.sh
else
    echo "skipped: valgrind is not installed, or this is no x86-64"
fi

step "tests"
# The test command of the README.
cargo test --workspace
