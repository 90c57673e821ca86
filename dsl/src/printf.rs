//! `printf!`: a line of text with values of the kernel. The macro is in `cm`; this file has its implementation.
//!
//! Rust's own `format_args!` reads the text, so that rustc checks it. Host numbers write themselves. A staged value
//! instead records the placeholder with its width and style, and the backend writes the value later.

use std::cell::RefCell;
use std::fmt;
use std::marker::PhantomData;

use cm_compiler::printf::{Align, Hole, Layout, Style, Template};
use cm_macros::op;

use crate::backend::{Backend, convert};
use crate::elem::{Elem, Int, bf16, f16, is_storage, tf32};
use crate::registers::{Matrix, Scalar, Vector};

/// A line under construction.
#[derive(Debug)]
pub struct Printf<B: Backend>(RefCell<Line<B>>);

#[derive(Debug)]
struct Line<B: Backend> {
    template: Template,
    values: Vec<B::Printed>,
    /// Discards text that is not part of the line.
    aside: Option<String>,
}

impl<B: Backend> Line<B> {
    fn new() -> Self {
        Self { template: Template::default(), values: Vec::new(), aside: None }
    }
}

impl<B: Backend> Printf<B> {
    /// An empty line.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "for the macros only")]
    pub fn new() -> Self {
        Self(RefCell::new(Line::new()))
    }

    /// Prints the line. The arguments are the results of [`Printable::shown`] for this line.
    #[op]
    pub fn print(&self, text: fmt::Arguments<'_>) {
        self.read(text);
        let Line { template, values, .. } = self.0.replace(Line::new());
        B::print(template, values);
    }

    fn read(&self, text: fmt::Arguments<'_>) {
        // Neither the line nor values of the kernel return errors.
        let _ = fmt::Write::write_fmt(&mut Writer(self), text);
    }
}

/// Adds text to a line.
struct Writer<'a, B: Backend>(&'a Printf<B>);

impl<B: Backend> fmt::Write for Writer<'_, B> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut line = self.0.0.borrow_mut();
        match &mut line.aside {
            Some(aside) => aside.push_str(text),
            None => line.template.push_str(text),
        }
        Ok(())
    }
}

/// The values that `printf!` prints: host numbers, and numbers and registers of a kernel.
#[diagnostic::on_unimplemented(
    message = "`printf!` does not print `{Self}`",
    label = "not a number, a vector or a matrix",
    note = "of a condition print a number: `let n: u32 = if condition {{ 1 }} else {{ 0 }}`; of a place, its value"
)]
pub trait Printable<B: Backend> {
    /// The value in the format string.
    type Shown<'a>;

    /// The value in a line.
    #[track_caller]
    fn shown(self, line: &Printf<B>) -> Self::Shown<'_>;
}

/// An element type that `{:x}`, `{:X}`, `{:b}` and `{:o}` print: an integer.
#[diagnostic::on_unimplemented(
    message = "`{{:x}}`, `{{:X}}`, `{{:b}}` and `{{:o}}` do not print `{Self}`",
    label = "not an integer",
    note = "`{{}}`, `{{:?}}` and `{{:e}}` print floats; `.format::<u32>()` of a vector is its bits"
)]
pub trait PrintedInBits: Int {}

macro_rules! printed_in_bits {
    ($($t:ident)*) => {$(
        impl PrintedInBits for $t {}
    )*};
}

cm_compiler::for_each_integer!(printed_in_bits);

macro_rules! host_numbers {
    ($($t:ty)*) => {$(
        impl<B: Backend> Printable<B> for $t {
            type Shown<'a> = $t;

            fn shown(self, _: &Printf<B>) -> $t {
                self
            }
        }
    )*};
}

host_numbers!(u8 i8 u16 i16 u32 i32 u64 i64 u128 i128 usize isize f16 f32 f64 bool);
crate::for_each_storage!(host_numbers);

impl<T: Printable<B> + Copy, B: Backend> Printable<B> for &T {
    type Shown<'a> = T::Shown<'a>;

    #[op]
    fn shown(self, line: &Printf<B>) -> T::Shown<'_> {
        (*self).shown(line)
    }
}

/// A staged number in a line. It supports all formats of Rust's numbers; hexadecimal, octal and binary only for
/// integers.
pub struct PrintedNumber<'a, T: Elem, B: Backend>(Value<'a, B>, PhantomData<T>);

/// A vector or a matrix in a line: `{:?}`.
pub struct PrintedRegister<'a, B: Backend>(Value<'a, B>);

struct Value<'a, B: Backend> {
    line: &'a Printf<B>,
    value: B::Printed,
    layout: Layout,
}

/// A register to be printed: elements for storage are shown as numbers, not as their bits.
#[op]
fn printed<T: Elem, B: Backend, const R: usize, const C: usize>(x: B::Reg<T, R, C>) -> B::Printed {
    if is_storage::<T>() {
        return B::printed::<f32, R, C>(convert::<B, T, f32, R, C>(x));
    }
    B::printed::<T, R, C>(x)
}

impl<T: Elem, B: Backend> Printable<B> for Scalar<T, B> {
    type Shown<'a> = PrintedNumber<'a, T, B>;

    #[op]
    fn shown(self, line: &Printf<B>) -> PrintedNumber<'_, T, B> {
        let value = printed::<T, B, 1, 1>(self.into_reg());
        PrintedNumber(Value { line, value, layout: Layout::Number }, PhantomData)
    }
}

impl<T: Elem, const N: usize, B: Backend> Printable<B> for Vector<T, N, B> {
    type Shown<'a> = PrintedRegister<'a, B>;

    #[op]
    fn shown(self, line: &Printf<B>) -> PrintedRegister<'_, B> {
        let value = printed::<T, B, 1, N>(self.into_reg());
        PrintedRegister(Value { line, value, layout: Layout::Row })
    }
}

impl<T: Elem, const R: usize, const C: usize, B: Backend> Printable<B> for Matrix<T, R, C, B> {
    type Shown<'a> = PrintedRegister<'a, B>;

    #[op]
    fn shown(self, line: &Printf<B>) -> PrintedRegister<'_, B> {
        let value = printed::<T, B, R, C>(self.into_reg());
        PrintedRegister(Value { line, value, layout: Layout::Rows })
    }
}

impl<B: Backend> Value<'_, B> {
    /// Records a placeholder of this style.
    fn note(&self, f: &fmt::Formatter<'_>, style: Style) -> fmt::Result {
        let align = f.align().map(|align| match align {
            fmt::Alignment::Left => Align::Left,
            fmt::Alignment::Center => Align::Center,
            fmt::Alignment::Right => Align::Right,
        });
        // rustc accepts no larger numbers.
        let count = |count: Option<usize>| count.map(|count| u16::try_from(count).unwrap_or(u16::MAX));
        let hole = Hole {
            fill: f.fill(),
            align,
            plus: f.sign_plus(),
            alternate: f.alternate(),
            zero: f.sign_aware_zero_pad(),
            width: count(f.width()).unwrap_or(0),
            precision: count(f.precision()),
            ..Hole::new(self.layout, style)
        };
        let mut line = self.line.0.borrow_mut();
        line.template.push(hole);
        line.values.push(self.value.clone());
        Ok(())
    }

    /// The style of `{:?}`, which may be `{:x?}`: stable Rust shows the difference only in its output.
    fn debug(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.line.0.borrow_mut().aside = Some(String::new());
        let written = fmt::Debug::fmt(&0xBC_u8, f);
        let aside = self.line.0.borrow_mut().aside.take().unwrap_or_default();
        written?;
        let style = match aside {
            text if text.contains("188") => Style::Debug,
            text if text.contains("bc") => Style::DebugLowerHex,
            _ => Style::DebugUpperHex,
        };
        self.note(f, style)
    }
}

macro_rules! styles {
    ($($style:ident $elem:ident)*) => {$(
        impl<T: $elem, B: Backend> fmt::$style for PrintedNumber<'_, T, B> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.note(f, Style::$style)
            }
        }
    )*};
}

styles!(Display Elem LowerExp Elem UpperExp Elem LowerHex PrintedInBits UpperHex PrintedInBits Binary PrintedInBits Octal PrintedInBits);

impl<T: Elem, B: Backend> fmt::Debug for PrintedNumber<'_, T, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.debug(f)
    }
}

impl<B: Backend> fmt::Debug for PrintedRegister<'_, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.debug(f)
    }
}
