//! Host code behind exits that host values decide, in arms of staged conditions.

use cm::prelude::*;
use cm_test_support::devices::devices;

use crate::decided::check;

#[kernel]
fn left_block(output: &mut Buffer<i32>, a: i32) {
    const FAST: bool = true;
    let v = Vector::<i32, 8>::from_array([10, 11, 12, 13, 14, 15, 16, 17]);
    let mut n: usize = 0;
    'q: {
        if a > 3 {
            if FAST {
                break 'q;
            }
            n += 1;
        }
    }
    output.write(0, &Vector::<i32, 4>::splat(v.get(n)));
}

#[kernel]
fn left_round(output: &mut Buffer<i32>, a: i32) {
    let mut n: usize = 0;
    let mut s = 0;
    for i in 0..3usize {
        if a > i as i32 {
            if i < 3 {
                continue;
            }
            n += 1;
        }
        s += 1;
    }
    output.write(0, &Vector::<i32, 4>::splat(n as i32 * 100 + s));
}

#[kernel]
fn left_numbers(output: &mut Buffer<i32>, a: i32) {
    let mut s = 0;
    for i in 0..4usize {
        if a > 3 {
            s += 1;
            if i > 2 {
                if a > 4 {
                    s += 10;
                }
                continue;
            }
            let k = 2 - i;
            s += k as i32 * 100;
        } else if a > 2 {
            let k = if i == 0 {
                continue;
            } else {
                6 / i as i32
            };
            s += k;
        }
        s += 1000;
    }
    output.write(0, &Vector::<i32, 4>::splat(s));
}

#[function]
fn quotient<const N: usize>(x: i32) -> i32 {
    if x > 100 {
        if N == 0 {
            return 1;
        }
        let q = 8 / N;
        return x + q as i32;
    }
    x
}

#[function]
fn first(a: i32, last: usize) -> i32 {
    let mut s = a;
    if a > 3 {
        let mut k: usize = 0;
        while true {
            if k == last {
                return s;
            }
            k += 1;
            s += 1;
        }
    }
    s
}

/// The iterator goes on in the recording.
#[function]
fn listed(a: i32, last: usize) -> i32 {
    let mut s = a;
    if a > 3 {
        let mut k: usize = 0;
        for i in [1usize, 0, 2] {
            k += 1;
            s += 1;
            if i == last {
                return s;
            }
            s += 60 / i as i32;
        }
        s += k as i32 * 1000;
    }
    s
}

/// The loop is one of the kernel, and left at once.
#[kernel]
fn left_loop(output: &mut Buffer<i32>, a: i32) {
    const FAST: bool = true;
    let mut n: usize = 0;
    while a > 3 {
        if FAST {
            break;
        }
        n += 1;
    }
    output.write(0, &Vector::<i32, 4>::splat(n as i32));
}

/// In an arm of a `match` and beside it, and in a block of its own.
#[function]
fn several(a: i32, n: usize) -> i32 {
    let mut s = a;
    if a > 1 {
        match a {
            2 => {
                if n == 0 {
                    return 20;
                }
                s += 6 / n as i32;
            }
            3 => s += 30,
            _ => {
                if a > 5 {
                    if n == 0 {
                        return 50;
                    }
                    s += 60 / n as i32;
                }
                s += 1;
            }
        }
        s += 1000;
        'q: {
            if a > 4 {
                if n == 0 {
                    break 'q;
                }
                s += 600 / n as i32;
            }
            s += 10000;
        }
        s += 100000;
    }
    s
}

#[kernel]
fn left_functions(output: &mut Buffer<i32>, a: i32) {
    let s = quotient::<0>(a) + quotient::<2>(a) * 1000 + first(a, 4) * 1000000;
    let s = s + listed(a, 0) + listed(a, 1);
    output.write(0, &Vector::<i32, 4>::splat(s));
}

#[kernel]
fn left_arms(output: &mut Buffer<i32>, a: i32) {
    let s = several(a, 0) + several(a, 3) * 2;
    output.write(0, &Vector::<i32, 4>::splat(s));
}

/// The same as plain Rust.
fn several_of(a: i32, n: i32) -> i32 {
    let mut s = a;
    if a > 1 {
        match a {
            2 if n == 0 => return 20,
            2 => s += 6 / n,
            3 => s += 30,
            _ if a > 5 && n == 0 => return 50,
            _ if a > 5 => s += 60 / n + 1,
            _ => s += 1,
        }
        s += 1000;
        if a <= 4 {
            s += 10000;
        } else if n != 0 {
            s += 600 / n + 10000;
        }
        s += 100000;
    }
    s
}

#[test]
fn host_code_behind_an_exit_is_not_recorded() -> cm::Result<()> {
    check! {
        left_block(3) => 10;
        left_block(4) => 10;
        left_round(3) => 0;
        left_round(1) => 2;
        left_numbers(2) => 4000;
        left_numbers(3) => 3000 + 6 + 3 + 2;
        left_numbers(4) => 4 + 300 + 3000;
        left_numbers(5) => 4 + 300 + 3000 + 10;
        left_functions(3) => 3 + 3000 + 3000000 + 3 + 3;
        left_functions(101) => 1 + 105000 + 105000000 + 163 + 102;
    }
    let error = left_loop::ir().expect_err("the recording goes on behind the exit").to_string();
    assert!(error.contains("a host variable is changed under a staged"), "{error}");
    for a in 0..8 {
        check! { left_arms(a) => several_of(a, 0) + several_of(a, 3) * 2; }
    }
    Ok(())
}
