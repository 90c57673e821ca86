//! Represents 32-bit numbers as sums of unknown numbers with known factors, to find the difference of two
//! numbers.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::elem::ElemType;
use crate::ir::{Bits, Function, Inst, Op, Region, ThreadId, Type, Value};
use crate::ops::MapKind;

/// The most unknown numbers of a sum. Addresses have a few; each sum of more would copy all those before.
const MOST: usize = 16;

/// A constant plus unknown numbers, each times its factor. Everything wraps in 32 bits.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Sum {
    factors: BTreeMap<Value, u32>,
    constant: u32,
}

impl Sum {
    /// The difference to another sum, wrapped, if it is known.
    pub(crate) fn distance(&self, other: &Self) -> Option<u32> {
        (self.factors == other.factors).then(|| other.constant.wrapping_sub(self.constant))
    }

    /// The remainder by a power of two, if it is known.
    pub(crate) fn remainder(&self, of: u32) -> Option<u32> {
        self.factors.values().all(|factor| factor.is_multiple_of(of)).then_some(self.constant % of)
    }

    fn one(value: Value) -> Self {
        Self { factors: BTreeMap::from([(value, 1)]), constant: 0 }
    }

    fn number(constant: u32) -> Self {
        Self { factors: BTreeMap::new(), constant }
    }

    fn times(&self, factor: u32) -> Self {
        let factors = self.factors.iter().map(|(value, own)| (*value, own.wrapping_mul(factor)));
        Self {
            factors: factors.filter(|(_, factor)| *factor != 0).collect(),
            constant: self.constant.wrapping_mul(factor),
        }
    }

    fn plus(&self, other: &Self) -> Self {
        let mut sum = self.clone();
        sum.constant = sum.constant.wrapping_add(other.constant);
        for (value, factor) in &other.factors {
            let own = sum.factors.entry(*value).or_default();
            *own = own.wrapping_add(*factor);
        }
        sum.factors.retain(|_, factor| *factor != 0);
        sum
    }

    fn known(&self) -> Option<u32> {
        self.factors.is_empty().then_some(self.constant)
    }
}

/// An input that has the same value wherever a kernel reads it.
#[derive(PartialEq, Eq, Hash, Debug)]
enum Given {
    Thread(ThreadId),
    Argument(usize),
    /// An element of an argument that is a vector.
    Element(usize, usize),
}

/// The sums of a kernel.
#[derive(Default, Debug)]
pub(crate) struct Sums {
    all: FxHashMap<Value, Sum>,
    given: FxHashMap<Given, Value>,
    /// The arguments that are vectors.
    vectors: FxHashMap<Value, usize>,
}

impl Sums {
    /// The sums of a kernel.
    pub(crate) fn of(function: &Function) -> Self {
        let mut sums = Self::default();
        for inst in function.body.instructions() {
            if let (&Op::Argument(param), Some(result)) = (&inst.op, inst.result) {
                sums.vectors.insert(result, param);
            }
            if let Some(result) = inst.result.filter(|_| is_number(inst.ty)) {
                let sum = sums.sum(inst).filter(|sum| sum.factors.len() <= MOST);
                let sum = sum.unwrap_or_else(|| Sum::one(result));
                sums.all.insert(result, sum);
            }
        }
        sums
    }

    /// The sum for a 32-bit number.
    pub(crate) fn get(&self, value: Value) -> Option<&Sum> {
        self.all.get(&value)
    }

    /// Whether a number depends on the thread's coordinates alone, and wraps only in launches with hundreds of thousands of
    /// threads along an axis.
    pub(crate) fn is_near_threads(&self, value: Value) -> bool {
        let small = |x: u32, most: u32| x.cast_signed().unsigned_abs() <= most;
        let threads: Vec<Value> = self
            .given
            .iter()
            .filter_map(|(given, first)| matches!(given, Given::Thread(_)).then_some(*first))
            .collect();
        self.get(value).is_some_and(|sum| {
            let near = |(value, factor): (&Value, &u32)| threads.contains(value) && small(*factor, 1 << 11);
            small(sum.constant, 1 << 20) && sum.factors.iter().all(near)
        })
    }

    /// Whether a number is near threads and grows with each coordinate: until it wraps, no sum of it and a small number does.
    pub(crate) fn grows_with_threads(&self, value: Value) -> bool {
        let positive = |x: u32| !x.cast_signed().is_negative();
        let grows =
            |sum: &Sum| positive(sum.constant) && sum.factors.values().all(|factor| positive(*factor));
        self.is_near_threads(value) && self.get(value).is_some_and(grows)
    }

    /// The argument with elements that follow each other, each 1 less than one of these numbers, and the first element.
    pub(crate) fn elements_before(&self, numbers: &[Value]) -> Option<(usize, usize)> {
        let element = |number: &Value| {
            let Sum { factors, constant: 1 } = self.get(*number)? else { return None };
            let (value, 1) = factors.first_key_value().filter(|_| factors.len() == 1)? else { return None };
            self.given.iter().find_map(|(given, first)| match given {
                Given::Element(param, element) if first == value => Some((*param, *element)),
                _ => None,
            })
        };
        let (param, first) = element(numbers.first()?)?;
        let follow = numbers.iter().zip(first..).all(|(number, n)| element(number) == Some((param, n)));
        follow.then_some((param, first))
    }

    /// Records that a new value is equal to another one.
    pub(crate) fn name(&mut self, new: Value, other: Value) {
        self.all.extend(self.get(other).cloned().map(|sum| (new, sum)));
    }

    fn sum(&mut self, inst: &Inst) -> Option<Sum> {
        let given = match &inst.op {
            Op::Constant(Bits::Splat(bits)) => return Some(Sum::number(*bits as u32)),
            Op::Thread(id) => Given::Thread(*id),
            Op::Argument(param) => Given::Argument(*param),
            Op::Region(from, Region { offset, dynamic: None, .. }) => {
                Given::Element(*self.vectors.get(from)?, *offset)
            }
            Op::Map { kind, common, saturate: false, operands } if is_integer(*common) => {
                return self.computed(*kind, operands);
            }
            _ => return None,
        };
        let first = *self.given.entry(given).or_insert(inst.result?);
        Some(Sum::one(first))
    }

    /// Operands of other sizes have no sums, because a conversion may change their value.
    fn computed(&self, kind: MapKind, operands: &[Value]) -> Option<Sum> {
        let sums: Vec<&Sum> = operands.iter().map(|x| self.get(*x)).collect::<Option<_>>()?;
        match (kind, &sums[..]) {
            (MapKind::Convert, [x]) => Some((*x).clone()),
            (MapKind::Add, [a, b]) => Some(a.plus(b)),
            (MapKind::Sub, [a, b]) => Some(a.plus(&b.times(u32::MAX))),
            (MapKind::Mul, [a, b]) => {
                a.known().map(|factor| b.times(factor)).or_else(|| b.known().map(|factor| a.times(factor)))
            }
            (MapKind::Shl, [x, places]) => {
                let places = places.known().filter(|places| *places < u32::BITS)?;
                Some(x.times(1 << places))
            }
            _ => None,
        }
    }
}

fn is_integer(elem: ElemType) -> bool {
    matches!(elem, ElemType::U32 | ElemType::I32)
}

fn is_number(ty: Type) -> bool {
    ty.count() == 1 && ty.elem().is_some_and(is_integer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::parse;

    fn sums(lines: &str) -> Sums {
        let lines = lines.replace(';', " @0:1:1\n").replace('|', ";");
        Sums::of(
            &parse(&format!("file 0 \"k.rs\" kernel k(n: u32, m: i32, s: u16, v: i32<1x8>) {{ {lines} }}"))
                .unwrap(),
        )
    }

    const START: &str = "%0: u32 = thread x; %1: u32 = constant 48; %2: u32 = mul.u32 %0, %1;
        %3: u32 = thread x; %4: i32 = constant -16; %5: u32 = constant 3; %6: u32 = shl.u32 %3, %5; ";

    #[test]
    fn what_threads_know_is_the_same_everywhere() {
        let sums = sums(&format!(
            "{START} %7: u32 = sub.u32 %2, %6; %8: u32 = mul.u32 %5, %3; %9: u32 = add.u32 %8, %4;
             %10: u32 = sub.u32 %7, %6; %11: u32 = add.u32 %2, %4; %12: i32 = convert %2;"
        ));
        let distance = |a: u32, b: u32| sums.get(Value(a)).unwrap().distance(sums.get(Value(b)).unwrap());
        assert_eq!(distance(0, 3), Some(0));
        assert_eq!(distance(2, 11), Some(16_u32.wrapping_neg()));
        assert_eq!(distance(2, 12), Some(0));
        assert_eq!(distance(8, 9), Some(16_u32.wrapping_neg()));
        assert_eq!(distance(2, 7), None, "48 x and 40 x");
        let remainder = |value: u32, of| sums.get(Value(value)).unwrap().remainder(of);
        assert_eq!((remainder(2, 16), remainder(2, 32)), (Some(0), None));
        assert_eq!((remainder(10, 32), remainder(11, 16), remainder(9, 4)), (Some(0), Some(0), None));
    }

    #[test]
    fn numbers_may_be_elements_of_an_argument_plus_1() {
        let lines = "%0: i32<1x8> = argument #3; %1: i32 = constant 1; %2: i32 = region %0[2| 1, 1, 1];
            %3: i32 = region %0[3| 1, 1, 1]; %4: i32 = add.i32 %2, %1; %5: i32 = add.i32 %1, %3;
            %6: i32<1x8> = argument #3; %7: i32 = region %6[4| 1, 1, 1]; %8: i32 = add.i32 %7, %1;
            %9: i32 = add.i32 %8, %1;";
        let sums = sums(lines);
        let elements = |numbers: &[u32]| {
            sums.elements_before(&numbers.iter().map(|number| Value(*number)).collect::<Vec<_>>())
        };
        assert_eq!((elements(&[4, 5, 8]), elements(&[5])), (Some((3, 2)), Some((3, 3))));
        // Not in order, or not 1 more.
        for numbers in [&[5, 4][..], &[4, 8], &[4, 3], &[4, 5, 9], &[1], &[]] {
            assert_eq!(elements(numbers), None, "{numbers:?}");
        }
    }

    #[test]
    fn what_is_not_computed_in_32_bits_is_unknown() {
        let sums = sums(
            "%0: u16 = argument #2; %1: u32 = convert %0; %2: u32 = constant 65535; %3: u16 = add.u16 %0, %0;
             %4: u32 = convert %3; %5: u32 = add.u32 %1, %1; %6: u32 = add.u32 %2, %0; %7: u32 = mul.u32 %1, %5;",
        );
        assert!(sums.get(Value(0)).is_none() && sums.get(Value(3)).is_none());
        for unknown in [1, 4, 6, 7] {
            assert_eq!(sums.get(Value(unknown)), Some(&Sum::one(Value(unknown))));
        }
        assert_eq!(sums.get(Value(5)), Some(&Sum::one(Value(1)).times(2)));
    }
}
