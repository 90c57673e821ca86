//! Changes to kernels: what an instruction becomes, and the removal of what then has no use.

use std::collections::{HashMap, HashSet};

use cm::ir::{Block, Function, Inst, Op, Value, Variable};

/// What becomes of an instruction.
pub(super) enum Edit {
    /// It stays, and so do the instructions of its blocks, as far as they are not edited.
    Keep,
    /// It goes.
    Remove,
    /// The instructions of its blocks of these numbers take its place.
    Inline(&'static [usize]),
    /// Another instruction with the same result takes its place.
    Replace(Inst),
    /// It goes; another value takes the place of its result.
    Use(Value),
}

/// The kernel after `edit` of every instruction, by its number in the order of [`Block::instructions`].
pub(super) fn edited(function: &Function, mut edit: impl FnMut(usize, &Inst) -> Edit) -> Function {
    let mut editor = Editor { next: 0, used: HashMap::new() };
    let mut function = function.clone();
    function.body = editor.block(&function.body, &mut edit);
    substitute(&mut function.body, &editor.used);
    sweep(&mut function);
    function
}

struct Editor {
    next: usize,
    used: HashMap<Value, Value>,
}

impl Editor {
    fn block(&mut self, block: &Block, edit: &mut impl FnMut(usize, &Inst) -> Edit) -> Block {
        let mut insts = vec![];
        for inst in &block.insts {
            let n = self.next;
            self.next += 1;
            let change = edit(n, inst);
            let mut inst = inst.clone();
            let mut parts = vec![];
            for part in inst.op.blocks_mut() {
                *part = self.block(part, edit);
                parts.push(part.insts.clone());
            }
            match change {
                Edit::Keep => insts.push(inst),
                Edit::Remove => {}
                Edit::Inline(all) => {
                    insts.extend(all.iter().filter_map(|n| parts.get(*n)).flatten().cloned());
                }
                Edit::Replace(other) => insts.push(other),
                Edit::Use(other) => {
                    if let Some(result) = inst.result {
                        self.used.insert(result, other);
                    }
                }
            }
        }
        Block { insts }
    }
}

fn substitute(block: &mut Block, used: &HashMap<Value, Value>) {
    for inst in &mut block.insts {
        for operand in inst.op.operands_mut() {
            // One after the other may have been replaced.
            while let Some(other) = used.get(operand) {
                *operand = *other;
            }
        }
        for part in inst.op.blocks_mut() {
            substitute(part, used);
        }
    }
}

/// Removes what nothing uses.
pub(super) fn sweep(function: &mut Function) {
    loop {
        let before = function.body.instructions().count();
        let mut values: HashSet<Value> = HashSet::new();
        let mut loaded: HashSet<Variable> = HashSet::new();
        for inst in function.body.instructions() {
            values.extend(inst.op.operands());
            if let Op::Load(variable) = inst.op {
                loaded.insert(variable);
            }
        }
        keep(&mut function.body, &values, &loaded);
        if function.body.instructions().count() == before {
            return;
        }
    }
}

fn keep(block: &mut Block, values: &HashSet<Value>, loaded: &HashSet<Variable>) {
    block.insts.retain_mut(|inst| match &mut inst.op {
        Op::Declare(variable, _) | Op::Store(variable, _) => loaded.contains(variable),
        Op::If(_, first, second) => {
            keep(first, values, loaded);
            keep(second, values, loaded);
            !(first.insts.is_empty() && second.insts.is_empty())
        }
        Op::Loop(first, _, second) => {
            keep(first, values, loaded);
            keep(second, values, loaded);
            !second.insts.is_empty()
        }
        Op::Labelled(_, inside) => {
            keep(inside, values, loaded);
            !inside.insts.is_empty()
        }
        Op::Break(_) => true,
        Op::Access { kind, .. } if kind.spec().effect.writes() => true,
        _ => inst.result.is_some_and(|result| values.contains(&result)),
    });
}

/// The same kernel with values and variables numbered in order, and without parameters that it does not use;
/// the first two stay.
pub(super) fn tidied(function: &Function) -> Function {
    let mut function = function.clone();
    let mut params: HashSet<usize> = [0, 1].into();
    for inst in function.body.instructions() {
        match inst.op {
            Op::Argument(param) | Op::Access { param, .. } => drop(params.insert(param)),
            _ => {}
        }
    }
    let mut kept: Vec<usize> = params.into_iter().collect();
    kept.sort_unstable();
    function.params = kept.iter().filter_map(|n| function.params.get(*n)).cloned().collect();
    let param = |old: usize| kept.binary_search(&old).unwrap_or(old);
    renumber(&mut function.body, &param, &mut HashMap::new(), &mut HashMap::new());
    function
}

fn renumber(
    block: &mut Block,
    param: &impl Fn(usize) -> usize,
    values: &mut HashMap<Value, Value>,
    variables: &mut HashMap<Variable, Variable>,
) {
    for inst in &mut block.insts {
        // The condition of a loop is computed by its first block.
        if !matches!(inst.op, Op::Loop(..)) {
            for operand in inst.op.operands_mut() {
                *operand = values.get(operand).copied().unwrap_or(*operand);
            }
        }
        match &mut inst.op {
            Op::Argument(n) | Op::Access { param: n, .. } => *n = param(*n),
            Op::Declare(variable, _) => {
                let next = Variable(variables.len() as u32);
                variables.insert(*variable, next);
                *variable = next;
            }
            Op::Load(variable) | Op::Store(variable, _) => {
                *variable = variables.get(variable).copied().unwrap_or(*variable);
            }
            Op::If(_, first, second) => {
                renumber(first, param, values, variables);
                renumber(second, param, values, variables);
            }
            Op::Loop(first, condition, second) => {
                renumber(first, param, values, variables);
                *condition = values.get(condition).copied().unwrap_or(*condition);
                renumber(second, param, values, variables);
            }
            Op::Labelled(_, inside) => renumber(inside, param, values, variables),
            _ => {}
        }
        if let Some(result) = &mut inst.result {
            let next = Value(values.len() as u32);
            values.insert(*result, next);
            *result = next;
        }
    }
}
