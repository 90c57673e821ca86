//! Buffers that kernel threads change only by operations whose order does not affect the result.

use crate::elem::ElemType;
use crate::ops::AtomicKind;

/// How copies of a buffer that threads have changed separately are combined: by an operation on their elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Merge {
    /// The operation: `Add`, `And`, `Or`, `Xor`, `Min` or `Max`.
    pub kind: AtomicKind,
    /// The elements: integers.
    pub elem: ElemType,
}

impl Merge {
    /// The merge for elements that this operation changes, if the old elements are not used.
    pub(super) fn of(kind: AtomicKind, elem: ElemType) -> Option<Self> {
        let kind = match kind {
            AtomicKind::Add | AtomicKind::Sub | AtomicKind::Inc | AtomicKind::Dec => AtomicKind::Add,
            AtomicKind::And | AtomicKind::Or | AtomicKind::Xor | AtomicKind::Min | AtomicKind::Max => kind,
            AtomicKind::Xchg | AtomicKind::CmpXchg => return None,
        };
        // Sums of floats depend on their order.
        (!elem.is_float()).then_some(Self { kind, elem })
    }

    /// The merge for a buffer whose accesses have these merges.
    pub(super) fn of_all(mut all: impl Iterator<Item = Option<Self>>) -> Option<Self> {
        let first = all.next()??;
        all.all(|merge| merge == Some(first)).then_some(first)
    }
}
