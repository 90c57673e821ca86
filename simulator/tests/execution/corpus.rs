//! Random instructions with recorded results of an independent interpreter: every type, region, modifier,
//! predicate and condition, in each rounding mode.

use crate::stage::Stage;

/// The setup and the end of the thread around the instruction.
fn program(modes: &str, instruction: &str) -> String {
    format!(
        "(W) mov (1|M0) cr0.0<1>:ud {modes}:ud
         (W) mov (1|M0) f0.0<1>:ud 0x9A3C55F0:ud
         (W) mov (1|M0) f1.0<1>:ud 0x6FF0A35C:ud
         (W) mov (1|M0) a0.2<1>:uw 0x1C0:uw
         (W) mov (1|M0) a0.3<1>:uw 0x240:uw
         (W) mov (1|M0) a0.4<1>:uw 0x2C0:uw
         (W) mov (1|M0) a0.5<1>:uw 0x300:uw
         (W) mov (8|M0) acc0.0<1>:d r14.0<8;8,1>:d
         {instruction}
         (W) mov (2|M0) r105.0<1>:ud f0.0<1;1,0>:ud
         (W) mov (8|M0) r106.0<1>:ud acc0.0<8;8,1>:ud"
    )
}

/// FNV-1a.
fn hash(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[test]
fn instructions_give_what_was_recorded() {
    let mut stage = Stage::new().with(10, include_bytes!("../corpus/registers.bin"));
    for register in 0..4 {
        let fill = u8::try_from(0x11 * (register + 3)).unwrap();
        stage = stage.with(101 + register, &[fill; 32]);
    }
    let mut modes = "0x0";
    let (mut count, mut wrong) = (0, vec![]);
    for line in include_str!("../corpus/instructions.txt").lines().filter(|line| !line.starts_with('#')) {
        let (instruction, expected) = line.rsplit_once(" = ").unwrap();
        if instruction == "cr0" {
            modes = expected;
            continue;
        }
        let registers = stage.run(&program(modes, instruction));
        let left = registers[101 * 32..105 * 32 + 8].iter().chain(&registers[106 * 32..107 * 32]);
        let is = hash(left.copied());
        count += 1;
        if is != u64::from_str_radix(expected, 16).unwrap() {
            wrong.push(format!("cr0 = {modes}: {instruction}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(count, 1260);
}
