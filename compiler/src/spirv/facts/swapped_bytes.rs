//! Finds sums of shifted numbers that swap bytes, or rotate bytes.
//!
//! The optimiser recognises shifts, masks and sums that reverse the bytes of a number, also if they move only some of its
//! bytes. It makes them one instruction, which Intel's compiler does not have: it aborts, and the process with it. Shifts
//! that rotate a byte become the instruction for rotations, which has no bytes: the compiler refuses its own code. So all of
//! these numbers but one become opaque copies before they are combined.

use rustc_hash::{FxHashMap, FxHashSet};

use super::numbers::Numbers;
use crate::dataflow::loads;
use crate::elem::ElemType;
use crate::ir::{Bits, Function, Inst, Op, Value};
use crate::ops::MapKind;

/// The most parts of a sum in which the optimiser looks for an order of bytes.
const MOST_PARTS: usize = 64;

/// The numbers of a kernel that become opaque copies where they are combined with others.
#[derive(Debug, Default)]
pub(crate) struct SwappedBytes(FxHashSet<Value>);

impl SwappedBytes {
    /// Those of a kernel, for a target that may have an instruction for rotations.
    pub(crate) fn of(function: &Function, numbers: &Numbers, rotations: bool) -> Self {
        let stored = loads(&function.body);
        let mut pass = Pass { rotations, ..Pass::default() };
        for inst in function.body.instructions() {
            let (Some(result), Some(elem)) = (inst.result, inst.ty.elem()) else { continue };
            let made = match (&inst.op, stored.get(&result)) {
                (Op::Load(_), Some(value)) => pass.made.get(value).copied(),
                _ => pass.transfer(inst, elem),
            };
            let made = made.unwrap_or_else(|| Made::Moved(Moved::whole(numbers.get(result), elem)));
            pass.elems.insert(result, elem);
            pass.made.insert(result, made);
        }
        pass.found
    }

    /// Whether an operand of this operation becomes an opaque copy.
    pub(crate) fn contains(&self, kind: MapKind, operand: Value) -> bool {
        combines(kind) && self.0.contains(&operand)
    }
}

/// Whether the optimiser looks through it as a sum of different bits.
const fn combines(kind: MapKind) -> bool {
    matches!(kind, MapKind::Or | MapKind::Xor | MapKind::Add)
}

/// What a value is made of.
#[derive(Clone, Copy)]
enum Made {
    Constant(u64),
    Moved(Moved),
}

/// A bit of an element.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bit {
    Zero,
    /// This bit of the source.
    Of(u8),
    Other,
}

/// The bits of another value.
#[derive(Clone, Copy)]
struct Moved {
    /// The number of that value.
    source: u32,
    bits: [Bit; 64],
}

impl Moved {
    /// A value as its own source.
    fn whole(source: u32, elem: ElemType) -> Self {
        let bits = std::array::from_fn(|n| if n < width(elem) { Bit::Of(n as u8) } else { Bit::Zero });
        Self { source, bits }
    }

    fn with(self, bit: impl Fn(usize) -> Bit) -> Self {
        Self { bits: std::array::from_fn(bit), ..self }
    }

    fn converted(self, from: ElemType, to: ElemType) -> Self {
        let (old, new) = (width(from), width(to));
        let sign = if from.is_signed() && self.bits[old - 1] != Bit::Zero { Bit::Other } else { Bit::Zero };
        self.with(|n| match n {
            n if n >= new => Bit::Zero,
            n if n >= old => sign,
            n => self.bits[n],
        })
    }

    fn shifted_left(self, count: usize, elem: ElemType) -> Self {
        self.with(|n| if n < count || n >= width(elem) { Bit::Zero } else { self.bits[n - count] })
    }

    fn shifted_right(self, count: usize, elem: ElemType) -> Self {
        let longest = ElemType::U64;
        // The sign is repeated.
        let extended = self.converted(elem, longest);
        self.with(|n| match n {
            n if n >= width(elem) => Bit::Zero,
            n if n + count < width(longest) => extended.bits[n + count],
            _ => extended.bits[width(longest) - 1],
        })
    }

    /// The bits of both, or nothing if it is not known which bits a sum has.
    fn combined(self, other: Self, kind: MapKind) -> Option<Self> {
        let same = self.source == other.source;
        let mut bits = [Bit::Zero; 64];
        for (n, bit) in bits.iter_mut().enumerate() {
            *bit = match (self.bits[n], other.bits[n]) {
                (own, Bit::Zero) => own,
                (Bit::Zero, Bit::Of(from)) if same => Bit::Of(from),
                (Bit::Zero, _) => Bit::Other,
                _ if kind == MapKind::Add => return None,
                (own, other) if own == other && same && kind == MapKind::Or => own,
                _ => Bit::Other,
            };
        }
        Some(Self { bits, ..self })
    }

    /// Whether these are some of the bits of an order, and zeros.
    fn is_part_of(self, order: Order) -> bool {
        let in_place = |n: usize| self.bits[n] == Bit::Zero || self.bits[n] == Bit::Of(order.from(n) as u8);
        (0..order.width()).all(in_place) && (0..order.width()).any(|n| self.bits[n] != Bit::Zero)
    }

    /// Whether both together are bits of one number in an order that the optimiser recognises.
    fn makes_with(self, other: Self, orders: impl Iterator<Item = Order>) -> bool {
        let both = self.combined(other, MapKind::Or).filter(|_| self.source == other.source);
        let is_made = |both: Self, order: Order| {
            let all = (0..order.width()).all(|n| both.bits[n] != Bit::Zero);
            both.is_part_of(order) && (all || !order.is_whole())
        };
        orders.into_iter().any(|order| {
            self.is_part_of(order) && other.is_part_of(order) && both.is_some_and(|both| is_made(both, order))
        })
    }
}

/// An order of the low bits of a number: the optimiser makes an operation shorter if only its low bits are used.
#[derive(Clone, Copy)]
enum Order {
    /// The bytes of this many bits, in reverse.
    Swapped(usize),
    /// A byte, rotated by this many bits.
    Rotated(usize),
}

impl Order {
    /// Those of an operation.
    fn all(elem: ElemType, rotations: bool) -> impl Iterator<Item = Self> {
        let swapped = [16, 32, 64].into_iter().filter(move |bits| *bits <= width(elem)).map(Self::Swapped);
        swapped.chain((1..8).filter(move |_| rotations).map(Self::Rotated))
    }

    const fn width(self) -> usize {
        match self {
            Self::Swapped(width) => width,
            Self::Rotated(_) => 8,
        }
    }

    /// The bit of the source in a place.
    const fn from(self, n: usize) -> usize {
        match self {
            Self::Swapped(width) => (width / 8 - 1 - n / 8) * 8 + n % 8,
            Self::Rotated(count) => (n + count) % 8,
        }
    }

    /// Whether the optimiser recognises only all of its bits.
    const fn is_whole(self) -> bool {
        matches!(self, Self::Rotated(_))
    }
}

fn width(elem: ElemType) -> usize {
    elem.bytes() * 8
}

#[derive(Default)]
struct Pass {
    rotations: bool,
    elems: FxHashMap<Value, ElemType>,
    made: FxHashMap<Value, Made>,
    /// The numbers that sums combine, of those that may be parts of such an order.
    parts: FxHashMap<Value, Vec<(Value, Moved)>>,
    found: SwappedBytes,
}

impl Pass {
    /// What an instruction makes; nothing if its result is a source.
    fn transfer(&mut self, inst: &Inst, elem: ElemType) -> Option<Made> {
        if elem.is_float() {
            return None;
        }
        match &inst.op {
            Op::Constant(Bits::Splat(bits)) => Some(Made::Constant(*bits)),
            Op::Splat(x) => match self.made.get(x)? {
                Made::Constant(bits) => Some(Made::Constant(*bits)),
                Made::Moved(_) => None,
            },
            Op::Format(x) => {
                let from = *self.elems.get(x)?;
                let same = !from.is_float() && from.bytes() == elem.bytes();
                self.made.get(x).copied().filter(|_| same)
            }
            Op::Map { kind: MapKind::Convert, saturate: false, operands, .. } => {
                self.operand(operands[0], elem)
            }
            Op::Map { kind, common, saturate: false, operands } if !common.is_float() => {
                let &[a, b] = &operands[..] else { return None };
                self.combined(*kind, *common, [a, b], inst.result?)
            }
            _ => None,
        }
    }

    /// An operand in the type of an operation.
    fn operand(&self, x: Value, elem: ElemType) -> Option<Made> {
        let from = *self.elems.get(&x)?;
        if from.is_float() {
            return None;
        }
        Some(match *self.made.get(&x)? {
            Made::Constant(bits) => {
                let bits = from.integer(bits)? as u64;
                Made::Constant(bits & u64::MAX >> (64 - width(elem)))
            }
            Made::Moved(moved) => Made::Moved(moved.converted(from, elem)),
        })
    }

    fn combined(&mut self, kind: MapKind, elem: ElemType, [a, b]: [Value; 2], result: Value) -> Option<Made> {
        let unsigned = |x: Moved| !elem.is_signed() || x.bits[width(elem) - 1] == Bit::Zero;
        let moved = match (kind, self.operand(a, elem)?, self.operand(b, elem)?) {
            (MapKind::And, Made::Moved(x), Made::Constant(mask))
            | (MapKind::And, Made::Constant(mask), Made::Moved(x)) => {
                x.with(|n| if mask >> n & 1 == 0 { Bit::Zero } else { x.bits[n] })
            }
            (MapKind::Shl, Made::Moved(x), Made::Constant(count)) => {
                x.shifted_left(count as usize % width(elem), elem)
            }
            (MapKind::Shr, Made::Moved(x), Made::Constant(count)) => {
                x.shifted_right(count as usize % width(elem), elem)
            }
            (MapKind::Mul, Made::Moved(x), Made::Constant(factor))
            | (MapKind::Mul, Made::Constant(factor), Made::Moved(x))
                if factor.is_power_of_two() =>
            {
                x.shifted_left(factor.trailing_zeros() as usize, elem)
            }
            (MapKind::Div, Made::Moved(x), Made::Constant(divisor))
                if divisor.is_power_of_two() && unsigned(x) =>
            {
                x.shifted_right(divisor.trailing_zeros() as usize, elem)
            }
            (kind, Made::Moved(x), Made::Moved(y)) if combines(kind) => {
                let opaque = self.divide([(a, x), (b, y)], elem, result);
                return x.combined(y, kind).filter(|_| !opaque).map(Made::Moved);
            }
            _ => return None,
        };
        Some(Made::Moved(moved))
    }

    /// Notes the parts of a sum. Returns whether some of them become opaque.
    fn divide(&mut self, pair: [(Value, Moved); 2], elem: ElemType, result: Value) -> bool {
        let rotations = self.rotations;
        let orders = || Order::all(elem, rotations);
        let mut parts: Vec<(Value, Moved)> = vec![];
        for (x, moved) in pair {
            let own = match self.parts.get(&x) {
                Some(parts) => parts.clone(),
                None if orders().any(|order| moved.is_part_of(order)) => vec![(x, moved)],
                None => vec![],
            };
            let fresh = |x: Value| parts.iter().all(|(part, _)| *part != x);
            let own: Vec<_> = own.into_iter().filter(|(x, _)| fresh(*x)).collect();
            let visible = |(x, _): &&(Value, Moved)| !self.found.0.contains(x);
            let before: Vec<Moved> = parts.iter().filter(visible).map(|(_, moved)| *moved).collect();
            let swapped =
                own.iter().filter(|(_, moved)| before.iter().any(|x| x.makes_with(*moved, orders())));
            let swapped: Vec<Value> = swapped.map(|(x, _)| *x).collect();
            self.found.0.extend(swapped);
            parts.extend(own);
        }
        let opaque = parts.iter().any(|(x, _)| self.found.0.contains(x));
        if !parts.is_empty() && parts.len() <= MOST_PARTS {
            self.parts.insert(result, parts);
        }
        opaque
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spirv::facts::numbers::Same;
    use crate::text::parse;

    /// The numbers that become opaque in a kernel of one vector, `%1`.
    fn found(elem: &str, lines: &str) -> Vec<u32> {
        of_target(elem, lines, false)
    }

    fn of_target(elem: &str, lines: &str, rotations: bool) -> Vec<u32> {
        let constants = [("eight", 8), ("most", 24), ("second", 0xff00), ("low", 255)];
        let mut text = format!("%0: u32 = constant 0| %1: {elem}<1x16> = oword_read #0 %0|");
        let mut lines = lines.to_owned();
        for (n, (name, number)) in constants.iter().enumerate() {
            text += &format!("%{}: i32 = constant {number}| ", 50 + 2 * n);
            text += &format!("%{}: i32<1x16> = splat %{}| ", 51 + 2 * n, 50 + 2 * n);
            lines = lines.replace(name, &format!("%{}", 51 + 2 * n));
        }
        let body = format!("{text} {lines}|").replace('|', " @0:1:1\n");
        let function =
            parse(&format!("file 0 \"k.rs\" kernel k(x: read buffer {elem}) {{ {body} }}")).unwrap();
        let numbers = Numbers::of(&function, Same::Perhaps);
        let mut found: Vec<_> =
            SwappedBytes::of(&function, &numbers, rotations).0.into_iter().map(|x| x.0).collect();
        found.sort_unstable();
        found
    }

    #[test]
    fn swapped_dwords() {
        let parts = "%2: u32<1x16> = shl.u32 %1, most| %3: u32<1x16> = and.u32 %1, second| \
                     %4: u32<1x16> = shl.u32 %3, eight| %5: u32<1x16> = shr.u32 %1, eight| \
                     %6: u32<1x16> = and.u32 %5, second| %7: u32<1x16> = shr.u32 %1, most|";
        for kind in ["or", "xor", "add"] {
            let chain = format!(
                "{parts} %8: u32<1x16> = {kind}.u32 %2, %4| %9: u32<1x16> = {kind}.u32 %8, %6| \
                 %10: u32<1x16> = {kind}.u32 %9, %7"
            );
            assert_eq!(found("u32", &chain), [4, 6, 7], "{kind}");
            let pairs = format!(
                "{parts} %8: u32<1x16> = {kind}.u32 %7, %4| %9: u32<1x16> = {kind}.u32 %2, %6| \
                 %10: u32<1x16> = {kind}.u32 %8, %9"
            );
            assert_eq!(found("u32", &pairs), [2, 4, 6], "{kind}");
        }
    }

    #[test]
    fn swapped_words_in_longer_numbers() {
        let lines = "%2: i32<1x16> = shl.i32 %1, eight| %3: i32<1x16> = shr.i32 %1, eight| \
                     %4: i32<1x16> = or.i32 %2, %3| %5: u16<1x16> = convert %4";
        assert_eq!(found("u16", lines), [3]);
        // The sign is in the low byte, too.
        assert_eq!(found("i16", lines), []);
        let masked = lines.replace("or.i32 %2, %3", "or.i32 %2, %6");
        let masked = masked.replace("%4:", "%6: i32<1x16> = and.i32 %3, low| %4:");
        assert_eq!(found("i16", &masked), [6]);
    }

    #[test]
    fn rotated_bytes() {
        let lines = "%2: i32<1x16> = shl.i32 %1, three| %3: i32<1x16> = shr.i32 %1, five| \
                     %4: i32<1x16> = or.i32 %2, %3| %5: u8<1x16> = convert %4";
        let lines = lines.replace("three", "%61").replace("five", "%63");
        let counts = "%60: i32 = constant 3| %61: i32<1x16> = splat %60| \
                      %62: i32 = constant 5| %63: i32<1x16> = splat %62| ";
        let lines = counts.to_owned() + &lines;
        assert_eq!(of_target("u8", &lines, true), [3]);
        assert_eq!(of_target("u8", &lines, false), []);
        let other = lines.replace("constant 5", "constant 4");
        assert_eq!(of_target("u8", &other, true), []);
    }

    #[test]
    fn other_sums_of_shifted_numbers() {
        let rotated = "%2: u32<1x16> = shl.u32 %1, eight| %3: u32<1x16> = shr.u32 %1, most| \
                       %4: u32<1x16> = or.u32 %2, %3";
        assert_eq!(found("u32", rotated), []);
        let repeated = "%2: u32<1x16> = and.u32 %1, low| %3: u32<1x16> = shl.u32 %2, eight| \
                        %4: u32<1x16> = or.u32 %2, %3";
        assert_eq!(found("u32", repeated), []);
        let of_two = "%2: u32<1x16> = oword_read #0 %50| %3: u32<1x16> = shl.u32 %1, most| \
                      %4: u32<1x16> = shr.u32 %2, most| %5: u32<1x16> = or.u32 %3, %4";
        assert_eq!(found("u32", of_two), []);
    }

    /// Without that, the parts of each sum would be those of both sums before it.
    #[test]
    fn parts_of_sums_count_once() {
        let parts = "%2: u32<1x16> = shl.u32 %1, most| %3: u32<1x16> = and.u32 %1, second| \
                     %4: u32<1x16> = shl.u32 %3, most|";
        let sums = (100..180).map(|n| {
            let of = if n < 102 { [2, 4] } else { [n - 1, n - 2] };
            format!("%{n}: u32<1x16> = add.u32 %{}, %{}", of[0], of[1])
        });
        let lines = parts.to_owned() + &sums.collect::<Vec<_>>().join("|");
        assert_eq!(found("u32", &lines), []);
    }
}
