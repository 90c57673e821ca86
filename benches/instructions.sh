#!/bin/sh
# Compares the instruction counts of the CPU path with `benches/instructions.txt`: they may only go down.
#
#   sh benches/instructions.sh            compares
#   sh benches/instructions.sh --write    rewrites them
#
# For each kernel of `benches/cpu.rs`, callgrind counts the instructions that a launch executes with AVX2; it does not
# support AVX-512. For the AVX-512 functions of all kernels together, the script counts the instructions in the program,
# and how many of them move single elements or convert single floats: these reveal code that is not vectorised.
set -eu
cd "$(dirname "$0")/.."

recorded=benches/instructions.txt
found=$(mktemp)
trap 'rm -f "$found" "$found".*' EXIT

program=$(cargo bench --bench cpu --no-run --locked 2>&1 | sed -n 's/.*Executable.*(\(.*\))$/\1/p')
[ -x "$program" ] || { echo "the benches do not build" >&2; exit 1; }

executed() {
    CM_CPU_ISA=avx2 valgrind --tool=callgrind --callgrind-out-file="$found.calls" \
        --toggle-collect='cm_runtime::cpu::native::InUnit::avx2*' "$program" --test --exact "$1" 2>"$found.log" >/dev/null
    sed -n 's/.*Collected : \([0-9]*\)$/\1/p' "$found.log"
}

for kernel in linear linear1d2 linearslide linearslide2; do
    echo "$kernel $(executed "cpu::single::$kernel::(5760, 1080)")"
done >"$found"
for kernel in sepia binomial5 box16 polynomial block_sum transpose swizzle lookup luma mix \
    limited ordered distances reduced packed_masks bits dots rounding curves angles lanes choices short_floats; do
    echo "$kernel $(executed "cpu::family::$kernel")"
done >>"$found"

objdump --disassemble --no-show-raw-insn "$program" | awk '
    /^[0-9a-f]+ <.*>:$/ { inside = /native[0-9]+InUnit[0-9]+avx512/ }
    inside && /^ / {
        all++
        if ($2 ~ /^v?(p(ins|ext)r[bw]|cvtt?s[sd]2s[id])/) single++
    }
    END { print "avx512-functions", all; print "avx512-single-elements", single + 0 }' >>"$found"

if [ "${1:-}" = --write ]; then
    cp "$found" "$recorded"
    cat "$recorded"
    exit
fi
awk '
    NR == FNR { most[$1] = $2; next }
    !($1 in most) { print $1 ": not recorded"; bad = 1; next }
    $2 == "" { print $1 ": not measured"; bad = 1; next }
    # Allow half a percent, because the linker may move code of the standard library.
    $2 > most[$1] * 1.005 { print $1 ": " $2 " instructions, recorded " most[$1]; bad = 1 }
    $2 < most[$1] * 0.98 { print $1 ": " $2 " instructions, better than the recorded " most[$1] ": write them anew" }
    END { exit bad }' "$recorded" "$found"
echo "no kernel takes more instructions than recorded"
