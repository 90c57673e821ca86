//! Branches and loops, and the variables where their ways join.
//!
//! Where ways join, Intel's compiler copies variables one after the other, in an order in which one copy may
//! overwrite a variable that is still to be copied. So every variable becomes a value of its own at the end
//! of each way. Loops are not unrolled: the compiler lets rounds share registers and overwrites these too
//! early.

use std::collections::{BTreeSet, HashMap};

use crate::ir::{Block, Op as Ir, Type, Value, Variable};

use super::binary::{DONT_UNROLL, Op, Operand, Word};
use super::module::{Builder, Val};
use super::types::Ty;

/// The variables that the blocks store and that are not theirs, if another one of these is of the same size.
///
/// Where ways join, the compiler copies the variables that it has not in their registers already one after
/// the other at the end of each way. What is right in their order is not in the order that it takes: by the
/// registers that they go to. Variables share registers if one is computed of another one in place, so that a
/// variable which is still to be copied may be overwritten by another one. Registers are shared by variables
/// of one size only.
#[derive(Debug)]
pub(super) struct Joined(Vec<(Word, Ty)>);

impl Joined {
    /// Of blocks after which ways join.
    pub(super) fn of(blocks: &[&Block], variables: &HashMap<Variable, (Word, Type)>) -> Self {
        let stored: BTreeSet<Variable> = blocks.iter().copied().flat_map(Block::stored).collect();
        let stored: Vec<(Word, Ty)> = stored
            .iter()
            .filter_map(|variable| variables.get(variable))
            .filter(|(_, ty)| ty.elem().is_some())
            .map(|&(pointer, ty)| (pointer, Ty::from(ty)))
            .collect();
        // One that is copied to another one shares its registers too.
        let copied = blocks.iter().copied().flat_map(copied);
        let copied: BTreeSet<usize> =
            copied.filter_map(|variable| variables.get(&variable)).map(|(_, ty)| ty.bytes()).collect();
        let of_size = |bytes| stored.iter().filter(|(_, ty)| ty.bytes() == bytes).count();
        let shared = |bytes| of_size(bytes) > 1 || copied.contains(&bytes);
        Self(stored.iter().copied().filter(|(_, ty)| shared(ty.bytes())).collect())
    }
}

/// The variables whose values a block stores in others as they are.
fn copied(block: &Block) -> Vec<Variable> {
    let loaded: HashMap<Value, Variable> = block
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

/// One of the two ways of a decision or into a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    /// The first of two blocks, or into a loop.
    First,
    /// The second one, or the next round.
    Second,
}

/// The end of a labelled block that is being written, and the ways that lead to it so far.
#[derive(Debug)]
pub(super) struct End {
    place: Word,
    joined: Joined,
    ways: usize,
}

/// A decision that is being written.
#[derive(Debug)]
pub(super) struct Branch {
    ways: [Word; 2],
    end: Word,
}

/// A loop that is being written.
#[derive(Debug)]
pub(super) struct Loop {
    head: Word,
    inside: Word,
    next: Word,
    end: Word,
}

impl Builder {
    /// Goes one of two ways.
    pub(super) fn branch(&mut self, condition: Val) -> Branch {
        let branch = Branch { ways: [self.fresh(), self.fresh()], end: self.fresh() };
        self.end_block(Op::BranchConditional, &[condition.id, branch.ways[0], branch.ways[1]]);
        branch
    }

    pub(super) fn begin_way(&mut self, branch: &Branch, way: Way) {
        self.begin_block(branch.ways[way as usize]);
    }

    pub(super) fn end_way(&mut self, branch: &Branch, joined: &Joined, way: Way) {
        self.arrive(joined, way as usize);
        self.end_block(Op::Branch, &[branch.end]);
    }

    pub(super) fn end_branch(&mut self, branch: &Branch) {
        self.begin_block(branch.end);
    }

    /// What follows is a labelled block, which stores these variables.
    pub(super) fn begin_labelled(&mut self, joined: Joined) -> End {
        End { place: self.fresh(), joined, ways: 0 }
    }

    /// Goes to the end of a labelled block, from inside or from its last instruction.
    pub(super) fn leave(&mut self, end: &mut End) {
        self.arrive(&end.joined, end.ways);
        end.ways += 1;
        self.end_block(Op::Branch, &[end.place]);
    }

    /// What follows is behind a labelled block, if a way leads there.
    pub(super) fn end_labelled(&mut self, end: &End) {
        if end.ways > 0 {
            self.begin_block(end.place);
        }
    }

    /// What follows, until the round begins, is the test.
    ///
    /// The compiler is not to unroll loops. Where it puts the first round before the loop, values of both
    /// share registers, and bytes taken from words in place are overwritten before they are read; variables
    /// behind it are mixed up.
    pub(super) fn begin_loop(&mut self, joined: &Joined) -> Loop {
        let (head, inside) = (self.fresh(), self.fresh());
        let (next, end) = (self.fresh(), self.fresh());
        self.arrive(joined, Way::First as usize);
        self.end_block(Op::Branch, &[head]);
        self.begin_block(head);
        Loop { head, inside, next, end }
    }

    /// What follows is done as long as the condition holds.
    pub(super) fn begin_round(&mut self, repeat: &Loop, condition: Val) {
        let control = Operand::Number(DONT_UNROLL);
        let places = [repeat.end, repeat.next].map(Operand::Id);
        self.effect(Op::LoopMerge, places.into_iter().chain([control]).collect());
        self.end_block(Op::BranchConditional, &[condition.id, repeat.inside, repeat.end]);
        self.begin_block(repeat.inside);
    }

    pub(super) fn end_loop(&mut self, repeat: &Loop, joined: &Joined) {
        self.arrive(joined, Way::Second as usize);
        // `OpLoopMerge` names a block of its own from which the next round begins.
        self.end_block(Op::Branch, &[repeat.next]);
        self.begin_block(repeat.next);
        self.end_block(Op::Branch, &[repeat.head]);
        self.begin_block(repeat.end);
    }

    /// The end of a way: each variable becomes a value that nothing else uses, whose registers therefore are
    /// no other variable's, in whatever order they are copied. The same operation on two ways to one place
    /// would be moved behind the place, so that each way has its own.
    fn arrive(&mut self, joined: &Joined, way: usize) {
        for &(pointer, ty) in &joined.0 {
            let x = self.op_with(Op::Load, ty, vec![Operand::Id(pointer)]);
            let dwords = ty.bytes() / 4;
            let whole = ty.bytes().is_multiple_of(4) && !self.skewed.contains(&pointer);
            let bits = if whole { Ty::I32.times(dwords) } else { ty.int(ty.bits()) };
            let (x, zeros) = (self.format(x, bits), self.hidden_zeros(bits));
            let (mut own, mut rest) = (x, way);
            // More ways than operations have several of them, of which the numbers are the digits.
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
