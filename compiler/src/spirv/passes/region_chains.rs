//! Regions of regions of 64-bit elements are regions of the whole register, if one region has these elements. On Xe-LP the
//! compiler of Debian 12 aborts at some of these chains, and each region of 64-bit elements takes two instructions or more.

use crate::elem::ElemType;
use crate::ir::{Function, Inst, Op, Region, Type, Value};
use crate::limits::REGISTER_FILE;

use super::expand::expanded;
use crate::spirv::facts::defs::Defs;

/// The kernel with shorter chains; `None` if there is nothing to shorten.
pub(crate) fn joined(function: &Function) -> Option<Function> {
    with_regions(function, chained)
}

/// The kernel in which the instructions for which `found` has a region of a register are this region; `None` if there are none.
pub(crate) fn with_regions(
    function: &Function,
    found: impl Fn(&Defs<'_>, &Inst) -> Option<(Value, Region)>,
) -> Option<Function> {
    let defs = Defs::of(function);
    function.body.instructions().find(|inst| found(&defs, inst).is_some())?;
    let body = expanded(function, |inst, insts| {
        let (Some((of, region)), Some(result)) = (found(&defs, inst), inst.result) else { return false };
        insts.push(Op::Region(of, region), Some(result), inst.ty);
        true
    })?;
    Some(Function { body, ..function.clone() })
}

/// The register in which a region of a region is one region.
fn chained(defs: &Defs<'_>, inst: &Inst) -> Option<(Value, Region)> {
    inst.ty.elem().filter(|elem| elem.bytes() == ElemType::U64.bytes())?;
    let mut found = None;
    for (of, [_, whole], region) in origins(defs, inst) {
        // Of large objects parts are copied, which need fewer registers.
        if whole.bytes() >= REGISTER_FILE {
            return None;
        }
        found = region.map(|region| (of, region)).or(found);
    }
    found
}

/// The registers that a region of regions is taken from, from the last region back: each with the types of the region of it
/// and of itself, and the region that `inst` is of it, if it is one.
pub(crate) fn origins<'a>(
    defs: &'a Defs<'_>,
    inst: &Inst,
) -> impl Iterator<Item = (Value, [Type; 2], Option<Region>)> + use<'a> {
    let known = |inst: &Inst| match &inst.op {
        Op::Region(of, region) if region.dynamic.is_none() => Some((*of, *region)),
        _ => None,
    };
    let first = known(inst);
    let mut positions: Vec<usize> = first
        .into_iter()
        .flat_map(|(_, region)| region.positions(inst.ty.count()).collect::<Vec<_>>())
        .collect();
    let mut of = first.map(|(of, _)| of);
    std::iter::from_fn(move || {
        let part = defs.get(of?)?;
        let (source, region) = known(part)?;
        let whole = defs.get(source)?.ty;
        positions.iter_mut().for_each(|n| *n = region.position(*n));
        of = Some(source);
        Some((source, [part.ty, whole], region_of(&positions)))
    })
}

/// The region of the elements at these positions, if there is one.
pub(crate) fn region_of(positions: &[usize]) -> Option<Region> {
    let (offset, count) = (*positions.first()?, positions.len());
    // The longest rows first.
    (1..=count).rev().filter(|width| count.is_multiple_of(*width)).find_map(|width| {
        let column_stride = if width > 1 { positions[1].checked_sub(offset)? } else { 1 };
        let row_stride = if width < count { positions[width].checked_sub(offset)? } else { width };
        let region = Region { offset, dynamic: None, row_stride, width, column_stride };
        region.positions(count).eq(positions.iter().copied()).then_some(region)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spirv::alike::{assert_alike, kernel};

    /// The number of regions of registers that are regions, before and after.
    fn chains(lines: &str) -> [usize; 2] {
        let function = kernel(&format!(
            "%0: i32 = constant 3; %1: i64<1x8> = read #0 %0, %0; {lines} write #1 %0, %0, %9: i64<1x2>;\n"
        ));
        let count = |function: &Function| {
            let defs = Defs::of(function);
            let is_region = |x: &Value| defs.get(*x).is_some_and(|inst| matches!(inst.op, Op::Region(..)));
            let of = |inst: &Inst| matches!(&inst.op, Op::Region(of, _) if is_region(of));
            function.body.instructions().filter(|inst| of(inst)).count()
        };
        let Some(joined) = joined(&function) else { return [count(&function); 2] };
        assert_alike(&function, &joined);
        [count(&function), count(&joined)]
    }

    #[test]
    fn chains_are_one_region() {
        let repeated = "%2: i64<1x4> = region %1[1| 0, 2, 2];";
        assert_eq!(chains(&format!("{repeated} %9: i64<1x2> = region %2[0| 2, 2, 1];")), [1, 0]);
        assert_eq!(chains(&format!("{repeated} %9: i64<1x2> = region %2[1| 2, 2, 2];")), [1, 0]);
        // No region has the elements 6, 5, 5, 7, but one has the first and the last.
        let backwards = "%2: i64<1x4> = region %1[4| 1, 2, 2]; %3: i64<1x4> = region %2[1| 1, 2, 1];";
        assert_eq!(chains(&format!("{backwards} %9: i64<1x2> = region %3[0| 2, 2, 3];")), [2, 1]);
        // From the third element to the second one.
        let down = "%2: i64<1x4> = region %1[0| 1, 2, 2]; %9: i64<1x2> = region %2[1| 2, 2, 1];";
        assert_eq!(chains(down), [1, 1]);
    }
}
