//! What atomic operations make of an element.

use cm_compiler::ops::AtomicKind;

use crate::elem::Int;

/// What the element becomes. `source` is the first source and `compare` the second one, where there are such.
#[inline(always)]
pub fn changed<T: Int>(kind: AtomicKind, old: T, source: T, compare: T) -> T {
    match kind {
        AtomicKind::Add => T::add(old, source),
        AtomicKind::Sub => T::sub(old, source),
        AtomicKind::Inc => T::add(old, T::cast_from(1u8)),
        AtomicKind::Dec => T::sub(old, T::cast_from(1u8)),
        AtomicKind::Min => {
            if source < old {
                source
            } else {
                old
            }
        }
        AtomicKind::Max => {
            if source > old {
                source
            } else {
                old
            }
        }
        AtomicKind::And => T::and(old, source),
        AtomicKind::Or => T::or(old, source),
        AtomicKind::Xor => T::xor(old, source),
        AtomicKind::Xchg => source,
        AtomicKind::CmpXchg => {
            if old == compare {
                source
            } else {
                old
            }
        }
    }
}
