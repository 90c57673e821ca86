//! The scalar meanings of the atomic operations on integers, in the order of the kernels.

/// The update of an element by its old value and two sources.
pub(crate) type Step<T> = fn(T, T, T) -> T;

macro_rules! integer_steps {
    ($t:ident) => {{
        let steps: [$crate::atomics::Step<$t>; 12] = [
            |old, x, _| old.wrapping_add(x),
            |old, _, y| old.wrapping_sub(y),
            |old, _, _| old.wrapping_add(1),
            |old, _, _| old.wrapping_sub(1),
            |old, x, _| old.min(x),
            |old, _, y| old.max(y),
            |old, x, y| if old == y { x } else { old },
            |old, x, _| old & x,
            |old, _, y| old | y,
            |old, x, _| old ^ x,
            |_, _, y| y,
            |old, x, y| if old == y { x } else { old },
        ];
        steps
    }};
}

pub(crate) use integer_steps;
