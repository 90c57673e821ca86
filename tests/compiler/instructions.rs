//! Instructions that some generations lack: they occur in the machine code of generations that have them, and
//! nowhere else.

use cm::ir::Function;
use cm::prelude::*;
use cm::spirv::{Instruction, lower};
use cm_test_kernels::arrays;
use cm_test_support::ocloc::{Compiled, DEVICES, compile, present};

#[function]
fn multiplexed(a: Vector<u32, 16>, b: Vector<u32, 16>, c: Vector<u32, 16>) -> Vector<u32, 16> {
    math::bfn::<{ math::BFN_X & math::BFN_Y | !math::BFN_X & math::BFN_Z }>(a, b, c)
}

#[function]
fn majority(a: Vector<u16, 16>, b: Vector<u16, 16>, c: Vector<u16, 16>) -> Vector<u16, 16> {
    math::bfn::<0xe8>(a, b, c)
}

/// Kernels of one expression, with the instruction for it, its mnemonic in machine code, and how often it
/// must occur.
macro_rules! kernels {
    ($($name:ident($t:ident, $v:ident -> $u:ident) |$a:ident, $b:ident, $c:ident| $expression:expr
        => $instruction:ident $mnemonic:literal $count:literal;)*) => {
        $(
            /// One expression of three registers.
            #[kernel]
            fn $name(left: &Buffer<$t>, right: &Buffer<$v>, third: &Buffer<$u>, out: &mut Buffer<$u>) {
                let $a = left.read::<16>(0);
                let $b = right.read::<16>(0);
                let $c = third.read::<16>(0);
                let result: Vector<$u, 16> = $expression;
                out.write(0, &result);
            }
        )*

        /// All of them.
        pub(crate) fn kernels() -> Vec<Function> {
            vec![$($name::ir().unwrap()),*]
        }

        #[test]
        fn instructions_are_used_where_they_exist() {
            if !present() {
                return;
            }
            $(check(&$name::ir().unwrap(), Instruction::$instruction, ($mnemonic, $count));)*
        }
    };
}

kernels! {
    dot_of_unsigned(u32, u32 -> u32) |a, b, c| math::dp4a::<u32, _>(c, a, b) => ByteDot "dp4a" 1;
    dot_of_signed(i32, i32 -> i32) |a, b, c| math::dp4a::<i32, _>(c, a, b) => ByteDot "dp4a" 1;
    dot_of_mixed(u32, i32 -> i32) |a, b, c| math::dp4a::<i32, _>(c, a, b) => ByteDot "dp4a" 3;
    dot_limited(i32, u32 -> i32) |a, b, c| math::dp4a_sat::<i32, _>(c, a, b) => ByteDot "dp4a" 3;
    rotated_words(u16, u16 -> u16) |a, b, _c| math::rol(a, b) => Rotation "rol" 1;
    rotated_dwords(i32, i32 -> i32) |a, b, _c| math::ror(a, b) => Rotation "ror" 1;
    rotated_by_a_number(u32, u32 -> u32) |a, _b, _c| math::rol(a, 37) => Rotation "rol" 1;
    rotated_qwords(u64, u64 -> u64) |a, b, _c| math::rol(a, b) => LongRotation "rol" 1;
    chosen_bits(u32, u32 -> u32) |a, b, c| multiplexed(a, b, c) => Boolean "bfn.(s0&s1|~s0&s2)" 1;
    most_bits(u16, u16 -> u16) |a, b, c| majority(a, b, c) => Boolean "bfn.(s0&s1|(s0|s1)&s2)" 1;
    operators_on_bits(i32, i32 -> i32) |a, b, c| (a & !b) ^ (c | a) => Boolean "bfn." 1;
}

fn compiled(function: &Function, target: Target, device: &str) -> Compiled {
    let module = lower(function, target).unwrap();
    compile(&module, &function.name, device).unwrap_or_else(|e| panic!("{} on {device}: {e}", function.name))
}

fn check(function: &Function, instruction: Instruction, (mnemonic, count): (&str, usize)) {
    for (device, target) in DEVICES {
        let assembly = compiled(function, target, device);
        let found = assembly.count(mnemonic);
        let expected = if target.has(instruction) { count } else { 0 };
        assert_eq!(found, expected, "{mnemonic} of {} on {device}: {}", function.name, assembly.assembly);
    }
}

/// A sum and a comparison on each device. The instruction for both leaves the carry in the accumulator, and
/// another instruction must read it, for 8 elements at once up to Xe-HPG. There the comparison is shorter.
#[test]
fn carries_are_comparisons() {
    #[kernel]
    fn carries(left: &Buffer<u32>, right: &Buffer<u32>, out: &mut Buffer<u32>) {
        let (sum, carry) = math::addc(left.read::<16>(0), right.read::<16>(0));
        out.write(0, &sum);
        // If both were adjacent, they would be written as one block, and the compiler would add again.
        out.write(128, &carry);
    }

    if !present() {
        return;
    }
    for (device, target) in DEVICES {
        let assembly = compiled(&carries::ir().unwrap(), target, device);
        let adds = assembly.count("add (16") + assembly.count("addc");
        assert_eq!((adds, assembly.count("cmp (16")), (1, 1), "{device}: {}", assembly.assembly);
    }
}

/// The registers of an array are variables like others: no instruction is added.
#[test]
fn arrays_cost_nothing() {
    if !present() {
        return;
    }
    for (device, target) in DEVICES {
        let [array, names] = [arrays::product::ir(), arrays::product_by_names::ir()]
            .map(|function| compiled(&function.unwrap(), target, device));
        let counts = |code: &Compiled| (code.instructions, code.count("mov"), code.count("mad"));
        assert_eq!(counts(&array), counts(&names), "{device}: {}", array.assembly);
        assert!(array.count("mad") + array.count("mul") >= 8, "{device}: {}", array.assembly);
    }
}
