//! Instructions of every type, compared with their meaning channel by channel.

use crate::number::{F, FLOATS, HF, INTEGERS, Number, Type, all};
use crate::stage::{Stage, dwords};

/// The number of channels: four numbers of the widest type fill a register.
const LANES: usize = 4;

/// A source operand: four numbers in a register.
fn source(register: usize, ty: Type) -> String {
    format!("r{register}.0<4;4,1>:{}", ty.name)
}

/// The registers after a text, with a row of numbers for each source from r10 on.
fn run(text: &str, rows: &[(Type, [Number; LANES])]) -> Vec<u8> {
    let stage = rows.iter().enumerate().fold(Stage::new(), |stage, (n, (ty, row))| {
        let bytes: Vec<u8> = row.iter().flat_map(|number| ty.bytes(*number)).collect();
        stage.with(10 + n, &bytes)
    });
    stage.run(text)
}

/// Checks the numbers in r30.
fn check(text: &str, rows: &[(Type, [Number; LANES])], to: Type, meaning: impl Fn([Number; 3]) -> Number) {
    let registers = run(text, rows);
    for lane in 0..LANES {
        let from: Vec<Number> = rows.iter().map(|(_, row)| row[lane]).collect();
        let number = |n: usize| from.get(n).copied().unwrap_or(Number::Integer(0));
        let is = to.number(&registers[30 * 32 + lane * to.size()..][..to.size()]);
        let expected = meaning([number(0), number(1), number(2)]);
        assert!(is.is_same(expected), "{text}: {from:?}: {is:?} instead of {expected:?}");
    }
}

/// Rows of two numbers each, in all pairs.
fn pairs(a: Type, b: Type) -> Vec<[(Type, [Number; LANES]); 2]> {
    let (left, right) = (a.values(), b.values());
    let all: Vec<_> = left.iter().flat_map(|x| right.iter().map(move |y| (*x, *y))).collect();
    let rows = all.chunks(LANES).map(|pairs| {
        let pair = |lane: usize| pairs[lane.min(pairs.len() - 1)];
        [(a, std::array::from_fn(|lane| pair(lane).0)), (b, std::array::from_fn(|lane| pair(lane).1))]
    });
    rows.collect()
}

/// Whether Gen9 has a conversion: halves convert only from and to words, dwords and floats.
fn converts(from: Type, to: Type) -> bool {
    let beside = |ty: Type| ty == HF || ty == F || ty.size() == 2 || ty.size() == 4;
    (from != HF || beside(to)) && (to != HF || beside(from))
}

#[test]
fn numbers_become_those_of_other_types() {
    for from in all() {
        for to in all().filter(|to| converts(from, *to)) {
            for saturates in [false, true] {
                let name = if saturates { "(sat)" } else { "" };
                let text = format!("mov (4|M0) {name}r30.0<1>:{} {}", to.name, source(10, from));
                let values = from.values();
                for row in values.chunks(LANES) {
                    let row = std::array::from_fn(|lane| row[lane.min(row.len() - 1)]);
                    // A move of a type to itself keeps all bits, even those of a NaN.
                    check(&text, &[(from, row)], to, |[x, ..]| match saturates {
                        true => to.saturated(x),
                        false => to.converted(x),
                    });
                }
            }
        }
    }
}

#[test]
fn sources_are_negated_and_absolute() {
    for ty in all() {
        for (modifier, sign) in [("-", -1), ("(abs)", 1), ("-(abs)", -2)] {
            let text = format!("mov (4|M0) r30.0<1>:{} {modifier}{}", ty.name, source(10, ty));
            for row in ty.values().chunks(LANES) {
                let row = std::array::from_fn(|lane| row[lane.min(row.len() - 1)]);
                check(&text, &[(ty, row)], ty, |[x, ..]| match (x, sign) {
                    (Number::Float(x), -1) => Number::Float(-x),
                    (Number::Float(x), 1) => Number::Float(x.abs()),
                    (Number::Float(x), _) => Number::Float(-x.abs()),
                    (Number::Integer(x), -1) => ty.converted(Number::Integer(-x)),
                    (Number::Integer(x), 1) => ty.converted(Number::Integer(x.abs())),
                    (Number::Integer(x), _) => ty.converted(Number::Integer(-x.abs())),
                });
            }
        }
    }
}

#[test]
fn floats_are_rounded_once() {
    type Meaning = fn(f64, f64) -> f64;
    let cases: [(&str, Meaning); 2] = [("add", |a, b| a + b), ("mul", |a, b| a * b)];
    for ty in FLOATS {
        for (opcode, meaning) in cases {
            let text = format!("{opcode} (4|M0) r30.0<1>:{} {} {}", ty.name, source(10, ty), source(11, ty));
            for rows in pairs(ty, ty) {
                check(&text, &rows, ty, |[a, b, _]| {
                    // Two 32-bit floats are added with twice as many bits: the lost digits are below their
                    // last bit.
                    if ty == F && opcode == "add" {
                        return Number::Float((a.float() as f32 + b.float() as f32).into());
                    }
                    ty.converted(Number::Float(meaning(a.float(), b.float())))
                });
            }
        }
        let text = format!(
            "mad (4|M0) r30.0<1>:{} {} {} {}",
            ty.name,
            source(10, ty),
            source(11, ty),
            source(12, ty)
        );
        for [a, b] in pairs(ty, ty) {
            let c = (ty, [0.5, -1.25, 3.0, 0.0].map(Number::Float));
            check(&text, &[a, b, c], ty, |[a, b, c]| match ty {
                F => Number::Float((b.float() as f32).mul_add(c.float() as f32, a.float() as f32).into()),
                _ => ty.converted(Number::Float(b.float().mul_add(c.float(), a.float()))),
            });
        }
    }
    // The product is halfway between two halves, and the sum is not. As a 32-bit float, it is.
    let text = format!("mad (4|M0) r30.0<1>:hf {} {} {}", source(10, HF), source(11, HF), source(12, HF));
    let least = 2_f64.powi(-14);
    let rows = [[least, 0.0, -least, 4.0 * least], [683.0; 4], [48.0; 4]];
    check(&text, &rows.map(|row| (HF, row.map(Number::Float))), HF, |[a, ..]| {
        Number::Float(if a.float() > 0.0 { 32800.0 } else { 32768.0 })
    });
}

#[test]
fn comparisons_of_every_type() {
    type Meaning = fn(std::cmp::Ordering) -> bool;
    let cases: [(&str, Meaning); 6] = [
        ("eq", std::cmp::Ordering::is_eq),
        ("ne", std::cmp::Ordering::is_ne),
        ("lt", std::cmp::Ordering::is_lt),
        ("le", std::cmp::Ordering::is_le),
        ("gt", std::cmp::Ordering::is_gt),
        ("ge", std::cmp::Ordering::is_ge),
    ];
    for ty in all() {
        for (condition, meaning) in cases {
            // If a number is NaN, only "not equal" is true.
            let holds = |a: Number, b: Number| a.compared(b).map_or(condition == "ne", meaning);
            let text = format!(
                "cmp (4|M0) ({condition})f1.0 null<1>:{} {} {}
                 mov (1|M0) r31.0<1>:ud f1.0<0;1,0>:ud",
                ty.name,
                source(10, ty),
                source(11, ty)
            );
            for rows in pairs(ty, ty) {
                let flags = dwords(&run(&text, &rows), 31, 1)[0];
                for lane in 0..LANES {
                    let (a, b) = (rows[0].1[lane], rows[1].1[lane]);
                    assert_eq!(flags >> lane & 1 == 1, holds(a, b), "{text}: {a:?} {b:?}");
                }
            }
            if !matches!(condition, "lt" | "ge") {
                continue;
            }
            let text = format!(
                "sel (4|M0) ({condition})f0.0 r30.0<1>:{} {} {}",
                ty.name,
                source(10, ty),
                source(11, ty)
            );
            for rows in pairs(ty, ty) {
                // If one operand is NaN, the other one is selected.
                check(&text, &rows, ty, |[a, b, _]| if holds(a, b) || b.is_nan() { a } else { b });
            }
        }
        let text = format!(
            "mov (1|M0) f0.0<1>:ud 0x5:ud
             (f0.0) sel (4|M0) r30.0<1>:{} {} {}",
            ty.name,
            source(10, ty),
            source(11, ty)
        );
        let (a, b) = ([1, 2, 3, 4], [5, 6, 7, 8]);
        let rows = [a, b].map(|row| (ty, row.map(|n| ty.converted(Number::Integer(n)))));
        let registers = run(&text, &rows);
        for (lane, expected) in [1, 6, 3, 8].into_iter().enumerate() {
            let is = ty.number(&registers[30 * 32 + lane * ty.size()..][..ty.size()]);
            assert!(is.is_same(ty.converted(Number::Integer(expected))), "{text}: {is:?}");
        }
    }
}

#[test]
fn integers_are_shifted_and_inverted() {
    type Meaning = fn(i128, u32) -> i128;
    let cases: [(&str, Meaning); 3] =
        [("shl", |a, by| a << by), ("asr", |a, by| a >> by), ("shr", |a, by| a >> by)];
    for ty in INTEGERS {
        for (opcode, meaning) in cases {
            if opcode == "shr" && ty.is_signed() {
                continue;
            }
            for by in [0, 1, 5, ty.size() as u32 * 8 - 1] {
                let text = format!("{opcode} (4|M0) r30.0<1>:{} {} {by:#x}:uw", ty.name, source(10, ty));
                for row in ty.values().chunks_exact(LANES) {
                    let row = std::array::from_fn(|lane| row[lane]);
                    check(&text, &[(ty, row)], ty, |[x, ..]| {
                        ty.converted(Number::Integer(meaning(x.integer(), by)))
                    });
                }
            }
        }
        let text = format!("not (4|M0) r30.0<1>:{} {}", ty.name, source(10, ty));
        for row in ty.values().chunks_exact(LANES) {
            let row = std::array::from_fn(|lane| row[lane]);
            check(&text, &[(ty, row)], ty, |[x, ..]| ty.converted(Number::Integer(!x.integer())));
        }
    }
}

#[test]
fn integers_are_divided() {
    for ty in INTEGERS.into_iter().filter(|ty| ty.size() == 4) {
        let divided = |opcode: &str| {
            format!("math.{opcode} (4|M0) r30.0<1>:{} {} {}", ty.name, source(10, ty), source(11, ty))
        };
        for rows in pairs(ty, ty) {
            if rows[1].1.iter().any(|divisor| divisor.integer() == 0) {
                continue;
            }
            let quotient = |[a, b, _]: [Number; 3]| ty.converted(Number::Integer(a.integer() / b.integer()));
            let remainder = |[a, b, _]: [Number; 3]| Number::Integer(a.integer() % b.integer());
            check(&divided("iqot"), &rows, ty, quotient);
            check(&divided("irem"), &rows, ty, remainder);
            // Both results; the remainders are in the next register.
            check(&divided("idiv"), &rows, ty, quotient);
            let behind = format!("{}\nmov (8|M0) r30.0<1>:ud r31.0<8;8,1>:ud", divided("idiv"));
            check(&behind, &rows, ty, remainder);
        }
    }
}

#[test]
fn functions_are_those_of_the_host() {
    type Meaning = fn(f32, f32) -> f32;
    let cases: [(&str, Meaning); 6] = [
        ("log", |a, _| a.log2()),
        ("exp", |a, _| a.exp2()),
        ("rsqt", |a, _| 1.0 / a.sqrt()),
        ("sin", |a, _| a.sin()),
        ("cos", |a, _| a.cos()),
        ("pow", |a, b| a.powf(b)),
    ];
    let (a, b) = ([0.5, 1.0, 3.25, 10.0].map(Number::Float), [2.0, -1.0, 0.5, 3.0].map(Number::Float));
    for (function, meaning) in cases {
        let second = if function == "pow" { source(11, F) } else { "null<0;1,0>:f".to_owned() };
        let text = format!("math.{function} (4|M0) r30.0<1>:f {} {second}", source(10, F));
        let registers = run(&text, &[(F, a), (F, b)]);
        for lane in 0..LANES {
            let is = F.number(&registers[30 * 32 + lane * 4..][..4]).float();
            let expected = f64::from(meaning(a[lane].float() as f32, b[lane].float() as f32));
            assert!((is - expected).abs() <= expected.abs() * 3e-7, "{text}: {is} instead of {expected}");
        }
    }
}

/// Instructions that few kernels use.
#[test]
fn floats_are_combined() {
    let dot = |a: [f32; 8], b: [f32; 8], lane: usize, count: usize| {
        let first = lane & !3;
        (1..count).fold(a[first] * b[first], |sum, n| sum + a[first + n] * b[first + n])
    };
    let (a, b) = ([1.5, -2.25, 3.0, 0.5, 7.75, -8.5, 9.0, 10.0], [2.0, 4.0, -0.5, 8.0, 1.0, 3.0, 5.0, -6.0]);
    type Case<'a> = (&'static str, Box<dyn Fn(usize) -> f32 + 'a>);
    let cases: [Case<'_>; 10] = [
        ("dp2", Box::new(|lane| dot(a, b, lane, 2))),
        ("dp3", Box::new(|lane| dot(a, b, lane, 3))),
        ("dp4", Box::new(|lane| dot(a, b, lane, 4))),
        ("dph", Box::new(|lane| dot(a, b, lane, 3) + b[(lane & !3) + 3])),
        ("line", Box::new(|lane| a[0] * b[lane] + a[3])),
        ("mac", Box::new(|lane| a[lane].mul_add(b[lane], 0.25))),
        ("lrp", Box::new(|lane| a[lane] * b[lane] + (1.0 - a[lane]) * a[lane])),
        ("csel", Box::new(|lane| if b[lane] < 0.0 { a[lane] } else { b[lane] })),
        ("frc", Box::new(|lane| a[lane] - a[lane].floor())),
        ("cmpn", Box::new(|lane| f32::from_bits(if a[lane] < b[lane] { u32::MAX } else { 0 }))),
    ];
    let stage = Stage::new()
        .with(10, &a.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>())
        .with(11, &b.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>());
    for (opcode, meaning) in cases {
        let (x, y) = ("r10.0<8;8,1>:f", "r11.0<8;8,1>:f");
        let text = match opcode {
            "line" => format!("line (8|M0) r30.0<1>:f r10.0<0;1,0>:f {y}"),
            "mac" => format!("mov (8|M0) acc0.0<1>:f 0x3E800000:f\nmac (8|M0) r30.0<1>:f {x} {y}"),
            "lrp" => format!("lrp (8|M0) r30.0<1>:f {x} {y} {x}"),
            "csel" => format!("csel (8|M0) (lt)f0.0 r30.0<1>:f {x} {y} {y}"),
            "frc" => format!("frc (8|M0) r30.0<1>:f {x}"),
            "cmpn" => format!("cmpn (8|M0) (lt)f0.0 r30.0<1>:f {x} {y}"),
            _ => format!("{opcode} (8|M0) r30.0<1>:f {x} {y}"),
        };
        let found = dwords(&stage.run(&text), 30, 8);
        let expected: Vec<u32> = (0..8).map(|lane| meaning(lane).to_bits()).collect();
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn differences_of_neighbours_are_added() {
    let (a, b) = ([1_u8, 200, 30, 4], [11_u8, 100, 35, 9]);
    let stage = Stage::new().with(10, &a).with(11, &b);
    let sums = |text: &str| -> Vec<u16> {
        let registers = stage.run(text);
        registers[30 * 32..][..8].chunks(2).map(|word| u16::from_le_bytes([word[0], word[1]])).collect()
    };
    let [first, second] = [10 + 100, 5 + 5];
    let text = "r30.0<1>:uw r10.0<4;4,1>:ub r11.0<4;4,1>:ub";
    let two = sums(&format!("sad2 (4|M0) {text}"));
    assert_eq!([two[0], two[2]], [first, second]);
    let more = sums(&format!("mov (4|M0) acc0.0<1>:uw 0x3:uw\nsada2 (4|M0) {text}"));
    assert_eq!([more[0], more[2]], [first + 3, second + 3]);
}

#[test]
fn bits_are_put_between_others() {
    let stage = Stage::new().with(10, &0xff0_u32.to_le_bytes()).with(11, &0xab_u32.to_le_bytes());
    let stage = stage.with(12, &0x1234_5678_u32.to_le_bytes());
    let text = "bfi2 (1|M0) r30.0<1>:ud r10.0<0;1,0>:ud r11.0<0;1,0>:ud r12.0<0;1,0>:ud";
    assert_eq!(dwords(&stage.run(text), 30, 1), [0x1234_5ab8]);
}
