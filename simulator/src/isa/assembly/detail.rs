//! Parses the part of an opcode after a dot.

use super::super::instruction::{Detail, Opcode, Unit, Wait};
use super::scan::integer;
use crate::generation::Generation;

/// Shared functions by their names in Intel's assembler. Some numbers have different names on different
/// generations.
const RECEIVERS: [(&str, u8); 20] = [
    ("null", 0),
    ("ugml", 1),
    ("smpl", 2),
    ("gtwy", 3),
    ("dc2", 4),
    ("rc", 5),
    ("urb", 6),
    ("ts", 7),
    ("btd", 7),
    ("vme", 8),
    ("rta", 8),
    ("dcro", 9),
    ("dc0", 10),
    ("pixi", 11),
    ("dc1", 12),
    ("cre", 13),
    ("tgm", 13),
    ("slm", 14),
    ("ugm", 15),
    ("spawner", 7),
];

/// The part after the dot.
pub(crate) fn of(opcode: Opcode, part: &str, generation: Generation) -> Result<Detail, String> {
    let bad = || format!("not supported: {opcode:?}.{part}").to_lowercase();
    match opcode {
        Opcode::Math => Ok(Detail::None),
        Opcode::Bfn => match integer(part) {
            Some((table, "")) => u8::try_from(table).map(Detail::Table).map_err(|_| bad()),
            _ => Err(bad()),
        },
        Opcode::Sync => match part {
            "nop" => Ok(Detail::Wait(Wait::Nothing)),
            "allrd" => Ok(Detail::Wait(Wait::Sources)),
            "allwr" => Ok(Detail::Wait(Wait::Destinations)),
            "bar" => Ok(Detail::Wait(Wait::Barrier)),
            _ => Err(bad()),
        },
        Opcode::Send if generation.has_scoreboard() => {
            let found = RECEIVERS.iter().find(|(name, _)| *name == part);
            found.map(|&(_, number)| Detail::Receiver(number)).ok_or_else(bad)
        }
        _ if opcode.unit() == Unit::Systolic => {
            let (depth, repeats) = part.split_once('x').ok_or_else(bad)?;
            match (depth.parse(), repeats.parse()) {
                (Ok(depth), Ok(repeats @ 1..=8)) => Ok(Detail::Systolic { depth, repeats }),
                _ => Err(bad()),
            }
        }
        _ if matches!(part, "" | "b") => Ok(Detail::None),
        _ => Err(bad()),
    }
}
