//! The caching fields of messages. They have no effect here, but not every value is valid.

use super::unit::{Kind, Unit};
use crate::generation::Generation;
use crate::isa::Trouble;
use crate::messages::message::Message;

/// Checks the caching of a message.
pub(super) fn check(message: &Message<'_>, unit: Unit, kind: Kind) -> Result<(), Trouble> {
    let caching = message.fields.bits(16, 4);
    let legal = match unit {
        // There is no cache before that memory. Intel's compiler for OpenCL C leaves the values of other
        // messages in these.
        Unit::Shared => caching & 1 == 0,
        _ => is_legal(caching, kind, message.generation),
    };
    if legal { Ok(()) } else { Err(message.bad(format!("caching {caching:#x}, which no such message has"))) }
}

/// Three bits encode a pair for L1 and L3. Xe2 has a fourth bit below them, for pairs that only loads have.
fn is_legal(caching: u32, kind: Kind, generation: Generation) -> bool {
    match (caching & 1, kind) {
        (0, Kind::Load | Kind::Store) => true,
        // Defaults, bypassing L1 with or without L3, streaming in L1.
        (0, Kind::Atomic) => matches!(caching >> 1, 0 | 1 | 2 | 5),
        // Constants in L3, with or without L1.
        (_, Kind::Load) => generation >= Generation::Xe2 && matches!(caching, 0x5 | 0x9),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_those_of_intels_table() {
        let legal = |kind, generation| (0..16).filter(|&n| is_legal(n, kind, generation)).collect::<Vec<_>>();
        let even = [0, 2, 4, 6, 8, 10, 12, 14];
        assert_eq!(legal(Kind::Load, Generation::XeHpg), even);
        assert_eq!(legal(Kind::Load, Generation::Xe2), [0, 2, 4, 5, 6, 8, 9, 10, 12, 14]);
        assert_eq!(legal(Kind::Store, Generation::Xe2), even);
        assert_eq!(legal(Kind::Atomic, Generation::Xe2), [0, 2, 4, 10]);
    }
}
