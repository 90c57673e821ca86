//! Executes programs on any backend.

use std::ops::ControlFlow;

use cm::compiler::ops::MapKind;
use cm::dsl::backend::{Backend, Condition, Stored};
use cm::dsl::operators::{Compare, left};
use cm::dsl::ops;
use cm::dsl::stage::{branch, is, while_loop};
use cm::dsl::surface::Surface;
use cm::prelude::*;

use super::operations::{Computes, M};
use super::program::{FLOATS, Leaving, Name, Program, Step, UNSIGNED};

/// The variables.
pub(crate) struct Variables<B: Backend> {
    bytes: [M<u8, B>; 2],
    words: [M<i16, B>; 2],
    unsigned: [M<u32, B>; 2],
    signed: [M<i32, B>; 2],
    floats: [M<f32, B>; 2],
}

/// Calls `$body` with the variable that `$name` names.
macro_rules! of {
    ($variables:expr, $name:expr, |$x:ident| $body:expr) => {{
        let (ty, which) = $name;
        match ty {
            0 => {
                let $x = &mut $variables.bytes[which];
                $body
            }
            1 => {
                let $x = &mut $variables.words[which];
                $body
            }
            2 => {
                let $x = &mut $variables.unsigned[which];
                $body
            }
            3 => {
                let $x = &mut $variables.signed[which];
                $body
            }
            _ => {
                let $x = &mut $variables.floats[which];
                $body
            }
        }
    }};
}

/// The value of a variable.
macro_rules! value {
    ($variables:expr, $name:expr, |$x:ident| $body:expr) => {
        of!($variables, $name, |x| {
            let $x = Stored::<B>::load(x);
            $body
        })
    };
}

/// Reads the input, runs the program, and writes all variables.
pub(crate) fn run<B: Backend>(program: &Program, input: &Surface<B>, output: &mut Surface<B>) {
    let block = |row: i32| input.read::<u8, 4, 16>(0, row);
    let wide = |row: i32| input.read::<u32, 4, 16>(0, row);
    let float = |row: i32| (input.read::<i16, 4, 16>(0, row) * 0.375f32).convert::<f32>();
    let mut variables = Variables {
        bytes: [block(0), block(4)].map(Stored::<B>::declare),
        words: [input.read::<i16, 4, 16>(0, 8), input.read::<i16, 4, 16>(0, 12)].map(Stored::<B>::declare),
        unsigned: [wide(16), wide(20)].map(Stored::<B>::declare),
        signed: [wide(24).convert::<i32>(), block(28).convert::<i32>()].map(Stored::<B>::declare),
        floats: [float(32), float(36)].map(Stored::<B>::declare),
    };
    let function = B::open_scope();
    let _ = steps(program, &mut variables, &mut Around { scopes: 1, function, loops: vec![] });
    B::close_scope(function);
    for which in 0..2 {
        let row = which as i32 * 20;
        output.write(0, row, &variables.bytes[which]);
        output.write(0, row + 4, &variables.words[which]);
        output.write(0, row + 8, &variables.unsigned[which]);
        output.write(0, row + 12, &variables.signed[which]);
        output.write(0, row + 16, &variables.floats[which]);
    }
}

/// The scopes that can be left: the program, and the enclosing loops with their iterations. Scopes have
/// separate numbers in this module, because the scopes of the CPU backend have no identity.
struct Around {
    scopes: usize,
    function: u32,
    loops: Vec<[(usize, u32); 2]>,
}

impl Around {
    /// The scope that a step leaves; `None` if there is none.
    fn scope(&self, how: Leaving) -> Option<(usize, u32)> {
        let of = |out: usize, which: usize| {
            let at = self.loops.len().checked_sub(1 + out)?;
            Some(self.loops[at][which])
        };
        match how {
            Leaving::Return => Some((0, self.function)),
            Leaving::Break(out) => of(out, 0),
            Leaving::Continue(out) => of(out, 1),
        }
    }

    fn number(&mut self) -> usize {
        self.scopes += 1;
        self.scopes - 1
    }
}

/// The scope that is left immediately.
type Left = ControlFlow<usize>;

fn steps<B: Backend>(program: &Program, variables: &mut Variables<B>, around: &mut Around) -> Left {
    program.iter().try_for_each(|step| run_step(step, variables, around))
}

/// Runs the body of a loop. Continues with the next iteration, or leaves.
fn round<B: Backend>(
    body: &Program,
    variables: &mut Variables<B>,
    around: &mut Around,
    exit: (usize, u32),
) -> Left {
    let round = (around.number(), B::open_scope());
    around.loops.push([exit, round]);
    let left = steps(body, variables, around);
    around.loops.pop();
    match left {
        ControlFlow::Break(scope) if scope != round.0 => return left,
        _ => B::close_scope(round.1),
    }
    ControlFlow::Continue(())
}

/// Continues after a loop.
fn behind<B: Backend>(exit: (usize, u32), left: Left) -> Left {
    match left {
        ControlFlow::Break(scope) if scope != exit.0 => return left,
        _ => B::close_scope(exit.1),
    }
    ControlFlow::Continue(())
}

fn leave<B: Backend>((number, scope): (usize, u32)) -> Left {
    if B::leave_scope(scope) { ControlFlow::Break(number) } else { ControlFlow::Continue(()) }
}

/// Runs `$body` with two variables as `i32`, `u32` or `f32`, depending on the type of the first one.
/// Promotion is tested elsewhere.
macro_rules! computed {
    ($variables:expr, $a:expr, $b:expr, |$x:ident, $y:ident| $body:expr) => {
        match $a.0 {
            UNSIGNED => computed!(@as u32, $variables, $a, $b, |$x, $y| $body),
            FLOATS => computed!(@as f32, $variables, $a, $b, |$x, $y| $body),
            _ => computed!(@as i32, $variables, $a, $b, |$x, $y| $body),
        }
    };
    (@as $t:ident, $variables:expr, $a:expr, $b:expr, |$x:ident, $y:ident| $body:expr) => {{
        let $x = value!($variables, $a, |x| x.convert::<$t>());
        let $y = value!($variables, $b, |x| x.convert::<$t>());
        $body
    }};
}

fn compared<B: Backend>(kind: MapKind, variables: &mut Variables<B>, a: Name, b: Name) -> M<u16, B> {
    computed!(variables, a, b, |x, y| Computes::binary(kind, x, y))
}

/// An operation with a number in every element, on the right or on the left.
fn with_number<P: Computes, B: Backend>(kind: MapKind, x: M<P, B>, number: i32, left: bool) -> M<P, B> {
    let number = M::<P, B>::splat_any(Scalar::<P, B>::constant(P::cast_from(number)));
    if left { P::binary(kind, number, x) } else { P::binary(kind, x, number) }
}

/// The result in the type of the computation.
fn binary<P: Computes, B: Backend>(kind: MapKind, x: M<P, B>, y: M<P, B>) -> M<P, B> {
    P::binary(kind, x, y)
}

fn run_step<B: Backend>(step: &Step, variables: &mut Variables<B>, around: &mut Around) -> Left {
    match step {
        Step::Unary { kind, a, to } => computed!(variables, *a, *a, |x, _y| {
            let result = Computes::unary(*kind, x);
            of!(variables, *to, |x| x.assign(result));
        }),
        Step::Binary { kind, a, b, to } => computed!(variables, *a, *b, |x, y| {
            let result = binary(*kind, x, y);
            of!(variables, *to, |x| x.assign(result));
        }),
        Step::Number { kind, a, number, left } => computed!(variables, *a, *a, |x, _y| {
            let result = with_number(*kind, x, *number, *left);
            of!(variables, *a, |x| x.assign(result));
        }),
        Step::Group { kind, a, b, to } => computed!(variables, *a, *b, |x, y| {
            let result = Computes::group(*kind, x, y);
            of!(variables, *to, |x| x.assign(result));
        }),
        Step::Reduce { kind, a, to } => computed!(variables, *a, *a, |x, _y| {
            let result = Computes::reduce(*kind, x);
            of!(variables, *to, |x| {
                let mut element = x.get_mut(1, 5);
                element += result;
            });
        }),
        Step::Convert { a, to } => value!(variables, *a, |x| of!(variables, *to, |to| to.assign(x))),
        Step::Saturate { a, to } => {
            let bytes = value!(variables, *a, |x| x.saturate::<u8>());
            let words = value!(variables, *a, |x| x.saturate::<i16>());
            of!(variables, *to, |x| x.assign(bytes + words));
        }
        Step::Negate { a, to } => {
            let inverse = value!(variables, *a, |x| left::<B, ops::Sub, _, _>(&7i32, &-x).convert::<i32>());
            of!(variables, *to, |x| x.assign(!inverse));
        }
        Step::Region { a, to, at, put } => {
            let region = value!(variables, *a, |x| x.select::<2, 2, 5, 2>(at.0, at.1 % 8).convert::<i32>());
            of!(variables, *to, |x| {
                x.select_mut::<2, 2, 5, 2>(put.0, put.1 % 8).assign(region);
                x.column_mut(put.1).assign(region.get(0, 1));
            });
        }
        Step::Row { a, to, index } => {
            let index = value!(variables, *index, |x| x.get(1, 2).convert::<i32>() % 6);
            let row = value!(variables, *a, |x| x.row(index).convert::<f32>());
            of!(variables, *to, |x| {
                x.row_mut(index + 1).select_mut::<8, 2>(1).assign(row.select::<8, 1>(index));
                x.get_mut(index, index).assign(row.get(3));
            });
        }
        Step::Gather { a, to, index } => {
            let index = value!(variables, *index, |x| x.row(1).convert::<u8>());
            let picked = value!(variables, *a, |x| x.iselect(index & 3, index).convert::<i32>());
            of!(variables, *to, |x| {
                let mut row = x.row_mut(2);
                row += picked;
            });
        }
        Step::Replicate { a, to, at } => {
            let at = (at / 16, at % 16);
            let repeated =
                value!(variables, *a, |x| x.replicate_vs_w_hs::<4, 3, 4, 2>(at.0, at.1).convert::<i16>());
            of!(variables, *to, |x| x.row_mut(0).assign(repeated));
        }
        Step::Format { a, to } => {
            let bytes = value!(variables, *a, |x| x.convert::<u8>());
            let sums = bytes.format::<u32>() + bytes.format_matrix::<u16, 2, 16>().row(1);
            let mut all = Stored::<B>::declare(bytes);
            all.format_mut::<u32>().select_mut::<4, 3>(1).assign(sums.select::<4, 2>(3));
            all.row_mut(1).format_mut::<u16>().get_mut(2).assign(sums.get(0));
            of!(variables, *to, |x| x.assign(all));
        }
        Step::Merge { kind, a, b, to } => {
            let mask = compared(*kind, variables, *a, *b);
            let (x, y) = (
                value!(variables, *a, |x| x.convert::<i32>()),
                value!(variables, *b, |x| x.convert::<i32>()),
            );
            of!(variables, *to, |to| {
                to.merge_else(x, y, mask);
                to.row_mut(3).merge(9, 0b1010_0110);
            });
        }
        Step::If { all, a, b, then, other } => {
            let mask = compared(MapKind::Lt, variables, *a, *b);
            let condition = if *all { mask.all() } else { mask.any() };
            for arm in branch::<B, _>(condition) {
                steps(if arm { then } else { other }, variables, around)?;
            }
        }
        Step::Loop { a, body } => {
            let rounds = value!(variables, *a, |x| x.get(0, 0).convert::<u8>()) % 4 + 1;
            let mut n = Stored::<B>::declare(Scalar::<i32, B>::constant(0));
            let exit = (around.number(), B::open_scope());
            let mut left = ControlFlow::Continue(());
            let mut state = while_loop::<B, _>();
            while state.enter() {
                if !state.test(Compare::<ops::Lt, _, B>::compare(n, rounds)) {
                    break;
                }
                n += 1;
                left = round(body, variables, around, exit);
                if left.is_break() {
                    break;
                }
            }
            let _ = <B::Cond as Condition<B>>::known(true);
            return behind::<B>(exit, left);
        }
        Step::Unrolled { rounds, body } => {
            let exit = (around.number(), B::open_scope());
            let left = (0..*rounds).try_for_each(|_| round(body, variables, around, exit));
            return behind::<B>(exit, left);
        }
        Step::Match { a, arms } => {
            let number = value!(variables, *a, |x| x.get(0, 0).convert::<u8>()) % 4;
            let number = number.convert::<u8>();
            let exit = (around.number(), B::open_scope());
            let (last, first) = arms.split_last().expect("a match has arms");
            let left = 'arms: {
                for (n, arm) in first.iter().enumerate() {
                    for fits in branch::<B, _>(is::<B, _, _>(number, n as u8)) {
                        if fits {
                            let mut left = steps(arm, variables, around);
                            if left.is_continue() {
                                left = leave::<B>(exit);
                            }
                            if left.is_break() {
                                break 'arms left;
                            }
                        }
                    }
                }
                steps(last, variables, around)
            };
            return behind::<B>(exit, left);
        }
        Step::Leave { how, condition } => {
            let Some(scope) = around.scope(*how) else { return ControlFlow::Continue(()) };
            let Some((a, b)) = condition else { return leave::<B>(scope) };
            for arm in branch::<B, _>(compared(MapKind::Lt, variables, *a, *b).any()) {
                if arm {
                    leave::<B>(scope)?;
                }
            }
        }
    }
    ControlFlow::Continue(())
}
