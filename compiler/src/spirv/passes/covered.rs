//! Insertions of which the next one replaces all elements. They change nothing, so they are left out.
//!
//! This is more than an economy: the compiler of Debian 12 aborts for Skylake if floats replace floats in the same places.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{Function, Op, Region, Value};

use super::expand::expanded;

/// The kernel in which parts are inserted in the registers before such insertions; `None` if there are none.
pub(crate) fn skipped(function: &Function) -> Option<Function> {
    let counts: FxHashMap<Value, usize> =
        function.body.instructions().filter_map(|inst| Some((inst.result?, inst.ty.count()))).collect();
    let mut made: FxHashMap<Value, (Value, Region, usize)> = FxHashMap::default();
    let mut found = false;
    let body = expanded(function, |inst, insts| {
        let (&Op::Insert(whole, to, part), Some(result)) = (&inst.op, inst.result) else { return false };
        let count = counts.get(&part).copied().unwrap_or_default();
        let mut base = whole;
        while let Some((before, region, covered)) = made.get(&base)
            && is_covered((*region, *covered), (to, count))
        {
            base = *before;
        }
        made.insert(result, (base, to, count));
        if base == whole {
            return false;
        }
        found = true;
        insts.push(Op::Insert(base, to, part), Some(result), inst.ty);
        true
    })?;
    found.then(|| Function { body, ..function.clone() })
}

/// Whether all elements of the first region, with so many elements, are elements of the second one.
fn is_covered((region, covered): (Region, usize), (to, count): (Region, usize)) -> bool {
    if region == to {
        return covered <= count;
    }
    if region.dynamic.is_some() || to.dynamic.is_some() {
        return false;
    }
    let places: FxHashSet<usize> = to.positions(count).collect();
    region.positions(covered).all(|place| places.contains(&place))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spirv::alike::{assert_alike, kernel};

    /// The registers that the parts `%3`, 8 elements, `%4`, 4 elements, and `%5`, 8 elements, are inserted in, one after the
    /// other, in these regions of `%1`.
    fn bases(regions: [&str; 3]) -> [u32; 3] {
        let inserted = [3, 4, 5].map(|part| (part, if part == 3 { 1 } else { part + 2 }, part + 3));
        let lines: String = (inserted.iter().zip(regions))
            .map(|((part, whole, result), region)| {
                format!("%{result}: f32<2x16> = insert %{whole}[{region}], %{part}; ")
            })
            .collect();
        let function = kernel(&format!(
            "%0: i32 = constant 3; %1: f32<2x16> = read #0 %0, %0; %2: f32<1x32> = format %1;
             %3: f32<1x8> = region %2[3| 8, 8, 1]; %4: f32<1x4> = region %2[9| 4, 4, 1]; %5: f32<1x8> = region %2[1| 8, 8, 2];
             {lines} write #1 %0, %0, %8: f32<2x16>;\n"
        ));
        let skipped = skipped(&function);
        let function =
            skipped.as_ref().inspect(|skipped| assert_alike(&function, skipped)).unwrap_or(&function);
        let of = |result: u32| {
            let inst = function.body.instructions().find(|inst| inst.result == Some(Value(result)));
            match inst.map(|inst| &inst.op) {
                Some(Op::Insert(base, ..)) => base.0,
                other => panic!("{other:?}"),
            }
        };
        [6, 7, 8].map(of)
    }

    #[test]
    fn parts_that_are_replaced_are_not_inserted() {
        assert_eq!(bases(["0| 8, 8, 1", "0| 4, 4, 1", "16| 8, 8, 1"]), [1, 6, 7]);
        assert_eq!(bases(["16| 8, 8, 1", "0| 4, 4, 1", "0| 8, 8, 1"]), [1, 6, 6]);
        assert_eq!(bases(["0| 16, 4, 1", "0| 4, 4, 1", "0| 16, 4, 1"]), [1, 6, 1], "both");
        assert_eq!(bases(["16| 8, 8, 1", "2| 4, 4, 2", "1| 8, 8, 2"]), [1, 6, 7], "other columns");
        assert_eq!(bases(["16| 8, 8, 1", "2| 4, 4, 2", "0| 8, 8, 2"]), [1, 6, 6], "among others");
    }
}
