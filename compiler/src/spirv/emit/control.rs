//! Branches and loops, and the variables at the points where control flow joins.
//!
//! At a join, Intel's compiler copies variables one after the other, in an order in which one copy may
//! overwrite a variable that is still to be copied. So each variable becomes an opaque copy at the end of
//! each path. Loops are not unrolled: the compiler would let iterations share registers and overwrite these
//! too early.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{Block, Op as Ir, Type, Value, Variable};

use crate::spirv::binary::{DONT_UNROLL, Op, Operand, Word};
use crate::spirv::module::{Builder, Val};
use crate::spirv::types::Ty;

/// The variables that blocks store but do not declare, if another of these variables has the same size.
///
/// At the end of each path to a join, the compiler copies the variables that are not in their registers yet,
/// one after the other. It orders the copies by their destination registers, which may be wrong. If one
/// variable is computed from another in place, both share registers, so a copy may overwrite a variable that
/// is still to be copied. Only variables of the same size share registers.
#[derive(Debug)]
pub(crate) struct Joined(Vec<(Word, Ty)>);

impl Joined {
    /// The variables of blocks that are followed by a join.
    pub(crate) fn of(blocks: &[&Block], variables: &FxHashMap<Variable, (Word, Type)>) -> Self {
        Self::among(blocks, variables, |_| true)
    }

    /// The variables of the blocks of a loop, if they may share registers with others: see
    /// [`sharing`](crate::spirv::facts::sharing). Branches keep the copies of all variables, because these also keep the branches:
    /// the compiler would turn short ones into selections.
    pub(crate) fn of_loop(
        blocks: &[&Block],
        variables: &FxHashMap<Variable, (Word, Type)>,
        sharing: &FxHashSet<Variable>,
    ) -> Self {
        Self::among(blocks, variables, |variable| sharing.contains(&variable))
    }

    fn among(
        blocks: &[&Block],
        variables: &FxHashMap<Variable, (Word, Type)>,
        shares: impl Fn(Variable) -> bool,
    ) -> Self {
        let stored: BTreeSet<Variable> = blocks.iter().copied().flat_map(Block::stored).collect();
        let stored: Vec<(Word, Ty, bool)> = stored
            .iter()
            .filter_map(|&variable| Some((variables.get(&variable)?, shares(variable))))
            .filter(|((_, ty), _)| ty.elem().is_some())
            .map(|(&(pointer, ty), shares)| (pointer, Ty::from(ty), shares))
            .collect();
        // A variable that is copied to another one also shares its registers.
        let copied = blocks.iter().copied().flat_map(copied);
        let copied: BTreeSet<usize> =
            copied.filter_map(|variable| variables.get(&variable)).map(|(_, ty)| ty.bytes()).collect();
        let of_size = |bytes| stored.iter().filter(|(_, ty, _)| ty.bytes() == bytes).count();
        let shared = |bytes| of_size(bytes) > 1 || copied.contains(&bytes);
        let joined = stored.iter().filter(|(_, ty, shares)| *shares && shared(ty.bytes()));
        Self(joined.map(|&(pointer, ty, _)| (pointer, ty)).collect())
    }
}

/// The variables whose values a block stores unchanged in other variables.
fn copied(block: &Block) -> Vec<Variable> {
    let loaded: FxHashMap<Value, Variable> = block
        .instructions()
        .filter_map(|inst| match (&inst.op, inst.result) {
            (Ir::Load(variable), Some(result)) => Some((result, *variable)),
            _ => None,
        })
        .collect();
    let stored = block.instructions().filter_map(|inst| match inst.op {
        Ir::Store(to, x) => loaded.get(&x).copied().filter(|from| *from != to),
        _ => None,
    });
    stored.collect()
}

/// One of the two paths of a branch, or a path into a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Way {
    /// The first block of a branch, or the entry of a loop.
    First,
    /// The second block, or the next iteration.
    Second,
}

/// The end of a labelled block under construction, and the number of paths to it so far.
#[derive(Debug)]
pub(crate) struct End {
    place: Word,
    joined: Joined,
    ways: usize,
}

/// A branch under construction.
#[derive(Debug)]
pub(crate) struct Branch {
    ways: [Word; 2],
    end: Word,
}

/// A loop under construction.
#[derive(Debug)]
pub(crate) struct Loop {
    head: Word,
    inside: Word,
    next: Word,
    end: Word,
}

impl Builder {
    /// Branches to one of two blocks.
    pub(crate) fn branch(&mut self, condition: Val) -> Branch {
        let branch = Branch { ways: [self.fresh(), self.fresh()], end: self.fresh() };
        self.end_block(Op::BranchConditional, &[condition.id, branch.ways[0], branch.ways[1]]);
        branch
    }

    pub(crate) fn begin_way(&mut self, branch: &Branch, way: Way) {
        self.begin_block(branch.ways[way as usize]);
    }

    pub(crate) fn end_way(&mut self, branch: &Branch, joined: &Joined, way: Way) {
        self.arrive(joined, way as usize);
        self.end_block(Op::Branch, &[branch.end]);
    }

    pub(crate) fn end_branch(&mut self, branch: &Branch) {
        self.begin_block(branch.end);
    }

    /// Begins a labelled block that stores these variables.
    pub(crate) fn begin_labelled(&mut self, joined: Joined) -> End {
        End { place: self.fresh(), joined, ways: 0 }
    }

    /// Stores an opaque copy of a variable in itself. The optimiser does not move it to other paths, so the branch
    /// stays one.
    pub(crate) fn store_hidden(&mut self, pointer: Word, ty: Ty) {
        let x = self.op_with(Op::Load, ty, vec![Operand::Id(pointer)]);
        let own = self.hidden(x);
        self.effect(Op::Store, vec![Operand::Id(pointer), Operand::Id(own.id)]);
    }

    /// Jumps to the end of a labelled block, from inside or from its last instruction.
    pub(crate) fn leave(&mut self, end: &mut End) {
        self.arrive(&end.joined, end.ways);
        end.ways += 1;
        self.end_block(Op::Branch, &[end.place]);
    }

    /// Ends a labelled block. What follows is reachable only if a path leads there.
    pub(crate) fn end_labelled(&mut self, end: &End) {
        if end.ways > 0 {
            self.begin_block(end.place);
        }
    }

    /// Begins a loop with its test. The test ends where the iteration begins.
    ///
    /// The compiler must not unroll loops. If it moves the first iteration before the loop, values of both
    /// share registers: bytes that are taken from words in place are overwritten before they are read, and
    /// variables after the loop are mixed up.
    pub(crate) fn begin_loop(&mut self, joined: &Joined) -> Loop {
        let (head, inside) = (self.fresh(), self.fresh());
        let (next, end) = (self.fresh(), self.fresh());
        self.arrive(joined, Way::First as usize);
        self.end_block(Op::Branch, &[head]);
        self.begin_block(head);
        Loop { head, inside, next, end }
    }

    /// Begins the body, which is repeated while the condition holds.
    pub(crate) fn begin_round(&mut self, repeat: &Loop, condition: Val) {
        let control = Operand::Number(DONT_UNROLL);
        let places = [repeat.end, repeat.next].map(Operand::Id);
        self.effect(Op::LoopMerge, places.into_iter().chain([control]).collect());
        self.end_block(Op::BranchConditional, &[condition.id, repeat.inside, repeat.end]);
        self.begin_block(repeat.inside);
    }

    pub(crate) fn end_loop(&mut self, repeat: &Loop, joined: &Joined) {
        self.arrive(joined, Way::Second as usize);
        // `OpLoopMerge` needs a separate block from which the next iteration begins.
        self.end_block(Op::Branch, &[repeat.next]);
        self.begin_block(repeat.next);
        self.end_block(Op::Branch, &[repeat.head]);
        self.begin_block(repeat.end);
    }

    /// Ends a path to a join. Each variable becomes a value with no other use, so its registers are not
    /// shared with another variable, whatever the order of the copies. The compiler would merge equal
    /// operations on two paths and move them after the join, so each path uses different ones.
    fn arrive(&mut self, joined: &Joined, way: usize) {
        for &(pointer, ty) in &joined.0 {
            let x = self.op_with(Op::Load, ty, vec![Operand::Id(pointer)]);
            let dwords = ty.bytes() / 4;
            let whole = ty.bytes().is_multiple_of(4) && !self.skewed.contains(&pointer);
            let bits = if whole { Ty::I32.times(dwords) } else { ty.int(ty.bits()) };
            let (x, zeros) = (self.format(x, bits), self.hidden_zeros(bits));
            let (mut own, mut rest) = (x, way);
            // If there are more paths than operations, a path uses several: the base-6 digits of its number
            // select them.
            loop {
                own = match rest % 6 {
                    0 => self.op(Op::IAdd, bits, &[own, zeros]),
                    1 => {
                        let ones = self.op(Op::Not, bits, &[zeros]);
                        self.op(Op::BitwiseAnd, bits, &[own, ones])
                    }
                    2 => self.op(Op::BitwiseXor, bits, &[own, zeros]),
                    3 => self.op(Op::ISub, bits, &[own, zeros]),
                    4 => self.op(Op::ShiftLeftLogical, bits, &[own, zeros]),
                    _ => self.op(Op::ShiftRightLogical, bits, &[own, zeros]),
                };
                rest /= 6;
                if rest == 0 {
                    break;
                }
            }
            let own = self.format(own, ty);
            self.effect(Op::Store, vec![Operand::Id(pointer), Operand::Id(own.id)]);
        }
    }
}
