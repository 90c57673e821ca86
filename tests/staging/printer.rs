//! A second backend, for the tests: it computes nothing and prints every operation that a kernel asks for.
//!
//! Kernels are written once and run here unchanged, which is what a recording backend needs of them.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::ops::Not;

use cm::dsl::backend::{Alignment, Axis, Backend, Offset, Region};
use cm::dsl::elem::{Elem, Int};
use cm::dsl::kernel::{ArgSource, Kernel};
use cm::dsl::limits::Violation;
use cm::dsl::ops::{AtomicKind, BinaryOp, UnaryOp};
use cm::dsl::stage::{Condition, Stages, Stored};

thread_local! {
    static TEXT: RefCell<(String, usize, usize)> = const { RefCell::new((String::new(), 0, 0)) };
}

/// The operations of a kernel, a line each.
pub(crate) fn print<K: Kernel>() -> String {
    TEXT.take();
    let mut args = K::bind::<Printer>(&mut Arguments(0));
    K::run::<Printer>(&mut args);
    TEXT.take().0
}

/// A line at the present depth.
fn line(text: &str) {
    TEXT.with_borrow_mut(|(all, depth, _)| writeln!(all, "{:1$}{text}", "", *depth * 2).unwrap());
}

/// An operation with a result; gives the number of the result.
fn value(text: &str) -> usize {
    let id = TEXT.with_borrow_mut(|(_, _, next)| {
        *next += 1;
        *next
    });
    line(&format!("%{id} = {text}"));
    id
}

fn deeper(by: isize) {
    TEXT.with_borrow_mut(|(_, depth, _)| *depth = depth.strict_add_signed(by));
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Printer;

/// A register: the number of its value, or of its variable.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reg {
    Value(usize),
    Variable(usize),
}

impl std::fmt::Display for Reg {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Value(id) => write!(f, "%{id}"),
            Self::Variable(id) => write!(f, "${id}"),
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Truth(Reg);

impl Not for Truth {
    type Output = Self;
    fn not(self) -> Self {
        Self(Reg::Value(value(&format!("not {}", self.0))))
    }
}

/// A place: its object, and the regions on the way to it.
pub(crate) struct Place(String);

pub(crate) struct Arms(u8);
pub(crate) struct Once(bool);

struct Arguments(usize);

impl ArgSource<Printer> for Arguments {
    fn surface(&mut self) -> usize {
        self.0 += 1;
        self.0 - 1
    }
    fn buffer(&mut self) -> usize {
        self.surface()
    }
    fn uniform<T: Elem, const R: usize, const C: usize>(&mut self) -> Reg {
        self.0 += 1;
        Reg::Value(value(&format!("argument {}: {}", self.0 - 1, ty::<T, R, C>())))
    }
}

fn ty<T: Elem, const R: usize, const C: usize>() -> String {
    match (R, C) {
        (1, 1) => T::TYPE.to_string(),
        _ => format!("{}<{R}x{C}>", T::TYPE),
    }
}

fn show(region: Region<Printer>) -> String {
    let offset = match region.offset {
        Offset::Host(at) => at.to_string(),
        Offset::Staged(at) => at.to_string(),
    };
    format!("[{offset}; {}, {}, {}]", region.row_stride, region.width, region.column_stride)
}

fn variable(init: impl std::fmt::Display) -> Reg {
    let id = TEXT.with_borrow_mut(|(_, _, next)| {
        *next += 1;
        *next
    });
    line(&format!("${id} := {init}"));
    Reg::Variable(id)
}

impl Backend for Printer {
    type Reg<T: Elem, const R: usize, const C: usize> = Reg;
    type Pending<O: BinaryOp<P>, P: Elem, T: Elem, V: Elem, const R: usize, const C: usize> = Reg;
    type Cond = Truth;
    type Place<'a> = Place;
    type Surface = usize;
    type Block<'a, T: Elem, const R: usize, const C: usize> = Reg;
    type Room = ();
    type Buffer = usize;
    type Branch = Arms;
    type Loop = Once;

    fn constant<T: Elem, const R: usize, const C: usize>(x: [[T; C]; R]) -> Reg {
        let all = x.as_flattened();
        let text = if all.iter().all(|e| *e == all[0]) { all[0].to_string() } else { format!("{all:?}") };
        Reg::Value(value(&format!("constant {text}: {}", ty::<T, R, C>())))
    }
    fn splat<T: Elem, const R: usize, const C: usize>(x: Reg) -> Reg {
        Reg::Value(value(&format!("splat {x}: {}", ty::<T, R, C>())))
    }
    fn unary<O: UnaryOp<T>, T: Elem, const R: usize, const C: usize>(x: Reg) -> Reg {
        Reg::Value(value(&format!("{:?} {x}: {}", O::KIND, ty::<O::Output, R, C>())))
    }
    fn binary<O: BinaryOp<P>, P: Elem, T: Elem, V: Elem, const R: usize, const C: usize>(
        a: Reg,
        b: Reg,
    ) -> Reg {
        let kind = format!("{:?}", O::KIND).to_lowercase();
        Reg::Value(value(&format!("{kind}.{} {a}, {b}: {}", P::TYPE, ty::<O::Output, R, C>())))
    }
    fn pending<O: BinaryOp<P>, P: Elem, T: Elem, V: Elem, const R: usize, const C: usize>(
        a: Reg,
        b: Reg,
    ) -> Reg {
        Self::binary::<O, P, T, V, R, C>(a, b)
    }
    fn convert_pending<O: BinaryOp<P>, P: Elem, T: Elem, V: Elem, U: Elem, const R: usize, const C: usize>(
        x: Reg,
    ) -> Reg {
        Self::convert::<O::Output, U, R, C>(x)
    }
    fn saturate_pending<
        O: BinaryOp<P>,
        P: Elem,
        T: Elem,
        V: Elem,
        U: Elem,
        const R: usize,
        const C: usize,
    >(
        x: Reg,
    ) -> Reg {
        Self::saturate::<O::Output, U, R, C>(x)
    }
    fn convert<T: Elem, V: Elem, const R: usize, const C: usize>(x: Reg) -> Reg {
        if T::TYPE == V::TYPE { x } else { Reg::Value(value(&format!("convert {x}: {}", ty::<V, R, C>()))) }
    }
    fn saturate<T: Elem, V: Elem, const R: usize, const C: usize>(x: Reg) -> Reg {
        Reg::Value(value(&format!("saturate {x}: {}", ty::<V, R, C>())))
    }
    fn region<T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        x: &Reg,
        region: Region<Self>,
    ) -> Reg {
        Reg::Value(value(&format!("region {x}{}: {}", show(region), ty::<T, R2, C2>())))
    }
    fn iselect<T: Elem, const R: usize, const C: usize, const N: usize>(x: &Reg, index: Reg) -> Reg {
        Reg::Value(value(&format!("iselect {x}, {index}: {}", ty::<T, 1, N>())))
    }
    fn format<T: Elem, V: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        x: &Reg,
    ) -> Reg {
        Reg::Value(value(&format!("format {x}: {}", ty::<V, R2, C2>())))
    }
    fn merge<M: Int, T: Elem, const R: usize, const C: usize>(mask: Reg, x: Reg, y: Reg) -> Reg {
        Reg::Value(value(&format!("merge {mask}, {x}, {y}: {}", ty::<T, R, C>())))
    }
    fn unpack_mask<const R: usize, const C: usize>(bits: Reg) -> Reg {
        Reg::Value(value(&format!("unpack_mask {bits}: {}", ty::<u16, R, C>())))
    }
    fn any<T: Elem, const R: usize, const C: usize>(x: Reg) -> Truth {
        Truth(Reg::Value(value(&format!("any {x}"))))
    }
    fn all<T: Elem, const R: usize, const C: usize>(x: Reg) -> Truth {
        Truth(Reg::Value(value(&format!("all {x}"))))
    }
    fn undefined<T: Elem, const R: usize, const C: usize>() -> Reg {
        variable("undefined")
    }
    fn variable<T: Elem, const R: usize, const C: usize>(init: Reg) -> Reg {
        variable(init)
    }
    fn load<T: Elem, const R: usize, const C: usize>(x: &Reg) -> Reg {
        match x {
            Reg::Value(_) => *x,
            Reg::Variable(_) => Reg::Value(value(&format!("load {x}"))),
        }
    }
    fn store<T: Elem, const R: usize, const C: usize>(x: &mut Reg, value: Reg) {
        line(&format!("{x} = {value}"));
    }
    fn place<T: Elem, const R: usize, const C: usize>(x: &mut Reg) -> Place {
        Place(x.to_string())
    }
    fn narrow<'a, T: Elem>(place: Self::Place<'a>, columns: usize, region: Region<Self>) -> Self::Place<'a> {
        Place(format!("{}/{columns}{}", place.0, show(region)))
    }
    fn format_place<'a, T: Elem>(place: Self::Place<'a>, columns: usize) -> Self::Place<'a> {
        Place(format!("{} as {}/{columns}", place.0, T::TYPE))
    }
    fn load_place<T: Elem, const R: usize, const C: usize>(place: &Place) -> Reg {
        Reg::Value(value(&format!("load {}: {}", place.0, ty::<T, R, C>())))
    }
    fn store_place<T: Elem, const R: usize, const C: usize>(place: &mut Place, value: Reg) {
        line(&format!("{} = {value}", place.0));
    }
    fn branch(condition: Truth) -> Arms {
        line(&format!("if {}", condition.0));
        Arms(0)
    }
    fn arm(branch: &mut Arms) -> Option<bool> {
        branch.0 += 1;
        match branch.0 {
            1 => deeper(1),
            2 => {
                deeper(-1);
                line("else");
                deeper(1);
            }
            _ => {
                deeper(-1);
                return None;
            }
        }
        Some(branch.0 == 1)
    }
    fn begin_loop() -> Once {
        line("loop");
        deeper(1);
        Once(true)
    }
    fn enter_loop(state: &mut Once) -> bool {
        let first = std::mem::take(&mut state.0);
        if !first {
            deeper(-1);
        }
        first
    }
    fn test_loop(_: &mut Once, condition: Truth) -> bool {
        line(&format!("while {}", condition.0));
        true
    }
    fn depth() -> usize {
        TEXT.with_borrow(|(_, depth, _)| *depth)
    }
    fn thread_origin(axis: Axis) -> Reg {
        Reg::Value(value(&format!("thread {axis:?}")))
    }
    fn media_read<T: Elem, const R: usize, const C: usize>(surface: &usize, x: Reg, y: Reg) -> Reg {
        Reg::Value(value(&format!("read #{surface} {x}, {y}: {}", ty::<T, R, C>())))
    }
    fn room() {}
    fn media_block<'a, T: Elem, const R: usize, const C: usize>(
        surface: &'a usize,
        x: Reg,
        y: Reg,
        (): &'a mut (),
    ) -> Reg {
        Self::media_read::<T, R, C>(surface, x, y)
    }
    fn block_row<T: Elem, const R: usize, const C: usize>(block: &Reg, row: Region<Self>) -> Reg {
        Self::region::<T, R, C, 1, C>(block, row)
    }
    fn block_region<T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        block: &Reg,
        at: Region<Self>,
    ) -> Reg {
        Self::region::<T, R, C, R2, C2>(block, at)
    }
    fn media_write<T: Elem, const R: usize, const C: usize>(surface: &mut usize, x: Reg, y: Reg, block: Reg) {
        line(&format!("write #{surface} {x}, {y}, {block}: {}", ty::<T, R, C>()));
    }
    fn oword_read<T: Elem, const N: usize>(buffer: &usize, alignment: Alignment, offset: Reg) -> Reg {
        Reg::Value(value(&format!("oword read {alignment:?} #{buffer} {offset}: {}", ty::<T, 1, N>())))
    }
    fn oword_write<T: Elem, const R: usize, const C: usize>(buffer: &mut usize, offset: Reg, block: Reg) {
        line(&format!("oword write #{buffer} {offset}, {block}: {}", ty::<T, R, C>()));
    }
    fn gather<T: Elem, const N: usize>(buffer: &usize, elements: Reg) -> Reg {
        Reg::Value(value(&format!("gather #{buffer} {elements}: {}", ty::<T, 1, N>())))
    }
    fn scatter<T: Elem, const N: usize>(buffer: &mut usize, elements: Reg, values: Reg) {
        line(&format!("scatter #{buffer} {elements}, {values}: {}", ty::<T, 1, N>()));
    }
    fn atomic<T: Int, const N: usize>(
        buffer: &mut usize,
        kind: AtomicKind,
        elements: Reg,
        _: [Option<Reg>; 2],
    ) -> Reg {
        Reg::Value(value(&format!("atomic {kind:?} #{buffer} {elements}: {}", ty::<T, 1, N>())))
    }
    #[track_caller]
    fn violation(violation: Violation) {
        panic!("{violation}");
    }
}

impl Stages<Printer> for Truth {
    type Var = Self;
    fn stage(self) -> Self {
        self
    }
}

impl Stored<Printer> for Truth {
    type Name = bool;
    fn declare(self) -> Self {
        Self(variable(self.0))
    }
    fn undefined() -> Self {
        Self(variable("undefined"))
    }
    fn load(&self) -> Self {
        Self(Reg::Value(value(&format!("load {}", self.0))))
    }
    fn put(&mut self, value: Self) {
        line(&format!("{} = {}", self.0, value.0));
    }
}

impl Condition<Printer> for Truth {
    type Both<C: Condition<Printer>> = Self;
    type Branch = Arms;
    type Loop = Once;

    fn known(known: bool) -> Self {
        Self(Reg::Value(value(&format!("constant {known}"))))
    }
    fn into_cond(self) -> Self {
        self
    }
    fn and<C: Condition<Printer>>(self, other: impl FnOnce() -> C) -> Self {
        let other = other().into_cond();
        Self(Reg::Value(value(&format!("and {}, {}", self.0, other.0))))
    }
    fn or<C: Condition<Printer>>(self, other: impl FnOnce() -> C) -> Self {
        let other = other().into_cond();
        Self(Reg::Value(value(&format!("or {}, {}", self.0, other.0))))
    }
    fn branch(self) -> Arms {
        Printer::branch(self)
    }
    fn arm(branch: &mut Arms) -> Option<bool> {
        Printer::arm(branch)
    }
    fn begin_loop() -> Once {
        Printer::begin_loop()
    }
    fn enter_loop(state: &mut Once) -> bool {
        Printer::enter_loop(state)
    }
    fn test_loop(self, state: &mut Once) -> bool {
        Printer::test_loop(state, self)
    }
}
