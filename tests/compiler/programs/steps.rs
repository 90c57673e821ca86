//! Programs executed, on any backend.

use cm::dsl::backend::{Backend, Condition, Stored};
use cm::dsl::operators::{Compare, left};
use cm::dsl::ops;
use cm::dsl::stage::{branch, while_loop};
use cm::dsl::surface::Surface;
use cm::prelude::*;

use super::program::{Name, Program, Step};

type M<T, B> = Matrix<T, 4, 16, B>;

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

/// Reads the input, runs the program, writes all variables.
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
    steps(program, &mut variables);
    for which in 0..2 {
        let row = which as i32 * 20;
        output.write(0, row, &variables.bytes[which]);
        output.write(0, row + 4, &variables.words[which]);
        output.write(0, row + 8, &variables.unsigned[which]);
        output.write(0, row + 12, &variables.signed[which]);
        output.write(0, row + 16, &variables.floats[which]);
    }
}

fn steps<B: Backend>(program: &Program, variables: &mut Variables<B>) {
    for step in program {
        run_step(step, variables);
    }
}

/// Two operands as `i32`, `u32` or `f32`, by the type of the first: promotion is tested elsewhere.
fn pair<B: Backend>(variables: &mut Variables<B>, a: Name, b: Name) -> Operands<B> {
    match a.0 {
        2 => Operands::Unsigned(
            value!(variables, a, |x| x.convert::<u32>()),
            value!(variables, b, |x| x.convert::<u32>()),
        ),
        4 => Operands::Floats(
            value!(variables, a, |x| x.convert::<f32>()),
            value!(variables, b, |x| x.convert::<f32>()),
        ),
        _ => Operands::Signed(
            value!(variables, a, |x| x.convert::<i32>()),
            value!(variables, b, |x| x.convert::<i32>()),
        ),
    }
}

enum Operands<B: Backend> {
    Signed(M<i32, B>, M<i32, B>),
    Unsigned(M<u32, B>, M<u32, B>),
    Floats(M<f32, B>, M<f32, B>),
}

macro_rules! integers {
    ($op:expr, $a:ident, $b:ident) => {
        match $op % 10 {
            0 => $a + $b,
            1 => $a - $b,
            2 => $a * $b,
            3 => $a / $b,
            4 => $a % $b,
            5 => $a & $b,
            6 => $a | $b,
            7 => $a ^ $b,
            8 => $a << $b,
            _ => $a >> $b,
        }
    };
}

fn compared<B: Backend>(op: usize, operands: Operands<B>) -> M<u16, B> {
    macro_rules! compare {
        ($a:ident, $b:ident) => {
            match op % 6 {
                0 => $a.simd_lt($b),
                1 => $a.simd_le($b),
                2 => $a.simd_gt($b),
                3 => $a.simd_ge($b),
                4 => $a.simd_eq($b),
                _ => $a.simd_ne($b),
            }
        };
    }
    match operands {
        Operands::Signed(a, b) => compare!(a, b),
        Operands::Unsigned(a, b) => compare!(a, b),
        Operands::Floats(a, b) => compare!(a, b),
    }
}

fn run_step<B: Backend>(step: &Step, variables: &mut Variables<B>) {
    match step {
        Step::Binary { op, a, b, to } => match pair(variables, *a, *b) {
            Operands::Signed(a, b) => of!(variables, *to, |x| x.assign(integers!(op, a, b))),
            Operands::Unsigned(a, b) => of!(variables, *to, |x| x.assign(integers!(op, a, b))),
            Operands::Floats(a, b) => {
                let result = match op % 4 {
                    0 => a + b,
                    1 => a - b,
                    2 => a * b,
                    _ => a / b,
                };
                of!(variables, *to, |x| x.assign(result));
            }
        },
        Step::Number { op, a, number } => of!(variables, *a, |x| match op % 3 {
            0 => *x += *number,
            1 => *x -= *number,
            _ => *x *= *number,
        }),
        Step::Convert { a, to } => value!(variables, *a, |x| of!(variables, *to, |to| to.assign(x))),
        Step::Saturate { a, to } => {
            let bytes = value!(variables, *a, |x| x.saturate::<u8>());
            let words = value!(variables, *a, |x| x.saturate::<i16>());
            of!(variables, *to, |x| x.assign(bytes + words));
        }
        Step::Negate { a, to } => {
            let inverse = value!(variables, *a, |x| left::<B, ops::Sub, _, _>(7, -x).convert::<i32>());
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
        Step::Merge { op, a, b, to } => {
            let mask = compared(*op, pair(variables, *a, *b));
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
            let mask = compared(0, pair(variables, *a, *b));
            let condition = if *all { mask.all() } else { mask.any() };
            for arm in branch::<B, _>(condition) {
                if arm { steps(then, variables) } else { steps(other, variables) }
            }
        }
        Step::Loop { a, body } => {
            let rounds = value!(variables, *a, |x| x.get(0, 0).convert::<u8>()) % 4 + 1;
            let mut n = Stored::<B>::declare(Scalar::<i32, B>::constant(0));
            let mut state = while_loop::<B, _>();
            while state.enter() {
                if !state.test(Compare::<ops::Lt, _, B>::compare(n, rounds)) {
                    break;
                }
                steps(body, variables);
                n += 1;
            }
            let _ = <B::Cond as Condition<B>>::known(true);
        }
    }
}
