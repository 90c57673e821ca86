//! Kernels that are a little smaller than another one.

use std::collections::{HashMap, HashSet};

use cm::compiler::elem::ElemType;
use cm::compiler::ops::AccessKind;
use cm::ir::{Bits, Function, Inst, Op, Type, Value, Variable};

use super::edit::{Edit, edited};

/// A kernel that is made when it is wanted.
pub(super) type Candidate<'a> = Box<dyn Fn() -> Function + 'a>;

/// All of them, those that take most away first.
pub(super) fn of(function: &Function) -> Vec<Candidate<'_>> {
    let insts: Vec<&Inst> = function.body.instructions().collect();
    let mut all = effects(function, &insts);
    all.extend(blocks(function, &insts));
    all.extend(values(function, &insts));
    all.extend(unstored(function, &insts));
    all.extend(constants(function, &insts));
    all.extend(regions(function, &insts));
    all.extend(narrower(function, &insts));
    all
}

/// Without halves, quarters, and so on of what has an effect.
fn effects<'a>(function: &'a Function, insts: &[&'a Inst]) -> Vec<Candidate<'a>> {
    let writes = |inst: &Inst| match &inst.op {
        Op::Store(..) => true,
        op if op.is_control_flow() => true,
        Op::Access { kind, .. } => kind.spec().effect.writes(),
        _ => false,
    };
    let places: Vec<usize> = (0..insts.len()).filter(|n| writes(insts[*n])).collect();
    let mut all: Vec<Candidate<'a>> = vec![];
    let mut size = places.len();
    while size > 0 {
        for chunk in places.chunks(size) {
            let chunk: HashSet<usize> = chunk.iter().copied().collect();
            all.push(Box::new(move || {
                edited(function, |n, inst| match (chunk.contains(&n), inst.result) {
                    (false, _) => Edit::Keep,
                    (true, None) => Edit::Remove,
                    // What an atomic operation gives, as a constant.
                    (true, Some(_)) => {
                        Edit::Replace(Inst { op: Op::Constant(Bits::Splat(0)), ..inst.clone() })
                    }
                })
            }));
        }
        size /= 2;
    }
    all
}

/// With the instructions of one block instead of it.
fn blocks<'a>(function: &'a Function, insts: &[&'a Inst]) -> Vec<Candidate<'a>> {
    let mut all: Vec<Candidate<'a>> = vec![];
    for (place, inst) in insts.iter().enumerate() {
        let ways: &[&'static [usize]] = match inst.op {
            Op::If(..) => &[&[0], &[1]],
            Op::Loop(..) => &[&[0, 1]],
            Op::Labelled(..) => &[&[0]],
            _ => continue,
        };
        for way in ways {
            all.push(Box::new(move || {
                edited(function, |n, _| if n == place { Edit::Inline(way) } else { Edit::Keep })
            }));
        }
    }
    all
}

/// With an operand, a constant or bytes of the input instead of a result; from the last one on, whose
/// operands then go.
fn values<'a>(function: &'a Function, insts: &[&'a Inst]) -> Vec<Candidate<'a>> {
    let types: HashMap<Value, Type> = insts.iter().filter_map(|inst| Some((inst.result?, inst.ty))).collect();
    let zero = insts
        .iter()
        .find(|inst| inst.ty == Type::scalar(ElemType::I32) && inst.op == Op::Constant(Bits::Splat(0)));
    let mut all: Vec<Candidate<'a>> = vec![];
    for (place, inst) in insts.iter().enumerate().rev() {
        if inst.result.is_none() {
            continue;
        }
        let mut replace = |edit: Box<dyn Fn() -> Edit + 'a>| {
            all.push(Box::new(move || edited(function, |n, _| if n == place { edit() } else { Edit::Keep })));
        };
        for operand in inst.op.operands() {
            if types.get(&operand) == Some(&inst.ty) {
                replace(Box::new(move || Edit::Use(operand)));
            }
        }
        let inst: &'a Inst = inst;
        let with = move |op: Op| Edit::Replace(Inst { op, ..inst.clone() });
        match inst.op {
            Op::Constant(_) | Op::Known(_) | Op::Thread(_) | Op::Argument(_) | Op::Load(_) => continue,
            Op::Access { kind: AccessKind::MediaRead, .. } => {}
            _ if inst.ty == Type::CONDITION => {
                replace(Box::new(move || with(Op::Known(true))));
                replace(Box::new(move || with(Op::Known(false))));
                continue;
            }
            _ => {
                if let Some(zero) = zero.and_then(|inst| inst.result) {
                    let operands = vec![zero, zero];
                    replace(Box::new(move || {
                        let operands = operands.clone();
                        with(Op::Access { kind: AccessKind::MediaRead, param: 0, operands })
                    }));
                }
            }
        }
        let one = if inst.ty.elem().is_some_and(ElemType::is_float) { 0x3c00 } else { 1 };
        replace(Box::new(move || with(Op::Constant(Bits::Splat(0)))));
        replace(Box::new(move || with(Op::Constant(Bits::Splat(one)))));
    }
    all
}

/// Without variables that nothing stores.
fn unstored<'a>(function: &'a Function, insts: &[&'a Inst]) -> Vec<Candidate<'a>> {
    let mut inits: HashMap<Variable, (Value, usize)> = HashMap::new();
    for inst in insts {
        match inst.op {
            Op::Declare(variable, Some(init)) => drop(inits.insert(variable, (init, 0))),
            Op::Store(variable, _) => {
                if let Some((_, stores)) = inits.get_mut(&variable) {
                    *stores += 1;
                }
            }
            _ => {}
        }
    }
    let some = inits.values().any(|(_, stores)| *stores == 0);
    let limits = [(!inits.is_empty()).then_some(usize::MAX), some.then_some(0)];
    let without = |most: usize| -> Candidate<'a> {
        let inits = inits.clone();
        Box::new(move || {
            edited(function, |_, inst| match inst.op {
                Op::Load(variable) => match inits.get(&variable) {
                    Some((init, stores)) if *stores <= most => Edit::Use(*init),
                    _ => Edit::Keep,
                },
                _ => Edit::Keep,
            })
        })
    };
    limits.into_iter().flatten().map(without).collect()
}

/// With simpler constants.
fn constants<'a>(function: &'a Function, insts: &[&'a Inst]) -> Vec<Candidate<'a>> {
    let mut all: Vec<Candidate<'a>> = vec![];
    for (place, inst) in insts.iter().enumerate() {
        let Op::Constant(bits) = &inst.op else { continue };
        let simpler: Vec<u64> = match bits {
            Bits::Splat(0 | 1) => continue,
            Bits::Splat(x) => vec![0, 1, x / 2],
            Bits::Each(each) => {
                let mut each = each.clone();
                each.sort_unstable();
                each.dedup();
                each.truncate(3);
                each
            }
        };
        for x in simpler {
            let op = Op::Constant(Bits::Splat(x));
            let inst = Inst { op, ..(*inst).clone() };
            all.push(Box::new(move || {
                edited(function, |n, _| if n == place { Edit::Replace(inst.clone()) } else { Edit::Keep })
            }));
        }
    }
    all
}

/// With regions that start at the first element, or where it is known.
fn regions<'a>(function: &'a Function, insts: &[&'a Inst]) -> Vec<Candidate<'a>> {
    let mut all: Vec<Candidate<'a>> = vec![];
    for (place, inst) in insts.iter().enumerate() {
        let (Op::Region(_, region) | Op::Insert(_, region, _)) = &inst.op else { continue };
        let mut simpler = vec![];
        if region.dynamic.is_some() {
            simpler.push(cm::ir::Region { dynamic: None, ..*region });
        }
        if region.offset > 0 {
            simpler.push(cm::ir::Region { offset: 0, ..*region });
        }
        for other in simpler {
            let mut inst = (*inst).clone();
            if let Op::Region(_, region) | Op::Insert(_, region, _) = &mut inst.op {
                *region = other;
            }
            all.push(Box::new(move || {
                edited(function, |n, _| if n == place { Edit::Replace(inst.clone()) } else { Edit::Keep })
            }));
        }
    }
    all
}

/// With fewer columns or rows in everything of one shape.
fn narrower<'a>(function: &'a Function, insts: &[&'a Inst]) -> Vec<Candidate<'a>> {
    let mut shapes: Vec<(usize, usize)> = insts.iter().map(|inst| (inst.ty.rows, inst.ty.columns)).collect();
    shapes.sort_unstable();
    shapes.dedup();
    let mut all: Vec<Candidate<'a>> = vec![];
    for (rows, columns) in shapes.into_iter().rev() {
        let fewer = [
            (1, columns),
            (rows / 2, columns),
            (rows, columns / 2),
            (rows, columns - 1),
            (rows, columns & !3),
        ];
        for (r, c) in fewer {
            if r * c == 0 || (r, c) == (rows, columns) {
                continue;
            }
            let ty = move |old: Type| {
                if (old.rows, old.columns) == (rows, columns) {
                    Type { rows: r, columns: c, ..old }
                } else {
                    old
                }
            };
            all.push(Box::new(move || {
                edited(function, |_, inst| {
                    // What is an address is no data.
                    if inst.op.is_control_flow() {
                        return Edit::Keep;
                    }
                    let mut inst = inst.clone();
                    inst.ty = ty(inst.ty);
                    match &mut inst.op {
                        Op::Constant(Bits::Each(all)) => all.truncate(inst.ty.count()),
                        Op::Region(_, region) | Op::Insert(_, region, _) => {
                            if region.width == columns {
                                region.width = c;
                            } else if region.width == rows * columns {
                                region.width = r * c;
                            }
                            if region.row_stride == columns {
                                region.row_stride = c;
                            }
                        }
                        _ => {}
                    }
                    Edit::Replace(inst)
                })
            }));
        }
    }
    all
}
