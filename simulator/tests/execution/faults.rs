//! Code that cannot be executed is a fault, and nothing panics.

use cm_simulator::dispatch::{Stop, Surroundings};
use cm_simulator::eu::{DecodeError, Program, Thread};

use crate::stage::{GEN9, Stage, bytes};

#[test]
fn faults_name_the_instruction_and_the_reason() {
    let stage = Stage::new().with(10, &bytes(&[0x1234_5000, 0x7f]));
    let cases = [
        (
            "send (8|M0) r20 r10 0xC 0x4204EFF",
            "send (8|M0) r20 r10 0xC 0x4204EFF",
            "untyped messages of mode",
        ),
        ("send (8|M0) r20 r10 0xC 0x2106E07", "", "no surface at entry 7 of the binding table"),
        ("send (8|M0) r20 r10 0xC 0x21060FE", "", "a group without shared local memory"),
        ("(W) send (8|M0) r20 r10 0xC 0x217C0FF", "", "message 0x1f"),
        ("(W) send (1|M0) r20 r10 0xC 0x4145EFF", "", "memory access fault at GPU address 0x"),
        ("(W) send (8|M0) r20 r10 0x8 0x2100000", "", "video motion estimation"),
        ("(W) send (8|M0) r126 r10 0xC 0x2406EFF", "", "registers behind r127"),
        ("smov (8|M0) r20.0<1>:ud r10.0<8;8,1>:ud 0x0:ud", "smov", "the integer form of this instruction"),
        (
            "mov (1|M0) a0.0<1>:uw 0x2000:uw\nmov (8|M0) r20.0<1>:ud r[a0.0]<8;8,1>:ud",
            "",
            "outside of the registers",
        ),
        ("illegal", "illegal", "an illegal instruction"),
        ("wait n0.0<0;1,0>:ud", "wait", "that no barrier will notify"),
        ("math.inv (4|M0) r20.0<1>:df r10.0<4;4,1>:df null<0;1,0>:df", "", "a math function of doubles"),
    ];
    for (text, instruction, why) in cases {
        let fault = stage.fault(text);
        assert!(fault.instruction.contains(instruction), "{text}: {fault}");
        assert!(fault.to_string().contains(why), "{text}: {fault}");
    }
}

#[test]
fn a_fault_is_at_its_byte() {
    let fault = Stage::new().fault("mov (8|M0) r20.0<1>:ud 0x1:ud\nnop\nillegal");
    assert_eq!((fault.at, fault.instruction.as_str()), (32, "illegal"));
}

#[test]
fn text_that_is_no_program_is_refused() {
    let cases = [
        ("frobnicate (8|M0) r20.0<1>:ud 0x1:ud", "not supported: opcode frobnicate"),
        ("add (8|M0) r20.0<1>:ud r1.0<8;8,1>:ud", "a source is missing"),
        ("mov (8|M0) r20.0<1>:zz 0x1:ud", "not supported: type zz"),
        ("mov (8|M0) r127.4<1>:ud r1.0<8;8,1>:ud", "past the last register"),
        ("mov (8|M0) r128.0<1>:ud r1.0<8;8,1>:ud", "there is no such register"),
        ("mov (7|M0) r1.0<1>:ud r1.0<8;8,1>:ud", "no execution size"),
        ("mov (16|M240) r1.0<1>:ud r1.0<8;8,1>:ud", "no execution size"),
        ("mov (8|M0) r1.0<1>:ud r1.0<8;0,1>:ud", "rows without elements"),
        ("mov (8|M0) r1.0<1>:ud 0x1:ud r2.0<8;8,1>:ud r3.0<8;8,1>:ud r4.0<8;8,1>:ud", "an operand too many"),
        ("(W) jmpi (1|M0) nowhere", "there is no label nowhere"),
        ("mov (8|M0) r1.0<1>:ud r1.xyzw:ud", "not supported: the channels of"),
        ("(f2.0) mov (8|M0) r1.0<1>:ud 0x1:ud", "no flag register"),
        ("add (8|M0) r20.0<1>:d r1.0<8;8,1>:d 0x1:d {Align16}", "mode Align16"),
    ];
    for (text, why) in cases {
        let error = Program::assemble(text, GEN9).expect_err(text);
        assert!(error.to_string().contains(why), "{text}: {error}");
        assert!(matches!(&error, DecodeError::Instruction { line: 1, .. }), "{error:?}");
    }
    assert_eq!(Program::assemble("// nothing\n", GEN9).err(), Some(DecodeError::Empty));
}

/// A random number generator that gives the same numbers in each run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 16
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).unwrap()
    }
}

fn runs_without_panic(text: &str, stage: &Stage) -> bool {
    let Ok(program) = Program::assemble(text, GEN9) else { return false };
    let start = cm_simulator::dispatch::Start {
        registers: stage.registers.clone(),
        mask: u32::MAX,
        hardware_thread: 0,
        in_group: 0,
        group: [0; 3],
    };
    let around: &dyn Surroundings = stage;
    !matches!(Thread::new(program, start, None).run(around, 200), Stop::Budget)
}

/// Lines of the corpus with changed characters and parts of other lines.
#[test]
fn nothing_panics_on_damaged_instructions() {
    let lines: Vec<&str> = include_str!("../corpus/instructions.txt")
        .lines()
        .filter_map(|line| line.rsplit_once(" = ").map(|(text, _)| text))
        .chain([
            "(W) send (8|M0) r20 r10 0xC 0x2106EFF",
            "sends (16|M0) r20 r10 r12 0x8C 0x4205E01",
            "(f0.0) if (8|M0) L16 L32",
            "(W) jmpi (1|M0) r10.0<0;1,0>:d",
            "math.idiv (8|M0) r101.0<1>:d r14.0<8;8,1>:d r15.0<8;8,1>:d",
            "madm (4|M0) r21.mme1<1>:df r12.nomme<4;4,1>:df r10.nomme<4;4,1>:df r20.mme0<4;4,1>:df",
            "(W) ret (8|M0) r20.0<0;1,0>:ud",
            "wait n0.0<0;1,0>:ud",
        ])
        .collect();
    let registers: Vec<u8> = (0..4096_u32).map(|n| ((n * 37) >> 3) as u8).collect();
    let block = cm_simulator::memory::Block::filled(256, 3);
    let stage = Stage::new().with(0, &registers).with_buffer(1, &block);
    let characters = b"0123456789abcdefghijklmnopqrstuvwxyz<>()[];,.:|~-_ M{}";
    let mut random = Random(22);
    let mut executed = 0;
    for _ in 0..40_000 {
        let mut text = lines[random.below(lines.len())].as_bytes().to_vec();
        for _ in 0..=random.below(3) {
            let at = random.below(text.len());
            match random.below(4) {
                0 => _ = text.remove(at),
                1 => text.insert(at, characters[random.below(characters.len())]),
                2 => text[at] = characters[random.below(characters.len())],
                _ => {
                    // A word of another line.
                    let other = lines[random.below(lines.len())];
                    let words: Vec<&str> = other.split(' ').collect();
                    let word = words[random.below(words.len())].as_bytes();
                    let end = text[at..].iter().position(|byte| *byte == b' ').map_or(text.len(), |n| at + n);
                    text.splice(at..end, word.iter().copied());
                }
            }
            if text.is_empty() {
                break;
            }
        }
        let text = String::from_utf8_lossy(&text).into_owned();
        executed += u32::from(runs_without_panic(&format!("L0:\n{text}\nL16:\nnop\nL32:\nnop\n"), &stage));
    }
    assert!(executed > 1500, "{executed}");
}

/// Random bytes as machine code, and a damaged kernel.
#[test]
fn nothing_panics_on_damaged_machine_code() {
    // `mov (8|M0) r2.0<1>:ud r0.0<8;8,1>:ud`, and a message that ends the thread, as the assembler encodes
    // them.
    let kernel: [u32; 8] = [
        0x0060_0001,
        0x2040_020c,
        0x008d_0000,
        0x0000_0000,
        0x0760_0031,
        0x2000_0a04,
        0x008d_0040,
        0x8200_0010,
    ];
    let code = bytes(&kernel);
    let stage = Stage::new();
    match Program::decode(&code, GEN9) {
        Err(DecodeError::Library { library, why }) => {
            let required = std::env::var_os("CM_REQUIRE_OCLOC").is_some_and(|value| value != "0");
            assert!(!required, "CM_REQUIRE_OCLOC is set: {library}: {why}");
            println!("skipped: there is no {library}");
            return;
        }
        decoded => {
            let program = decoded.unwrap();
            assert_eq!(program.listing().map(|(at, _)| at).collect::<Vec<_>>(), [0, 16]);
        }
    }
    let mut random = Random(5);
    let (mut decoded, mut refused) = (0, 0);
    for _ in 0..3000 {
        let mut damaged = code.clone();
        for _ in 0..=random.below(4) {
            let bit = random.below(damaged.len() * 8);
            damaged[bit / 8] ^= 1 << (bit % 8);
        }
        let Ok(program) = Program::decode(&damaged, GEN9) else {
            refused += 1;
            continue;
        };
        decoded += 1;
        let start = cm_simulator::dispatch::Start {
            registers: stage.registers.clone(),
            mask: u32::MAX,
            hardware_thread: 0,
            in_group: 0,
            group: [0; 3],
        };
        _ = Thread::new(program, start, None).run(&stage, 100);
    }
    assert!(decoded > 100 && refused > 100, "{decoded} {refused}");
}
