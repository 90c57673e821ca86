//! Kernels with `break`, `continue`, `return` and `match`. The scalar meaning of each is in
//! `tests/language/exits.rs`.
//!
//! Each kernel processes one 4 x 16 block of bytes at the position of the thread.

use cm::prelude::*;

/// A kernel with two early returns: dark blocks stay unchanged, bright ones are inverted.
#[kernel]
pub fn return_early(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    let mut t = input.read::<u8, 4, 16>(x, y);
    output.write(x, y, &t);
    let first = t.get(0, 0);
    if first < 64 {
        return;
    }
    t.assign(255 - t);
    if first >= 128 {
        output.write(x, y, &t);
        return;
    }
    t += first;
    output.write(x, y, &t);
}

/// A `while` with several exits, and iterations that end early.
#[kernel]
pub fn several_exits(input: &Surface2D, output: &mut Surface2D, limit: u32) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    let mut t = input.read::<u8, 4, 16>(x, y);
    let mut sum = 0u32;
    let mut rounds = 0u32;
    let mut skipped = 0u32;
    while rounds < 40u32 {
        let at = rounds % 16u32;
        rounds += 1;
        let element = t.get(rounds & 3, at);
        if element < 10 {
            skipped += 1;
            continue;
        }
        sum += element;
        if sum > limit {
            break;
        }
        if element == 255 {
            sum += 1000;
            if skipped > 2 {
                break;
            }
            continue;
        }
        t.row_mut(rounds & 3) += 1;
    }
    t.get_mut(0, 0).assign(rounds);
    t.get_mut(0, 1).assign(skipped);
    t.get_mut(0, 2).assign(sum);
    t.get_mut(0, 3).assign(sum >> 8);
    output.write(x, y, &t);
}

/// `break` and `continue` of an outer loop, from a staged `for` inside a `loop`.
#[kernel]
pub fn outer_loops(input: &Surface2D, output: &mut Surface2D, count: u32) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    let t = input.read::<u8, 4, 16>(x, y);
    let mut out = t;
    let mut seen = 0u32;
    let mut row = 0u32;
    'rows: loop {
        if row == 4 {
            break;
        }
        row += 1;
        for i in 0..count {
            let element = t.get(row - 1, i);
            seen += 1;
            if element == 0 {
                continue 'rows;
            }
            if element > 200 {
                out.row_mut(row - 1).assign(seen);
                break 'rows;
            }
            if element > 150 {
                break;
            }
        }
        out.row_mut(row - 1) += 1;
    }
    out.get_mut(3, 15).assign(seen);
    output.write(x, y, &out);
}

/// Loops over host ranges: each iteration runs only if no earlier one has left the loop.
#[kernel]
pub fn unrolled_exits(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    let mut t = input.read::<u8, 4, 16>(x, y);
    for i in 0..4 {
        if t.get(i, 0) < 20 {
            continue;
        }
        if t.get(i, 1) > 128 {
            break;
        }
        // The condition is known when the kernel is recorded, but not whether this iteration is reached.
        if i == 2 {
            break;
        }
        t.row_mut(i) += 7;
    }
    for i in 0..12 {
        // The condition is known, and nothing else depends on it.
        if i == 2 {
            continue;
        }
        if i == 5 {
            break;
        }
        t.column_mut(i) += 1;
    }
    output.write(x, y, &t);
}

/// The index of the first larger element, or 16. Leaves an unrolled loop.
#[function]
pub fn position(v: Vector<u8, 16>, than: u32) -> u32 {
    for i in 0..16 {
        if v.get(i) > than {
            return i;
        }
    }
    16
}

/// The number of halvings until nothing is left. Has several exits from a staged loop, and ends with a
/// return.
#[function]
pub fn halvings(mut n: u32, most: u32) -> u32 {
    let mut count = 0u32;
    while count < most {
        if n == 0 {
            return count;
        }
        if n == 77 {
            return 99;
        } else {
            n >>= 1;
        }
        count += 1;
    }
    return most + 100;
}

/// Calls functions that return early, inside of a loop that continues.
#[kernel]
pub fn early_functions(input: &Surface2D, output: &mut Surface2D, than: u32, most: u32) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    let mut t = input.read::<u8, 4, 16>(x, y);
    for i in 0..4 {
        let at = position(t.row(i), than);
        let n = halvings(t.get(i, 5).convert::<u32>(), most);
        t.get_mut(i, 0).assign(at);
        t.get_mut(i, 1).assign(n);
    }
    output.write(x, y, &t);
}

const ADD: u32 = 3;

/// `match` on a staged integer, with a value: numbers, alternatives, ranges, names, guards.
#[kernel]
pub fn choose_number(input: &Surface2D, output: &mut Surface2D, threshold: u32) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    let mut t = input.read::<u8, 4, 16>(x, y);
    let first = t.get(0, 0);
    let kind = match first {
        0 => 1,
        1 | 2 | 250..=255 => 2,
        n if n < threshold => n.convert::<i32>() + 3,
        n @ 100..128 => n.convert::<i32>() * 2,
        ..50 => 4,
        _ => 5,
    };
    let delta = match kind.convert::<i8>() {
        -128..=-1 => -1i32,
        0 => 0i32,
        _ => 1i32,
    };
    t.row_mut(1).assign(kind);
    t.row_mut(2) += delta;
    let of_host = 3;
    let unrolled = match of_host {
        1..=2 => 10,
        3 => 20,
        _ => 30,
    };
    t.row_mut(3) += unrolled;
    output.write(x, y, &t);
}

/// `match` as a statement in a loop: an interpreter of four opcodes, with `break` and `continue`.
#[kernel]
pub fn interpret_bytes(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    let code = input.read::<u8, 4, 16>(x, y);
    let (mut a, mut b) = (1u32, 2u32);
    let mut at = 0u32;
    let mut steps = 0u32;
    while steps < 64u32 {
        steps += 1;
        let op = code.get(at >> 4, at & 15).convert::<u32>();
        at = (at + 1) & 63;
        match op % 8 {
            0 => a += b,
            1 => {
                let old = a;
                a = b;
                b = old;
            }
            2 if a > 1000 => break,
            ADD => {
                b += op;
                continue;
            }
            4 | 5 => at = (at + op) & 63,
            6 => {
                if b > a {
                    return;
                }
                a -= b;
            }
            _ => b ^= a,
        }
        a &= 0xffff;
    }
    let mut out = code;
    out.row_mut(0).assign(a);
    out.row_mut(1).assign(a >> 8);
    out.row_mut(2).assign(b);
    out.get_mut(3, 0).assign(steps);
    output.write(x, y, &out);
}

/// `loop` with a value, a labelled block with a value, and arms that leave instead of giving a value.
#[kernel]
pub fn loop_values(input: &Surface2D, output: &mut Surface2D, factor: u32) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    let mut t = input.read::<u8, 4, 16>(x, y);
    let mut n = t.get(0, 0).convert::<u32>();
    let mut rounds = 0u32;
    let root = loop {
        if rounds > 20u32 {
            break rounds + 200;
        }
        rounds += 1;
        n = if n % 2 == 0 {
            n / 2
        } else if n < 100 {
            n * factor + 1
        } else {
            break n;
        };
        if n <= 1 {
            break rounds;
        }
    };
    let picked = 'found: {
        for i in 0..3 {
            let candidate = t.get(i, 2);
            if candidate == 9 {
                break 'found candidate.convert::<u32>() + 1;
            }
        }
        root * 2
    };
    for i in 0..(root & 3) {
        let step = match t.get(i, 3) {
            0..=40 => continue,
            200.. => break,
            n => n.convert::<u32>(),
        };
        t.row_mut(i) += step;
    }
    t.get_mut(3, 0).assign(root);
    t.get_mut(3, 1).assign(picked);
    t.get_mut(3, 2).assign(rounds);
    output.write(x, y, &t);
}
