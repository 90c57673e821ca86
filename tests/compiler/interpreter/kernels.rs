//! Kernels that cover the whole language. Their behaviour depends on their arguments and on the texels.

use cm::prelude::*;

/// Views of all kinds, with offsets that may be far out of range.
#[kernel]
pub(crate) fn views(input: &Surface2D, output: &mut Surface2D, i: u32, j: i32) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    let t = input.read::<u8, 4, 16>(x - 3, y - 1);
    let mut m = input.read::<u8, 4, 16>(x, y);
    m.row_mut(i).assign(t.row(j));
    m.column_mut(j).assign(t.column(i));
    m.select_mut::<2, 2, 4, 3>(1, i).assign(t.select::<2, 1, 4, 2>(j, 5));
    m.row_mut(2).select_mut::<4, 2>(i) += t.row(3).select::<4, 4>(2);
    m.row_mut(j).get_mut(i).assign(t.get(i, j));
    m.select_mut::<4, 1, 8, 2>(0, 1).row_mut(i).select_mut::<4, 2>(j).assign(t.row(i).select::<4, 1>(j));
    m.format_mut::<u16>().select_mut::<4, 5>(i).assign(t.format::<u16>().select::<4, 3>(j));
    m.row_mut(1).assign(t.row(0).replicate::<4, 1, 4, 2>(i));
    m.select_mut::<1, 1, 8, 1>(3, 8).assign(t.row(j).iselect(m.row(2).select::<8, 2>(1)));
    output.write(x, y, &m);
}

/// All forms of merge and of masks.
#[kernel]
pub(crate) fn masks(input: &Surface2D, output: &mut Surface2D, bits: u32, limit: i16) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    let t = input.read::<u8, 4, 16>(x, y);
    let mut m: Matrix<i16, 4, 16> = (t * 3 - 100).convert();
    m.merge(t, &(m > limit));
    m.row_mut(0).merge(limit, bits);
    m.row_mut(1).merge(t.row(2), 0b1010_0110_1100_0101);
    m.select_mut::<2, 1, 16, 1>(2, 0).merge_else(
        bits,
        m.select::<2, 1, 16, 1>(1, 0),
        &t.select::<2, 1, 16, 1>(0, 0),
    );
    if (m < 0).any() || !(t > 7).all() {
        m += 1;
    }
    let out: Matrix<u8, 4, 16> = m.saturate();
    output.write(x, y, &out);
}

/// The number of opcodes of [`program`].
pub(crate) const OPCODES: u32 = 18;

/// Runs the program in `code`: each word contains an opcode and an operand. Conditions and loops depend on
/// the data.
#[kernel]
pub(crate) fn program(input: &Surface2D, output: &mut Surface2D, code: Vector<u32, 12>, seed: i32) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    let mut bytes = input.read::<u8, 4, 16>(x, y);
    let mut a: Matrix<i32, 4, 16> = (bytes * seed).convert();
    let mut f: Matrix<f32, 4, 16> = bytes.convert();
    let mut mask = bytes > 100;
    let mut flag = false;
    let (mut at, mut steps) = (0u32, 0u32);
    while at < 12u32 && steps < 60u32 {
        let word = code.get(at);
        let (op, n) = (word % OPCODES, word / OPCODES);
        at += 1;
        steps += 1;
        if op < 8 {
            if op == 0 {
                a += bytes;
            } else if op == 1 {
                a.assign(a * f);
            } else if op == 2 {
                a.assign(a >> n);
            } else if op == 3 {
                a.assign(a / (bytes - 7));
            } else if op == 4 {
                a.merge(n, &mask);
            } else if op == 5 {
                bytes.assign(a);
            } else if op == 6 {
                bytes = (a - n).saturate();
            } else {
                f.assign(a);
            }
        } else if op < 14 {
            if op == 8 {
                f *= 0.37f32;
            } else if op == 9 {
                mask = f < a;
                flag = mask.any();
            } else if op == 10 {
                mask.assign(a ^ (a << 1));
                flag = mask.all() || flag;
            } else if op == 11 {
                flag = !flag;
            } else if op == 12 {
                a.row_mut(n % 7).assign(a.row(n).iselect(bytes.row(1)));
            } else {
                bytes.column_mut(n).merge(a.column(n % 20), &mask.column(0));
            }
        } else if op == 14 {
            // Jumps to any word, forwards or backwards.
            if flag {
                at = n % 13;
            }
        } else if op == 15 {
            for i in 0..(n % 5) {
                while a.get(i, 3) > 50 && flag {
                    a.row_mut(i) -= 60;
                    flag = a.get(i, 3) < 5000;
                }
                a.row_mut(i) += i * n;
            }
        } else if op == 16 {
            let k = if flag {
                n % 3
            } else if n > 5 {
                n
            } else {
                at
            };
            a.select_mut::<2, 2, 8, 2>(k, n).assign(f.select::<2, 1, 8, 1>(k, 2));
        } else {
            a.format_mut::<u8>().select_mut::<64, 3>(n).assign(bytes.format::<u8>());
        }
    }
    a += steps;
    bytes.row_mut(0).assign(a.row(0));
    bytes.row_mut(1).assign(a.row(1) + f.row(1));
    bytes.row_mut(2).assign(a.row(3) ^ mask.row(2));
    if flag {
        bytes.row_mut(3) += 1;
    }
    output.write(x, y, &bytes);
}

/// A kernel of two rows of elements that writes a row for each value. NaNs become 0, because their bits are
/// not defined.
macro_rules! rows {
    ($name:ident($a:ident: $t:ident, $b:ident: $v:ident)
        $($row:literal => $value:tt)*) => {
        #[kernel]
        #[allow(unused_parens)]
        pub(crate) fn $name(input: &Surface2D, output: &mut Surface2D) {
            let (x, y) = (thread_origin_x() * 64, thread_origin_y() * 20);
            let $a = input.read::<$t, 1, 8>(x, y).row(0);
            let $b = input.read::<$v, 1, 8>(x, y + 1).row(0);
            $(
                let mut value = $value;
                let nan = value != value;
                value.merge(0, &nan);
                output.write(x, y + $row, &value);
            )*
        }
    };
}

/// Operators and conversions of the given pairs of integer types.
macro_rules! integers {
    ($($name:ident: $t:ident, $v:ident;)*) => {$(
        rows! {
            $name(a: $t, b: $v)
            0 => (a + b)
            1 => (a - b)
            2 => (a * b)
            3 => (a / b)
            4 => (a % b)
            5 => (a & b)
            6 => (a | b)
            7 => (a ^ b)
            8 => (a << b)
            9 => (a >> b)
            10 => (!a)
            11 => (-a)
            12 => (a < b)
            13 => (a >= b)
            14 => (a == b.convert::<$t>())
            15 => (a.convert::<$v>())
            16 => (b.saturate::<$t>())
            17 => (a.saturate::<i8>())
            18 => (b.convert::<f32>())
            19 => (a.convert::<f16>())
        }
    )*};
}

/// The same for pairs that contain a float type.
macro_rules! floats {
    ($($name:ident: $t:ident, $v:ident;)*) => {$(
        rows! {
            $name(a: $t, b: $v)
            0 => (a + b)
            1 => (a - b)
            2 => (a * b)
            3 => (a / b)
            4 => (-a)
            5 => (a < b)
            6 => (a >= b)
            7 => (a != b)
            8 => (a == b.convert::<$t>())
            9 => (a.convert::<$v>())
            10 => (b.convert::<$t>())
            11 => (b.saturate::<$t>())
            12 => (a.saturate::<$v>())
            13 => (a.saturate::<i8>())
            14 => ((a * 1.5f64).convert::<u16>())
            15 => (b.convert::<i64>())
        }
    )*};
}

integers! {
    u8_i8: u8, i8;
    u16_i32: u16, i32;
    i64_u8: i64, u8;
    u32_i64: u32, i64;
    i16_u64: i16, u64;
}

floats! {
    f16_u8: f16, u8;
    f16_f16: f16, f16;
    f32_i16: f32, i16;
    i64_f32: i64, f32;
    f64_f16: f64, f16;
    f64_f32: f64, f32;
}

/// Places and values of a shape, and a region of it whose offsets may be far out of range.
macro_rules! shapes {
    ($($name:ident: $t:ident;)*) => {$(
        #[kernel]
        pub(crate) fn $name<
            const R: usize,
            const C: usize,
            const R2: usize,
            const VS: usize,
            const C2: usize,
            const HS: usize,
        >(
            input: &Surface2D,
            output: &mut Surface2D,
            i: u32,
            j: u16,
        ) {
            let (x, y) = (thread_origin_x() * 64, thread_origin_y() * 16);
            let read = input.read::<u8, R, C>(x + 4, y - 1);
            let mut m: Matrix<$t, R, C> = input.read::<u8, R, C>(x, y).convert();
            let part = m.select::<R2, VS, C2, HS>(i, j);
            m.select_mut::<R2, VS, C2, HS>(j, i) += part;
            m.select_mut::<R2, VS, C2, HS>(i, i).row_mut(j).assign(part.row(i));
            m.select_mut::<R2, VS, C2, HS>(j, j).column_mut(i).merge(part.column(j), &(part.column(i) > 99));
            m.row_mut(i).select_mut::<C2, HS>(j).get_mut(i).assign(read.get(j, i));
            while (m.select::<R2, VS, C2, HS>(i, 0) > 100).any() {
                m.select_mut::<R2, VS, C2, HS>(i, 0).assign(m.select::<R2, VS, C2, HS>(i, 0) / 2);
                m.column_mut(j).assign(m.column(j) / 2); // a subtraction might wrap and never end
            }
            m.row_mut(j) += read.row(i);
            let out: Matrix<u8, R, C> = m.saturate();
            output.write(x, y, &out);
        }
    )*};
}

shapes! {
    shapes_u8: u8;
    shapes_i16: i16;
    shapes_u64: u64;
    shapes_f16: f16;
    shapes_f32: f32;
}
