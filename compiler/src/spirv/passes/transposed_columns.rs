//! Columns of a matrix that become the rows of another one, or rows that become columns, are one transposition, which takes
//! fewer instructions than the columns one by one.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{Function, Inst, Op, Region, Value};
use crate::limits::REGISTER_FILE;

use super::region_chains::{region_of, with_regions};
use crate::spirv::facts::defs::Defs;

/// The kernel with whole transpositions; `None` if there are none.
pub(crate) fn joined(function: &Function) -> Option<Function> {
    let lasts = lasts(function);
    with_regions(
        function,
        |defs, last| if lasts.contains(&last.result?) { transposed(defs, last) } else { None },
    )
}

/// The last ones of insertions from one register, of as many elements as the whole has, or more.
fn lasts(function: &Function) -> FxHashSet<Value> {
    let defs = Defs::of(function);
    let (mut runs, mut lasts) = (FxHashMap::default(), FxHashSet::default());
    for inst in function.body.instructions() {
        let (Op::Insert(whole, _, part), Some(result)) = (&inst.op, inst.result) else { continue };
        let Some((of, _, count)) = taken(&defs, *part) else { continue };
        let inserted = match runs.get(whole) {
            Some((source, before)) if *source == of => {
                lasts.remove(whole);
                before + count
            }
            _ => count,
        };
        runs.insert(result, (of, inserted));
        if inserted >= inst.ty.count() {
            lasts.insert(result);
        }
    }
    lasts
}

/// The region that an inserted part is, of which register, and the elements of it.
fn taken(defs: &Defs<'_>, part: Value) -> Option<(Value, Region, usize)> {
    let mut taken = defs.get(part)?;
    // A column as a vector.
    while let Op::Format(of) = taken.op {
        taken = defs
            .get(of)
            .filter(|inst| inst.ty.elem() == taken.ty.elem() && inst.ty.count() == taken.ty.count())?;
    }
    match taken.op {
        Op::Region(of, region) => Some((of, region, taken.ty.count())),
        _ => None,
    }
}

/// The matrix of which the last one of several insertions makes the transposition.
fn transposed(defs: &Defs<'_>, last: &Inst) -> Option<(Value, Region)> {
    let count = last.ty.count();
    let (mut inst, mut from, mut left) = (last, None, count);
    let mut positions = vec![None; count];
    // Each one inserts an element at least.
    for _ in 0..count {
        if left == 0 {
            break;
        }
        let Op::Insert(whole, to, part) = inst.op else { return None };
        let (of, region, taken) = taken(defs, part)?;
        let known = to.dynamic.is_none() && region.dynamic.is_none();
        if !known || taken == count || *from.get_or_insert(of) != of {
            return None;
        }
        for (n, to) in to.positions(taken).enumerate() {
            let place = positions.get_mut(to)?;
            if place.is_none() {
                *place = Some(region.position(n));
                left -= 1;
            }
        }
        inst = defs.get(whole)?;
        // Others use what was inserted so far.
        if left > 0 && defs.user(whole).is_none() {
            return None;
        }
    }
    let (of, positions) = (from?, positions.into_iter().collect::<Option<Vec<_>>>()?);
    let source = defs.get(of)?.ty;
    let region = region_of(&positions)?;
    let is_whole =
        source.count() == count && source.elem() == last.ty.elem() && source.bytes() < REGISTER_FILE;
    let turned = region.row_stride == 1 && region.width > 1 && region.width * region.column_stride == count;
    (is_whole && turned && region.column_stride > 1).then_some((of, region))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spirv::alike::{assert_alike, kernel};

    /// Whether a kernel that turns a matrix of 8 rows of 4 into 4 rows of 8, with these columns as these rows, as vectors, does
    /// so by one region.
    fn is_turned(turned: &[[usize; 2]], elem: &str) -> bool {
        let mut lines =
            format!("%0: i32 = constant 3; %1: {elem}<8x4> = read #0 %0, %0; %2: {elem}<4x8> = constant 5; ");
        let mut whole = 2;
        for (n, [column, row]) in turned.iter().enumerate() {
            let (taken, part, next) = (3 + 3 * n, 4 + 3 * n, 5 + 3 * n);
            lines += &format!(
                "%{taken}: {elem}<8x1> = region %1[{column}| 4, 1, 1]; %{part}: {elem}<1x8> = format %{taken};
                 %{next}: {elem}<4x8> = insert %{whole}[{}| 8, 8, 1], %{part}; ",
                row * 8
            );
            whole = next;
        }
        let function = kernel(&format!("{lines}write #1 %0, %0, %{whole}: {elem}<4x8>;\n"));
        let Some(joined) = joined(&function) else { return false };
        assert_alike(&function, &joined);
        let is_last = |inst: &&Inst| inst.result == Some(Value(whole as u32));
        joined
            .body
            .instructions()
            .find(is_last)
            .is_some_and(|last| matches!(last.op, Op::Region(Value(1), _)))
    }

    #[test]
    fn columns_that_become_rows_are_one_region() {
        for elem in ["u8", "i16", "f32"] {
            assert!(is_turned(&[[0, 0], [1, 1], [2, 2], [3, 3]], elem));
            assert!(is_turned(&[[3, 3], [1, 1], [0, 0], [2, 2]], elem));
            assert!(is_turned(&[[2, 0], [1, 1], [0, 0], [2, 2], [3, 3]], elem), "one is replaced");
        }
    }

    #[test]
    fn other_orders_and_some_columns_stay() {
        assert!(!is_turned(&[[0, 1], [1, 0], [2, 2], [3, 3]], "i16"));
        assert!(!is_turned(&[[0, 0], [1, 1], [2, 2]], "i16"));
    }

    #[test]
    fn long_chains_are_followed_once() {
        let mut lines = "%0: i32 = constant 3; %1: u8<64x64> = constant 5; ".to_owned();
        for n in 0..10_000 {
            let (whole, taken, next) = (2 * n + 1, 2 * n + 2, 2 * n + 3);
            let whole = if n == 0 { 1 } else { whole };
            lines += &format!(
                "%{taken}: u8 = region %1[{}| 1, 1, 1]; %{next}: u8<64x64> = insert %{whole}[{}| 1, 1, 1], %{taken}; ",
                n % 4096,
                n * 7 % 4096
            );
        }
        let function = kernel(&format!("{lines}\n"));
        assert_eq!(lasts(&function).len(), 1);
        assert_eq!(joined(&function), None);
    }
}
