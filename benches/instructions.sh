#!/bin/sh
# Compares the instruction counts of the CPU path with `benches/instructions.txt`: they may only go down.
#
#   sh benches/instructions.sh            compares
#   sh benches/instructions.sh --write    rewrites them
#
# For each kernel of `benches/cpu.rs`, callgrind counts the instructions that a launch executes with AVX2, in the test
# `instruction_sets`; it does not support AVX-512. For the AVX-512 functions of all kernels of that test together, the
# script counts the instructions in the program, and how many of them move single elements or convert single floats: these
# reveal code that is not vectorised.
#
# With `codegen-units = 1` LLVM simplifies code in one round, and no longer in two, unless `runtime/src/cpu/native.rs` asks for
# the second. So the script also compares the instructions of the kernels of the test `simplified` with one unit and with
# several.
#
# In the first round a unit knows only the declarations of functions in other units. So the script also checks that the
# declaration of the function that reports a broken rule says that it does not return.
set -eu
cd "$(dirname "$0")/.."

recorded=benches/instructions.txt
found=$(mktemp)
trap 'rm -f "$found" "$found".*' EXIT

# The program of a test, with more arguments of cargo. The lowering does not run here.
program() {
    test=$1
    shift
    program=$(cargo test --profile bench --config 'profile.bench.package.cm-compiler.opt-level = 0' "$@" \
        --package cm-instruction-sets --test "$test" --no-run --locked 2>&1 | sed -n 's/.*Executable.*(\(.*\))$/\1/p')
    [ -x "$program" ] || { echo "the test \`$test\` does not build" >&2; exit 1; }
}

executed() {
    CM_CPU_ISA=avx2 CM_CPU_ENGINE=native valgrind --tool=callgrind --callgrind-out-file="$found.calls" \
        --toggle-collect='cm_runtime::cpu::native::InUnit::avx2*' \
        "$program" --exact "$1" --ignored --test-threads=1 2>"$found.log" >/dev/null
    sed -n 's/.*Collected : \([0-9]*\)$/\1/p' "$found.log"
}

program instruction_sets
for kernel in $("$program" counted:: --ignored --list | sed -n 's/^counted::\(.*\): test$/\1/p'); do
    echo "$kernel $(executed "counted::$kernel")"
done >"$found"

objdump --disassemble --no-show-raw-insn "$program" | awk '
    /^[0-9a-f]+ <.*>:$/ { inside = /native[0-9]+InUnit[0-9]+avx512/ }
    inside && /^ / {
        all++
        if ($2 ~ /^v?(p(ins|ext)r[bw]|cvtt?s[sd]2s[id])/) single++
    }
    END { print "avx512-functions", all; print "avx512-single-elements", single + 0 }' >>"$found"

simplified() {
    program simplified "$@"
    for kernel in sharpen halve; do
        echo "$kernel $(executed "$kernel")"
    done
}

simplified >"$found.units"
simplified --config 'profile.bench.package.cm-instruction-sets.codegen-units = 1' >"$found.unit"
awk '
    NR == FNR { most[$1] = $2; next }
    $2 == "" { print $1 ": not measured with one codegen unit"; bad = 1; next }
    $2 > most[$1] * 1.05 { print $1 ": " $2 " instructions with one codegen unit, otherwise " most[$1]; bad = 1 }
    END { exit bad }' "$found.units" "$found.unit"

# So many units that each module is a unit, before LLVM simplifies anything.
rm -f "${program%-*}"-*.ll
touch tests/instruction_sets/simplified.rs # else cargo does not build it again, and there are no modules
cargo rustc --profile bench --config 'profile.bench.package.cm-compiler.opt-level = 0' --package cm-instruction-sets \
    --test simplified --locked --quiet -- --emit=llvm-ir -C no-prepopulate-passes -C codegen-units=256
awk '
    pass == 1 && /^attributes #[0-9]+ = .* noreturn / { ends[FILENAME, $2] }
    pass == 2 && /^declare .*cm_dsl.*cpu.*(violation|broken)/ {
        found++
        if (!((FILENAME, $NF) in ends)) { print "not known to end a kernel: " $0; bad = 1 }
    }
    END {
        if (!found) { print "no unit declares the function that reports a broken rule"; bad = 1 }
        exit bad
    }' pass=1 "${program%-*}"-*.ll pass=2 "${program%-*}"-*.ll

if [ "${1:-}" = --write ]; then
    awk '$2 == "" { print $1 ": not measured"; bad = 1 } END { exit bad || !NR }' "$found"
    cp "$found" "$recorded"
    cat "$recorded"
    exit
fi
awk '
    NR == FNR { most[$1] = $2; next }
    { found[$1] }
    !($1 in most) { print $1 ": not recorded"; bad = 1; next }
    $2 == "" { print $1 ": not measured"; bad = 1; next }
    # Allow half a percent, because the linker may move code of the standard library.
    $2 > most[$1] * 1.005 { print $1 ": " $2 " instructions, recorded " most[$1]; bad = 1 }
    $2 < most[$1] * 0.98 { print $1 ": " $2 " instructions, better than the recorded " most[$1] ": write them anew" }
    END {
        for (kernel in most) if (!(kernel in found)) { print kernel ": not measured"; bad = 1 }
        exit bad
    }' "$recorded" "$found"
echo "no kernel takes more instructions than recorded"
