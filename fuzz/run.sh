#!/bin/sh
# Runs each fuzz target for some seconds: `sh fuzz/run.sh [SECONDS] [TARGET..]`
# Needs cargo-fuzz, a C++ compiler, and a Rust compiler with sanitizers, which RUSTC_BOOTSTRAP=1 enables in the stable
# one.
set -eu
cd "$(dirname "$0")/.."

seconds=${1:-60}
[ $# -eq 0 ] || shift
[ $# -ne 0 ] || set -- ir image cache macros
export RUSTC_BOOTSTRAP=1
for target in "$@"; do
    printf '\n== %s\n' "$target"
    mkdir -p "fuzz/corpus/$target"
    # The largest legal picture needs 2 GB; no other input needs a tenth of that.
    cargo fuzz run "$target" "fuzz/corpus/$target" "fuzz/seeds/$target" -- \
        -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 -malloc_limit_mb=4096 -print_final_stats=1
done
