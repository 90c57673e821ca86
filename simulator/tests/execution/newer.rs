//! Instructions that Gen9 does not have, and instructions that differ on newer generations.

use cm_simulator::eu::Program;
use cm_simulator::generation::{Generation, Machine};

use crate::stage::{Stage, bytes};

/// The generations after Gen9.
const NEWER: [Generation; 5] =
    [Generation::XeLp, Generation::XeHpg, Generation::XeHpc, Generation::Xe2, Generation::Xe3];

/// Dwords at the limits of ranges and in between.
const VALUES: [u32; 8] = [0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x1234_5678, 0x80ff_017f, 0xfedc_ba98];

/// A stage for a generation, with three lists of eight dwords in r10, r20 and r30.
fn stage(generation: Generation, lists: [[u32; 8]; 3]) -> Stage {
    let [a, b, c] = lists.map(|list| bytes(&list));
    Stage::of(generation).with(10, &a).with(20, &b).with(30, &c)
}

/// The values, rotated by `by` positions.
fn rotated(by: usize) -> [u32; 8] {
    std::array::from_fn(|n| VALUES[(n * 3 + by) % 8])
}

/// The eight dwords of r40 after an instruction.
fn result(stage: &Stage, instruction: &str) -> Vec<u32> {
    let registers = stage.run(instruction);
    let first = 40 * stage.machine.register_bytes();
    let dwords = registers[first..first + 32].as_chunks::<4>().0;
    dwords.iter().map(|dword| u32::from_le_bytes(*dword)).collect()
}

#[test]
fn three_numbers_are_added() {
    for generation in NEWER.into_iter().filter(|generation| *generation >= Generation::XeHpg) {
        let lists = [rotated(0), rotated(1), rotated(2)];
        let found =
            result(&stage(generation, lists), "add3 (8|M0) r40.0<1>:d r10.0<8;1>:d -r20.0<8;1>:d r30.0<1>:d");
        let [a, b, c] = lists;
        let wanted: Vec<u32> = (0..8).map(|n| a[n].wrapping_sub(b[n]).wrapping_add(c[n])).collect();
        assert_eq!(found, wanted, "{}", generation.name());
    }
}

#[test]
fn the_lower_half_of_a_product_stays_in_the_accumulator() {
    let lists = [rotated(0), rotated(1), rotated(2)];
    for generation in NEWER {
        // Since Xe-HPC, there is no bit that requests it.
        let asked = if generation < Generation::XeHpc { "{AccWrEn}" } else { "" };
        let text = format!(
            "mul (8|M0) acc0.0<1>:ud r10.0<1;1,0>:ud r20.0<2;1,0>:uw
             mach (8|M0) r50.0<1>:ud r10.0<1;1,0>:ud r20.0<1;1,0>:ud {asked}
             mov (8|M0) r40.0<1>:ud acc0.0<1;1,0>:ud"
        );
        let wanted: Vec<u32> = (0..8).map(|n| lists[0][n].wrapping_mul(lists[1][n])).collect();
        assert_eq!(result(&stage(generation, lists), &text), wanted, "{}", generation.name());
    }
}

#[test]
fn every_table_of_three_bits_is_looked_up() {
    let lists = [rotated(0), rotated(3), rotated(5)];
    let stage = stage(Generation::XeHpg, lists);
    for table in 0..256_u32 {
        let text = format!("bfn.{table:#x} (8|M0) r40.0<1>:ud r10.0<8;1>:ud r20.0<8;1>:ud r30.0<1>:ud");
        let wanted: Vec<u32> = (0..8)
            .map(|n| {
                let bit = |list: usize, bit: u32| lists[list][n] >> bit & 1;
                (0..32).fold(0, |sum, at| {
                    let row = bit(0, at) | bit(1, at) << 1 | bit(2, at) << 2;
                    sum | (table >> row & 1) << at
                })
            })
            .collect();
        assert_eq!(result(&stage, &text), wanted, "table {table:#x}");
    }
}

#[test]
fn bits_are_rotated() {
    let lists = [rotated(0), [0, 1, 7, 31, 32, 33, 63, 0xffff_ffff], rotated(0)];
    for generation in NEWER {
        let stage = stage(generation, lists);
        let counts = lists[1].iter();
        let left: Vec<u32> =
            lists[0].iter().zip(counts.clone()).map(|(value, by)| value.rotate_left(by & 31)).collect();
        let right: Vec<u32> =
            lists[0].iter().zip(counts).map(|(value, by)| value.rotate_right(by & 31)).collect();
        let text = "(8|M0) r40.0<1>:ud r10.0<1;1,0>:ud r20.0<1;1,0>:ud";
        assert_eq!(result(&stage, &format!("rol {text}")), left);
        assert_eq!(result(&stage, &format!("ror {text}")), right);
        let words = result(&stage, "rol (8|M0) r40.0<2>:uw r10.0<2;1,0>:uw r20.0<2;1,0>:uw");
        let wanted = lists[0].iter().zip(lists[1]).map(|(value, by)| (*value as u16).rotate_left(by & 15));
        assert_eq!(words.iter().map(|word| *word as u16).collect::<Vec<_>>(), wanted.collect::<Vec<_>>());
    }
}

#[test]
fn products_of_four_bytes_are_added() {
    let lists = [rotated(0), rotated(1), rotated(2)];
    for generation in NEWER {
        let stage = stage(generation, lists);
        for (left, right) in [("d", "d"), ("ud", "ud"), ("d", "ud"), ("ud", "d")] {
            let text = format!("dp4a (8|M0) r40.0<1>:d r10.0<8;1>:d r20.0<8;1>:{left} r30.0<1>:{right}");
            let byte = |value: u32, at: usize, ty: &str| -> i64 {
                let byte = value.to_le_bytes()[at];
                if ty == "d" { byte.cast_signed().into() } else { byte.into() }
            };
            let wanted: Vec<u32> = (0..8)
                .map(|n| {
                    let products =
                        (0..4).map(|at| byte(lists[1][n], at, left) * byte(lists[2][n], at, right));
                    (i64::from(lists[0][n].cast_signed()) + products.sum::<i64>()) as u32
                })
                .collect();
            assert_eq!(result(&stage, &text), wanted, "{text}");
        }
    }
}

/// The macros for 32-bit products: `mach` gives the upper half and, without `AccWrEn` or as `macl`, the lower
/// half.
#[test]
fn products_of_dwords_have_two_halves() {
    let lists = [rotated(0), rotated(1), rotated(2)];
    for generation in NEWER {
        let low = if generation >= Generation::XeHpc { "macl" } else { "mach" };
        for ty in ["d", "ud"] {
            let product = |n: usize| -> i64 {
                let [a, b] = [lists[0][n], lists[1][n]];
                if ty == "d" {
                    i64::from(a.cast_signed()) * i64::from(b.cast_signed())
                } else {
                    (u64::from(a) * u64::from(b)).cast_signed()
                }
            };
            let first = format!("(W) mul (8|M0) acc0.0<1>:{ty} r10.0<1;1,0>:{ty} r20.0<2;1,0>:uw");
            let operands = format!("(8|M0) r40.0<1>:{ty} r10.0<1;1,0>:{ty} r20.0<1;1,0>:{ty}");
            let mut stage = stage(generation, lists);
            // The first multiplication reads the lower words of the factors.
            stage = stage.with(21, &[]);
            let halves = [
                (format!("{first}\n{low} {operands}"), 0),
                (format!("{first}\nmach {operands} {{AccWrEn}}"), 32),
            ];
            for (text, shift) in halves {
                let wanted: Vec<u32> = (0..8).map(|n| (product(n) >> shift) as u32).collect();
                assert_eq!(result(&stage, &text), wanted, "{} {text}", generation.name());
            }
        }
    }
}

#[test]
fn short_floats_are_the_upper_halves_of_floats() {
    let floats: [f32; 8] = [0.0, -1.5, 1.003_906_2, 1.011_718_8, 3e38, f32::INFINITY, 1e-40, 255.7];
    let lists = [floats.map(f32::to_bits), [0; 8], [0; 8]];
    for generation in NEWER.into_iter().filter(|generation| *generation >= Generation::XeHpg) {
        let stage = stage(generation, lists);
        let found = result(&stage, "mov (8|M0) r40.0<2>:bf r10.0<1;1,0>:f");
        let wanted: Vec<u16> = floats
            .iter()
            .map(|float| {
                let bits = float.to_bits();
                let up = bits & 0xffff > 0x8000 || bits & 0xffff == 0x8000 && bits >> 16 & 1 == 1;
                (bits >> 16) as u16 + u16::from(up && float.is_finite())
            })
            .collect();
        assert_eq!(found.iter().map(|bits| *bits as u16).collect::<Vec<_>>(), wanted);
        let back = result(&stage, "mov (8|M0) r40.0<1>:f r10.1<2;1,0>:bf");
        assert_eq!(back, floats.map(|float| float.to_bits() & 0xffff_0000));
    }
}

#[test]
fn registers_of_newer_generations_have_64_bytes() {
    let numbers: Vec<u32> = (100..132).collect();
    let stage = Stage::of(Generation::XeHpc).with(10, &bytes(&numbers));
    let registers = stage.run(
        "mov (32|M0) r20.0<1>:ud r10.0<1;1,0>:ud
         add (16|M0) r127.0<1>:ud r11.0<1;1,0>:ud 0x1:ud",
    );
    assert_eq!(registers.len(), 128 * 64);
    assert_eq!(&registers[20 * 64..22 * 64], bytes(&numbers));
    assert_eq!(&registers[127 * 64..], bytes(&(117..133).collect::<Vec<_>>()));
}

#[test]
fn flags_are_four_since_xe_hpc() {
    let text = "(W) mov (1|M0) f3.0<1>:ud 0x5A:ud
         (f3.0) mov (8|M0) r40.0<1>:ud 0x1:ud
         cmp (8|M0) (gt)f2.1 null<1>:ud r10.0<1;1,0>:ud 0x10:ud
         (f2.1) add (8|M0) r40.0<1>:ud r40.0<1;1,0>:ud 0x2:ud {I@2}";
    let stage = stage(Generation::XeHpc, [VALUES, [0; 8], [0; 8]]);
    let wanted: Vec<u32> = (0..8).map(|n| (0x5a >> n & 1) + u32::from(VALUES[n] > 16) * 2).collect();
    assert_eq!(result(&stage, text), wanted);
}

/// On newer generations, channels leave if the predicate is true; on Gen9, if it is false.
#[test]
fn jumps_are_taken_where_the_predicate_holds() {
    for generation in NEWER {
        let mut stage = stage(generation, [VALUES, [0; 8], [0; 8]]);
        stage.mask = 0xff;
        let text = "mov (8|M0) r40.0<1>:ud 0x0:ud
             cmp (8|M0) (gt)f0.0 null<1>:d r10.0<1;1,0>:d 0x10:d
             (f0.0) goto (8|M0) there there
             mov (8|M0) r40.0<1>:ud 0x1:ud
             there:
             join (8|M0) end
             end:
             nop";
        let wanted: Vec<u32> = VALUES.iter().map(|value| u32::from(value.cast_signed() <= 16)).collect();
        assert_eq!(result(&stage, text), wanted, "{}", generation.name());
    }
}

/// A number of another register type is copied unchanged, even if flushing would make it zero.
#[test]
fn moved_bits_stay() {
    for generation in [Generation::Gen9, Generation::XeLp] {
        let stage = stage(generation, [VALUES, [0; 8], [0; 8]]);
        let text = "(W) mov (1|M0) cr0.0<1>:ud 0x0:ud\nmov (8|M0) r40.0<1>:f 0x7001F:f";
        assert_eq!(result(&stage, text), [0x7001f; 8]);
    }
}

/// Since Xe-HPC, there are no groups of flags: an instruction tests the flags of all of its channels.
#[test]
fn predicates_combine_the_flags_of_an_instruction() {
    let flags = 0x00ff_0110_u32;
    let cases = [
        ("f0.0.any", "(8|M0)", true),
        ("f0.0.all", "(8|M0)", false),
        ("~f0.0.all", "(8|M0)", true),
        ("f0.0.any", "(4|M0)", false),
        ("f0.0.any", "(8|M8)", true),
        ("f0.0.all", "(8|M16)", true),
        ("f0.0.any", "(8|M24)", false),
    ];
    for generation in NEWER {
        for (predicate, channels, holds) in cases {
            let text = format!(
                "(W) mov (1|M0) f0.0<1>:ud 0x{flags:x}:ud
                 (W&{predicate}) sel {channels} r40.0<1>:ud r10.0<1;1,0>:ud r20.0<1;1,0>:ud"
            );
            if generation < Generation::XeHpc {
                let error = Program::assemble(&text, Machine::of(generation)).expect_err(&text);
                assert!(error.to_string().contains("is no guard"), "{error}");
                continue;
            }
            let found = result(&stage(generation, [[1; 8], [2; 8], [0; 8]]), &text);
            assert_eq!(
                found[..4],
                [if holds { 1 } else { 2 }; 4],
                "{predicate} {channels} {}",
                generation.name()
            );
        }
    }
}
