//! What a kernel declares while it is recorded: shared arrays, parts of surfaces, named barriers.

use cm_compiler::ir::{Part, View};
use cm_compiler::limits;

use super::handle::{RecordedBuffer, RecordedSurface};
use super::recording::{depth, violation, with};
use crate::elem::ElemType;
use crate::kernel::ParamKind;
use crate::limits::Violation;

/// Declares the number of named barriers.
#[track_caller]
pub(super) fn named_barriers(count: usize) {
    if let Err(broken) = limits::named_barriers(count, false) {
        violation(broken);
    }
    if with(|state| std::mem::replace(&mut state.named_barriers, count)) > 0 {
        violation(Violation::NamedBarriersTwice);
    }
}

/// Declares an array that the threads of a group share.
#[track_caller]
pub(super) fn shared(elem: ElemType, elements: usize) -> RecordedBuffer {
    if depth() > 0 {
        // On the CPU the threads of a group would not agree on the array.
        violation(Violation::SharedUnderCondition);
    }
    if let Err(broken) = limits::shared_elements(elements) {
        violation(broken);
    }
    let (param, bytes) = with(|state| {
        let start = state.shared_bytes;
        state.shared_bytes = limits::shared_end(start, elements.saturating_mul(elem.bytes()));
        state.declared.push(ParamKind::Shared { elem, elements });
        (state.passed + state.declared.len() - 1, state.shared_bytes)
    });
    if let Err(broken) = limits::shared(bytes) {
        violation(broken);
    }
    RecordedBuffer(param)
}

/// Part of a surface: its parameter, which is declared when the kernel first uses it.
#[track_caller]
pub(super) fn part(surface: &RecordedSurface, part: Part, writes: bool) -> RecordedSurface {
    let param = surface.0;
    let shown = with(|state| match param.checked_sub(state.passed).and_then(|n| state.declared.get(n)) {
        Some(ParamKind::View { view, .. }) => *view,
        _ => View::whole(param),
    });
    let Some(wanted) = shown.part(part) else {
        violation(Violation::PartOfPart);
        return RecordedSurface(param);
    };
    if wanted == View::whole(wanted.of) {
        return RecordedSurface(wanted.of);
    }
    RecordedSurface(with(|state| {
        let is_wanted = |kind: &ParamKind| matches!(kind, ParamKind::View { view, .. } if *view == wanted);
        let place = state.declared.iter().position(is_wanted).unwrap_or_else(|| {
            state.declared.push(ParamKind::View { view: wanted, writable: false });
            state.declared.len() - 1
        });
        if let ParamKind::View { writable, .. } = &mut state.declared[place] {
            *writable |= writes;
        }
        state.passed + place
    }))
}

/// A typed access is to no part of a surface.
#[track_caller]
pub(super) fn whole_surface(surface: &RecordedSurface) {
    if with(|state| surface.0 >= state.passed) {
        violation(Violation::TypedPart);
    }
}
