//! Channels of pixels that are far from each other and treated alike.
//!
//! The columns of an operand are one, two or four elements apart. Of every second pixel of four channels, an instruction would
//! take only a few elements, and once for each channel. If the same is done with channels that are neighbours, the operands
//! are rows of neighbours instead: an instruction takes all these channels of several pixels, and the results are already next
//! to each other. These must be all channels of the result, because the compiler has faults where bytes of such results are
//! inserted between others.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::elem::ElemType;
use crate::ir::{Bits, Block, Function, Inst, Op, Operands, Region, Type, Value};
use crate::limits::{self, DWORD};
use crate::ops::MapKind;

use super::expand::{Expansion, expanded, has_room};
use super::unused::without_unused;
use crate::spirv::facts::defs::Defs;

/// The most channels that are computed at once.
const CHANNELS: usize = 4;

/// The bytes from one pixel to the next from which an instruction takes only a few elements of a channel.
const FAR: usize = 4 * DWORD;

/// The most operations and regions that make a channel.
const MOST: usize = 64;

/// The kernel in which such channels are computed at once; `None` if there are none, or if registers might become scarce.
pub(crate) fn joined(function: &Function, budget: usize) -> Option<Function> {
    let defs = Defs::of(function);
    let mut groups = FxHashMap::default();
    find(&function.body, &defs, &mut groups);
    if groups.is_empty() {
        return None;
    }
    let inner = groups.values().flat_map(|group: &Group| &group.results[..group.results.len() - 1]);
    let replaced: FxHashSet<Value> = inner.copied().collect();
    let body = expanded(function, |inst, insts| {
        let Some(result) = inst.result else { return false };
        let Some(group) = groups.get(&result) else { return replaced.contains(&result) };
        let mut made = Made { group, defs: &defs, insts, values: FxHashMap::default() };
        made.insert(inst.ty, result).is_some()
    })?;
    let joined = Function { body: without_unused(body, &defs), ..function.clone() };
    has_room(function, &joined, budget).then_some(joined)
}

/// The same value of each channel.
type Alike = Vec<Value>;

/// How a value of all channels is made.
enum Plan {
    /// It is the same for all elements.
    Equal(Op),
    /// A number for each channel.
    Numbers(Vec<Number>),
    /// By the operation that makes the first channel.
    Map(MapKind, ElemType, bool, Vec<Alike>),
    /// As these elements of a register.
    Region(Value, Region),
    /// It has the elements of another one.
    Format(Alike),
}

/// A number that all elements of a channel are.
#[derive(Clone, Copy, PartialEq)]
enum Number {
    Bits(u64),
    Scalar(Value),
}

/// Channels that are inserted next to each other, one after the other.
struct Group {
    base: Value,
    /// The results of the insertions.
    results: Vec<Value>,
    /// Where the first one is inserted.
    to: Region,
    parts: Alike,
    /// The elements of a channel.
    count: usize,
    plans: FxHashMap<Alike, Plan>,
}

/// Insertions in the same register, each one next to the place of the one before.
struct Run {
    base: Value,
    to: Region,
    ty: Type,
    results: Vec<Value>,
    parts: Alike,
}

/// Finds the groups of a block, by the result of the last insertion.
fn find(block: &Block, defs: &Defs<'_>, groups: &mut FxHashMap<Value, Group>) {
    let own: FxHashSet<Value> = block.insts.iter().filter_map(|inst| inst.result).collect();
    let mut runs: Vec<Run> = vec![];
    let mut last: FxHashMap<Value, usize> = FxHashMap::default();
    for inst in &block.insts {
        inst.op.blocks().for_each(|inner| find(inner, defs, groups));
        let (Op::Insert(base, to, part), Some(result)) = (&inst.op, inst.result) else { continue };
        let Some(ty) = defs.get(*part).map(|part| part.ty).filter(|_| to.dynamic.is_none()) else { continue };
        let next = last.remove(base).filter(|run| {
            let run = &runs[*run];
            let place = Region { offset: run.to.offset + run.parts.len(), ..run.to };
            run.parts.len() < CHANNELS && run.ty == ty && *to == place && defs.user(*base).is_some()
        });
        let run = next.unwrap_or_else(|| {
            runs.push(Run { base: *base, to: *to, ty, results: vec![], parts: vec![] });
            runs.len() - 1
        });
        runs[run].results.push(result);
        runs[run].parts.push(*part);
        last.insert(result, run);
    }
    for run in runs {
        if let (2.., Some(result)) = (run.parts.len(), run.results.last().copied())
            && let Some(group) = Group::of(run, &own, defs)
        {
            groups.insert(result, group);
        }
    }
}

impl Group {
    /// The group of these insertions, if all channels are made in the same way, and of elements that are far from each other.
    fn of(
        Run { base, to, ty, results, parts }: Run,
        own: &FxHashSet<Value>,
        defs: &Defs<'_>,
    ) -> Option<Self> {
        let count = ty.count();
        let mut group = Self { base, results, to, parts: parts.clone(), count, plans: FxHashMap::default() };
        if count < 2 || !group.width().is_power_of_two() || group.place().is_none() {
            return None;
        }
        let (mut left, mut is_far) = (vec![parts], false);
        while let Some(alike) = left.pop() {
            if group.plans.contains_key(&alike) {
                continue;
            }
            let plan = group.plan(&alike, own, defs).filter(|_| group.plans.len() < MOST)?;
            match &plan {
                Plan::Map(.., operands) => left.extend(operands.iter().cloned()),
                Plan::Format(of) => left.push(of.clone()),
                Plan::Region(_, region) => {
                    let bytes = defs.get(alike[0])?.ty.elem()?.bytes();
                    is_far |= region.column_stride <= 1
                        && (region.row_stride > CHANNELS || region.row_stride * bytes >= FAR);
                }
                Plan::Equal(_) | Plan::Numbers(_) => {}
            }
            group.plans.insert(alike, plan);
        }
        (is_far && group.is_only_user(defs)).then_some(group)
    }

    /// The channels of a pixel.
    fn width(&self) -> usize {
        self.parts.len()
    }

    /// Where the channels are inserted: next to each other.
    fn place(&self) -> Option<Region> {
        self.channels(self.to, 1).filter(|to| to.is_contiguous(self.count * self.width()))
    }

    /// How these values are made. `own`: the values of the block.
    fn plan(&self, alike: &Alike, own: &FxHashSet<Value>, defs: &Defs<'_>) -> Option<Plan> {
        let insts: Vec<&Inst> = alike.iter().map(|x| defs.get(*x)).collect::<Option<_>>()?;
        let first = insts[0];
        let is_alike = |inst: &&Inst| {
            let ty = inst.ty;
            ty.count() == self.count && ty.elem() == first.ty.elem() && inst.op.blocks().next().is_none()
        };
        let bytes = first.ty.elem()?.bytes();
        let fits = limits::value(self.count * self.width() * bytes).is_ok();
        if bytes > DWORD || !fits || !insts.iter().all(is_alike) {
            return None;
        }
        match &first.op {
            Op::Constant(Bits::Splat(_)) | Op::Splat(_) => {
                let number = |inst: &&Inst| match inst.op {
                    Op::Constant(Bits::Splat(bits)) => Some(Number::Bits(bits)),
                    Op::Splat(x) => Some(match defs.get(x)?.op {
                        Op::Constant(Bits::Splat(bits)) => Number::Bits(bits),
                        _ => Number::Scalar(x),
                    }),
                    _ => None,
                };
                let numbers: Vec<Number> = insts.iter().map(number).collect::<Option<_>>()?;
                let equal = numbers.iter().all(|number| *number == numbers[0]);
                Some(if equal { Plan::Equal(first.op.clone()) } else { Plan::Numbers(numbers) })
            }
            Op::Region(x, region) => {
                let distance = match &insts.get(1)?.op {
                    Op::Region(_, next) => next.offset.checked_sub(region.offset).filter(|n| *n <= 1)?,
                    _ => return None,
                };
                let is_next = |(n, inst): (usize, &&Inst)| {
                    let place = Region { offset: region.offset + n * distance, ..*region };
                    matches!(&inst.op, Op::Region(y, own) if y == x && *own == place)
                };
                let joined = self.channels(*region, distance)?;
                insts.iter().enumerate().all(is_next).then_some(Plan::Region(*x, joined))
            }
            // What is the same for all channels is not computed for each.
            _ if alike.iter().all(|x| *x == alike[0]) => {
                Some(Plan::Region(alike[0], self.channels(Region::contiguous(0, self.count), 0)?))
            }
            // Elements that are split would be next to each other, and not those of one channel.
            Op::Format(of) if defs.get(*of)?.ty.elem()?.bytes() == bytes => {
                let of = insts.iter().map(|inst| match inst.op {
                    Op::Format(of) => Some(of),
                    _ => None,
                });
                Some(Plan::Format(of.collect::<Option<_>>()?))
            }
            Op::Map { kind, common, saturate, operands } if alike.iter().all(|x| own.contains(x)) => {
                let alike = |inst: &&Inst| match &inst.op {
                    Op::Map { kind: other, common: elem, saturate: limited, operands } => {
                        ((other, elem, limited) == (kind, common, saturate)).then_some(*operands)
                    }
                    _ => None,
                };
                let each: Vec<Operands> = insts.iter().map(alike).collect::<Option<_>>()?;
                let operands = (0..operands.len()).map(|n| each.iter().map(|operands| operands[n]).collect());
                Some(Plan::Map(*kind, *common, *saturate, operands.collect()))
            }
            _ => None,
        }
    }

    /// The elements of all channels of a region of one of them. From one channel to the next one it is `distance` elements.
    fn channels(&self, region: Region, distance: usize) -> Option<Region> {
        let Region { row_stride, width, column_stride: step, .. } = region;
        let evenly = self.count <= width || width > 1 && row_stride == width * step;
        // Columns of one element are rows.
        let step = if width == 1 { row_stride } else { step };
        let apart = distance == 0 || step >= self.width();
        let one = width == 1 && self.count > 1;
        let joined = Region { row_stride: step, width: self.width(), column_stride: distance, ..region };
        (region.dynamic.is_none() && (evenly || one) && apart).then_some(joined)
    }

    /// Whether nothing else uses what is computed.
    fn is_only_user(&self, defs: &Defs<'_>) -> bool {
        let made = self.plans.iter().filter(|(_, plan)| matches!(plan, Plan::Map(..) | Plan::Format(_)));
        let own: FxHashSet<Value> = made.flat_map(|(alike, _)| alike.iter().copied()).collect();
        let inside: FxHashSet<Value> = own.iter().chain(&self.results).copied().collect();
        let is_inside = |user: &&Inst| user.result.is_some_and(|result| inside.contains(&result));
        own.iter().all(|x| defs.users(*x).iter().all(&is_inside))
    }
}

/// Makes the channels of a group.
struct Made<'a> {
    group: &'a Group,
    defs: &'a Defs<'a>,
    insts: &'a mut Expansion,
    values: FxHashMap<&'a Alike, Value>,
}

impl<'a> Made<'a> {
    /// The register with the channels.
    fn insert(&mut self, ty: Type, result: Value) -> Option<()> {
        let group = self.group;
        let (to, all) = (group.place()?, self.value(&group.parts)?);
        self.insts.push(Op::Insert(group.base, to, all), Some(result), ty);
        Some(())
    }

    /// A value of all channels. There are few plans, so that this is not deep.
    fn value(&mut self, alike: &'a Alike) -> Option<Value> {
        if let Some(value) = self.values.get(alike) {
            return Some(*value);
        }
        let own = self.defs.get(alike[0])?.ty;
        let ty = Type { columns: own.columns * self.group.width(), ..own };
        let value = match self.group.plans.get(alike)? {
            Plan::Equal(op) => self.insts.emit(op.clone(), ty),
            Plan::Numbers(numbers) => self.numbers(numbers, ty),
            Plan::Region(x, region) => self.insts.emit(Op::Region(*x, *region), ty),
            Plan::Format(of) => {
                let of = self.value(of)?;
                self.insts.emit(Op::Format(of), ty)
            }
            Plan::Map(kind, common, saturate, operands) => {
                let operands: Vec<Value> = operands.iter().map(|x| self.value(x)).collect::<Option<_>>()?;
                let operands = Operands::new(&operands);
                let (kind, common, saturate) = (*kind, *common, *saturate);
                self.insts.emit(Op::Map { kind, common, saturate, operands }, ty)
            }
        };
        self.values.insert(alike, value);
        Some(value)
    }

    /// The numbers of the channels, again for each pixel.
    fn numbers(&mut self, numbers: &[Number], ty: Type) -> Value {
        let all = Region::contiguous(0, numbers.len());
        let (of, place) = match self.neighbours(numbers, ty) {
            Some((of, place)) if place.column_stride == 1 => (of, place),
            // The compiler computes the elements of one pixel at a time if the numbers are not next to each other. It would
            // take them from where they are again, if they were all of a register.
            Some((of, place)) => {
                let few = Type { rows: 1, columns: numbers.len(), ..ty };
                let (part, longer) =
                    (self.insts.emit(Op::Region(of, place), few), Type { columns: 2 * few.columns, ..few });
                let any = self.insts.undefined(longer);
                (self.insts.emit(Op::Insert(any, all, part), longer), all)
            }
            None => (self.collected(numbers, ty), all),
        };
        self.insts.emit(Op::Region(of, Region { row_stride: 0, ..place }), ty)
    }

    /// A register of these numbers.
    fn collected(&mut self, numbers: &[Number], ty: Type) -> Value {
        let few = Type { rows: 1, columns: numbers.len(), ..ty };
        let bits = numbers.iter().map(|number| match number {
            Number::Bits(bits) => Some(*bits),
            Number::Scalar(_) => None,
        });
        if let Some(bits) = bits.collect() {
            return self.insts.emit(Op::Constant(Bits::Each(bits)), few);
        }
        let any = self.insts.undefined(few);
        numbers.iter().enumerate().fold(any, |all, (n, number)| {
            let part = match *number {
                Number::Bits(bits) => self.insts.constant(bits, Type { columns: 1, ..few }),
                Number::Scalar(x) => x,
            };
            self.insts.emit(Op::Insert(all, Region::contiguous(n, 1), part), few)
        })
    }

    /// Where the numbers are in a register, if they are in order there.
    fn neighbours(&self, numbers: &[Number], ty: Type) -> Option<(Value, Region)> {
        let place = |number: &Number| match *number {
            Number::Scalar(x) => match self.defs.get(x)?.op {
                Op::Region(of, region) if region.dynamic.is_none() => Some((of, region.offset)),
                _ => None,
            },
            Number::Bits(_) => None,
        };
        let places: Vec<(Value, usize)> = numbers.iter().map(place).collect::<Option<_>>()?;
        let (of, first) = places[0];
        let step = places[1].1.checked_sub(first).filter(|step| (1..=CHANNELS).contains(step))?;
        let in_order = places.iter().enumerate().all(|(n, place)| *place == (of, first + n * step));
        let alike = self.defs.get(of)?.ty.elem() == ty.elem();
        let place = Region { column_stride: step, ..Region::contiguous(first, numbers.len()) };
        (in_order && alike).then_some((of, place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spirv::alike::{assert_alike, kernel};

    /// The lines that make each of some channels, of a register `%1` of eight pixels of four channels, `%2` of the same ones as
    /// words, and `%3` of eight other numbers. In a line, `C` is the channel, and `%c1`, `%c2`, .. are its own values, of which
    /// `%c9` is inserted.
    fn channels(count: usize, lines: &str) -> String {
        let mut text = String::from(
            "%0: i32 = constant 3; %1: u8<2x32> = read #0 %0, %0; %2: u16<2x32> = convert %1; %4: i32 = constant 9;
             %3: u8<1x8> = read #0 %4, %0; %10: u8<1x32> = constant 77; ",
        );
        for channel in 0..count {
            let first = 10 * (channel + 2);
            let own = (1..10)
                .fold(lines.to_owned(), |own, n| own.replace(&format!("%c{n}"), &format!("%{}", first + n)));
            text += &own.replace("C+4", &(channel + 4).to_string()).replace('C', &channel.to_string());
            text += &format!(
                " %{}: u8<1x32> = insert %{}[{channel}| {}, 8, {count}], %{}; ",
                first,
                first - 10,
                8 * count,
                first + 9
            );
        }
        text + &format!("write #1 %0, %0, %{}: u8<1x32>;\n", 10 * (count + 1))
    }

    /// The elements of the operations after this pass; `None` if it changes nothing.
    fn elements(text: &str) -> Option<Vec<usize>> {
        let function = kernel(text);
        let joined = joined(&function, 4096)?;
        assert_alike(&function, &joined);
        let maps = joined.body.instructions().filter(|inst| matches!(inst.op, Op::Map { .. }));
        Some(maps.map(|inst| inst.ty.count()).collect())
    }

    const HALVED: &str = "%c1: u16<1x8> = region %2[C| 64, 8, 8]; %c2: u16<1x8> = region %2[C+4| 64, 8, 8];
        %c3: i32<1x8> = add.i32 %c1, %c2; %c6: i32 = constant 1; %c4: i32<1x8> = splat %c6; %c5: i32<1x8> = shr.i32 %c3, %c4; %c9: u8<1x8> = convert %c5;";

    #[test]
    fn channels_of_every_second_pixel_are_made_at_once() {
        // The first operation makes the words.
        assert_eq!(elements(&channels(4, HALVED)), Some(vec![64, 32, 32, 32]));
        assert_eq!(elements(&channels(3, HALVED)), None);
        assert_eq!(elements(&channels(2, HALVED)), Some(vec![64, 16, 16, 16]));
    }

    #[test]
    fn what_all_channels_share_is_repeated() {
        let shared = "%c1: u8<1x8> = region %1[C| 64, 8, 8]; %c2: u8<1x8> = region %1[7| 8, 1, 1];
            %c3: i32<1x8> = mul.i32 %c1, %c2; %c4: i32<1x8> = sub.i32 %c3, %3; %c9: u8<1x8> = saturate %c4;";
        assert_eq!(elements(&channels(4, shared)), Some(vec![64, 32, 32, 32]));
    }

    /// A matrix times vectors of four dwords: each channel has other factors.
    #[test]
    fn channels_with_other_numbers() {
        let product = |number: &str| {
            let mut text = String::from(
                "%0: i32 = constant 3; %1: u32<2x8> = read #0 %0, %0; %2: u32 = constant 5; %3: u32<1x16> = constant 77; ",
            );
            for channel in 0..4 {
                let first = 10 * (channel + 1);
                let own = |n: u32| format!("%{}", first + n);
                let before = if channel == 0 { own(0).replace("10", "3") } else { format!("%{}", first - 1) };
                let number = number.replace("%n", &own(1)).replace('C', &channel.to_string());
                text += &format!(
                    "{number} {}: u32<1x4> = splat {}; {}: u32<1x4> = region %1[2| 16, 4, 4]; {}: u32<1x4> = mul.u32 {}, {};
                     {}: u32<1x16> = insert {before}[{channel}| 16, 4, 4], {}; ",
                    own(2), own(1), own(3), own(4), own(3), own(2), own(9), own(4)
                );
            }
            text + "%60: u32<2x8> = format %49; write #1 %0, %0, %60: u32<2x8>;\n"
        };
        for number in
            ["%n: u32 = constant C;", "%n: u32 = region %1[C| 1, 1, 1];", "%n: u32 = region %1[1C| 1, 1, 1];"]
        {
            assert_eq!(elements(&product(number)), Some(vec![16]), "{number}");
        }
        let strided = product("%n: u32 = region %1[C| 1, 1, 1];");
        let strided = (1..4).rev().fold(strided, |text, n| {
            text.replace(&format!("%1[{n}| 1, 1, 1]"), &format!("%1[{}| 1, 1, 1]", 4 * n))
        });
        assert_eq!(elements(&strided), Some(vec![16]));
        let computed = "%n: u32 = region %1[C| 1, 1, 1]; ".to_owned() + "%nC: u32 = add.u32 %2, %2;";
        assert_eq!(elements(&product(&computed.replace("%nC", "%7C"))), Some(vec![1, 1, 1, 1, 16]));
    }

    #[test]
    fn formats_and_masks_are_those_of_all_channels() {
        let lines =
            "%c1: u8<1x8> = region %1[C| 8, 1, 1]; %c2: i8<1x8> = format %c1; %c3: u16<1x8> = lt.i8 %c2, %3;
            %c9: u8<1x8> = merge %c3, %3, %c1;";
        assert_eq!(elements(&channels(4, lines)), Some(vec![64, 32, 32]));
    }

    #[test]
    fn elements_that_are_split_stay() {
        let lines = "%c1: u8<1x8> = region %1[C| 8, 1, 1]; %c2: u16<1x8> = convert %c1; %c3: u8<1x8> = format %c2; %c9: u8<1x8> = add.u8 %c3, %c1;";
        assert_eq!(elements(&channels(4, lines)), None);
    }

    #[test]
    fn other_channels_stay() {
        assert_eq!(elements(&channels(1, HALVED)), None);
        assert_eq!(elements(&channels(4, &HALVED.replace("8, 8]", "8, 4]"))), None, "columns of an operand");
        assert_eq!(elements(&channels(4, &HALVED.replace("%2[C| ", "%2[0| "))), Some(vec![64, 32, 32, 32]));
        assert_eq!(
            elements(&channels(4, &HALVED.replace("constant 1", "constant C"))),
            Some(vec![64, 32, 32, 32]),
            "other numbers"
        );
        let others = "%c1: u8<1x8> = region %1[C| 64, 8, 8]; %c9: u8<1x8> = add.u8 %c1, %3;
            write #1 %4, %4, %c9: u8<1x8>;";
        assert_eq!(elements(&channels(4, others)), None, "used by others");
        let end = "%c1: u16<1x8> = region %2[C+4| 64, 8, 8]; %c9: u8<1x8> = convert %c1;";
        assert_eq!(elements(&channels(4, end)), Some(vec![64, 32]));
        let between =
            channels(4, HALVED).replace("u8<1x32>", "u8<1x64>").replace("| 32, 8, 4], %", "| 64, 8, 8], %");
        assert_eq!(elements(&between), None, "other elements are between the results");
    }

    #[test]
    fn long_chains_take_linear_time() {
        let mut text =
            String::from("%0: i32 = constant 3; %1: u8<2x32> = read #0 %0, %0; %2: u8<1x32> = constant 7; ");
        let (mut next, mut whole) = (3, 2);
        for n in 0..4000 {
            let channel = n % 4;
            text += &format!(
                "%{next}: u8<1x8> = region %1[{channel}| 64, 8, 8]; %{}: u8<1x8> = add.u8 %{next}, %{next};
                 %{}: u8<1x32> = insert %{whole}[{channel}| 32, 8, 4], %{}; ",
                next + 1,
                next + 2,
                next + 1
            );
            (whole, next) = (next + 2, next + 3);
        }
        let function = kernel(&format!("{text} write #1 %0, %0, %{whole}: u8<1x32>;\n"));
        let joined = joined(&function, 4096).unwrap();
        let maps = joined.body.instructions().filter(|inst| matches!(inst.op, Op::Map { .. }));
        assert_eq!(maps.count(), 1000);
    }
}
