//! Every operation of both tables on every element type, with test operands: the claims of analyses are checked against
//! the interpreter.

use super::element;
use crate::dataflow::{Forward, forward};
use crate::elem::ElemType;
use crate::ir::{Bits, Block, Inst, Location, Op, Type, Value};
use crate::ops::{Computed, Operand};

/// An operation, the type in which it is computed, and the types of its operands.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) kind: Computed,
    pub(crate) common: ElemType,
    pub(crate) elems: Vec<ElemType>,
}

impl Case {
    /// All cases that the verifier accepts.
    pub(crate) fn all() -> Vec<Self> {
        let mut cases = vec![];
        for kind in Computed::all() {
            for common in ElemType::ALL.iter().copied().filter(|elem| kind.domain().contains(*elem)) {
                let mut operands = vec![vec![]];
                for rule in kind.operands() {
                    let fits = |elem: &ElemType| match rule {
                        Operand::Source => true,
                        Operand::Own => *elem == common,
                        Operand::Common => common.is_float() || !elem.is_float(),
                        Operand::Mask => *elem == ElemType::U16,
                    };
                    operands = operands
                        .iter()
                        .flat_map(|before: &Vec<ElemType>| {
                            let all = ElemType::ALL.iter().copied().filter(fits);
                            all.map(|elem| [&before[..], &[elem]].concat())
                        })
                        .collect();
                }
                cases.extend(operands.into_iter().map(|elems| Self { kind, common, elems }));
            }
        }
        cases
    }

    /// The element type of the result.
    pub(crate) fn result(&self) -> ElemType {
        self.kind.outcome().elem(self.common)
    }

    /// The inputs of one result: one element per operand, or those of a group. Returns the operand of each.
    pub(crate) fn inputs(&self) -> Vec<usize> {
        (0..self.elems.len() * self.kind.width()).map(|n| n / self.kind.width()).collect()
    }

    /// Inputs in which all elements of an operand are the same.
    pub(crate) fn repeated(&self, operands: &[u64]) -> Vec<u64> {
        self.inputs().into_iter().map(|operand| operands[operand]).collect()
    }

    /// The result on these inputs.
    pub(crate) fn evaluate(&self, inputs: &[u64]) -> u64 {
        let saturates = matches!(self.kind, Computed::Map(_, true));
        let converted: Vec<u64> = self
            .inputs()
            .into_iter()
            .zip(inputs)
            .map(|(n, bits)| {
                element::operand(self.kind.operands()[n], saturates, self.elems[n], self.common, *bits)
            })
            .collect();
        let mut operands = converted.chunks(self.kind.width());
        let operands = [(); 3].map(|()| operands.next().unwrap_or_default());
        element::computed(self.kind, self.common, operands)
    }

    /// The operation on these values.
    pub(crate) fn op(&self, operands: &[Value]) -> Op {
        Op::of(self.kind, self.common, operands)
    }

    /// Operands whose elements all have these bits.
    pub(crate) fn splats(&self, bits: u64) -> Vec<Vec<u64>> {
        vec![vec![bits; self.kind.width()]; self.elems.len()]
    }

    /// Inputs from the elements of operands: for single elements all combinations, for groups some of them.
    pub(crate) fn samples(&self, operands: &[Vec<u64>]) -> Vec<Vec<u64>> {
        let width = self.kind.width();
        let starts: Vec<Vec<u64>> = operands.iter().map(|each| (0..each.len() as u64).collect()).collect();
        // Neighbours are equal, ascending, or descending.
        let steps = if width == 1 { 0..1 } else { 0..3 };
        let mut samples = vec![];
        for (starts, step) in combinations(&starts).iter().flat_map(|s| steps.clone().map(move |n| (s, n))) {
            samples.push(
                self.inputs()
                    .into_iter()
                    .enumerate()
                    .map(|(n, operand)| {
                        let (all, place) = (&operands[operand], n % width * [0, 1, width - 1][step]);
                        all[(starts[operand] as usize + place) % all.len()]
                    })
                    .collect(),
            );
        }
        samples
    }

    /// Constants with these elements, whose values are numbered from 0, and the operation as the last instruction.
    pub(crate) fn block(&self, operands: &[Vec<u64>]) -> Block {
        let mut block = Block::default();
        for (elem, each) in self.elems.iter().zip(operands) {
            let ty = Type::new(*elem, 1, each.len());
            push(&mut block, Op::Constant(Bits::Each(each.clone())), ty);
        }
        let values: Vec<Value> = (0..operands.len() as u32).map(Value).collect();
        push(&mut block, self.op(&values), Type::new(self.result(), 1, operands[0].len()));
        block
    }
}

/// The inputs of a result, and the result.
pub(crate) type Sample = (Vec<u64>, u64);

/// Each case on 4 elements per operand, or a few more, with the fact that an analysis finds about its results, and the
/// results with their inputs.
pub(crate) fn facts_and_results<A: Forward>(
    analysis: &A,
) -> impl Iterator<Item = (Case, A::Fact, Vec<Sample>)> {
    let mut numbers = RandomNumbers::new();
    Case::all().into_iter().map(move |case| {
        let operands = numbers.operands(&case, 4);
        let facts = forward(&case.block(&operands), analysis);
        let fact = facts.get(Value(operands.len() as u32)).unwrap().clone();
        let results = case.samples(&operands).into_iter().map(|bits| {
            let result = case.evaluate(&bits);
            (bits, result)
        });
        let results = results.collect();
        (case, fact, results)
    })
}

/// Adds an instruction whose result has the next number.
pub(crate) fn push(block: &mut Block, op: Op, ty: Type) -> Value {
    let result = Value(block.insts.iter().filter(|inst| inst.result.is_some()).count() as u32);
    let location = Location { file: "k.rs".into(), line: 1, column: 1 };
    block.insts.push(Inst { result: op.has_result().then_some(result), op, ty, location });
    result
}

/// Numbers to try, the same ones each time.
#[derive(Debug)]
pub(crate) struct RandomNumbers(u64);

impl RandomNumbers {
    pub(crate) fn new() -> Self {
        // Any number except 0, from which xorshift produces only zeros.
        Self(0x9e37_79b9_7f4a_7c15)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Bits of an element: a small number, a fraction, a number near the limits of the type, or any bits.
    pub(crate) fn bits(&mut self, elem: ElemType) -> u64 {
        let small = element::convert(ElemType::I16, elem, (self.next() % 600 + (1 << 16) - 300) & 0xffff);
        let any = self.next();
        let bits = match (self.next() % 8, elem.is_float()) {
            (0..4, _) => small,
            (4..6, true) => element::convert(
                ElemType::F64,
                elem,
                ((self.next() % 100_000) as f64 / 128.0 - 300.0).to_bits(),
            ),
            (4, false) => element::mask(elem) - any % 4,
            (5, false) => (element::mask(elem) / 2).wrapping_add(any % 4),
            _ => any,
        };
        bits & element::mask(elem)
    }

    /// `count` elements per operand, or a few more to fill whole groups.
    pub(crate) fn operands(&mut self, case: &Case, count: usize) -> Vec<Vec<u64>> {
        let count = count.next_multiple_of(case.kind.width());
        case.elems.iter().map(|elem| (0..count).map(|_| self.bits(*elem)).collect()).collect()
    }
}

/// One element of each operand, in every combination.
pub(crate) fn combinations(operands: &[Vec<u64>]) -> Vec<Vec<u64>> {
    operands.iter().fold(vec![vec![]], |all, each| {
        all.iter().flat_map(|before: &Vec<u64>| each.iter().map(|x| [&before[..], &[*x]].concat())).collect()
    })
}
