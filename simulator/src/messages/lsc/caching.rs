//! What a message asks of the caches: nothing here depends on it, but not every number means something.

use super::unit::{Kind, Unit};
use crate::generation::Generation;
use crate::isa::Trouble;
use crate::messages::message::Message;

/// Checks the caching of a message.
pub(super) fn check(message: &Message<'_>, unit: Unit, kind: Kind) -> Result<(), Trouble> {
    let caching = message.fields.bits(16, 4);
    let legal = match unit {
        // No cache is before that memory. Intel's compiler for OpenCL C leaves the numbers of other messages in these.
        Unit::Shared => caching & 1 == 0,
        _ => is_legal(caching, kind, message.generation),
    };
    if legal { Ok(()) } else { Err(message.bad(format!("caching {caching:#x}, which no such message has"))) }
}

/// Three bits name a pair for L1 and L3. Xe2 has a fourth below them, for pairs that only loads have.
fn is_legal(caching: u32, kind: Kind, generation: Generation) -> bool {
    match (caching & 1, kind) {
        (0, Kind::Load | Kind::Store) => true,
        // Defaults, L1 passed by with L3 or without, streamed in L1.
        (0, Kind::Atomic) => matches!(caching >> 1, 0 | 1 | 2 | 5),
        // Constants in L3, with L1 or without.
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
