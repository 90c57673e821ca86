//! References that functions pass on: they change registers and memory under staged conditions, but not host variables.

use cm::prelude::*;
use cm_test_support::devices::devices;

use crate::decided::check;

#[function]
fn bump(n: &mut usize, _d: i32) {
    *n += 1;
}

#[function]
fn add(v: &mut Vector<i32, 4>, n: &mut i32, d: i32) {
    *v += d;
    *n += d;
}

#[function]
fn of_any<T: Elem>(v: &mut Vector<T, 4>, d: Vector<T, 4>) {
    *v = d;
}

#[function]
fn at(n: &mut [usize; 2], _d: i32) {
    n[1] += 1;
}

#[registers]
#[derive(Debug)]
struct Counted {
    n: usize,
    v: Vector<i32, 4>,
}

#[registers]
#[derive(Debug)]
enum Way {
    Left,
    Right,
}

#[registers]
#[derive(Debug)]
struct Counter {
    n: i32,
}

#[registers]
impl Counter {
    fn add(&mut self, n: &mut usize, d: i32) {
        self.n += d;
        *n += 1;
    }
}

#[function]
fn count(c: &mut Counted, d: i32) {
    c.n += 1;
    c.v += d;
}

#[function]
fn turn(way: &mut Way, _d: i32) {
    *way = Way::Right;
}

#[function]
fn write(output: &mut Buffer<i32>, v: Vector<i32, 4>) {
    output.write(0, &v);
}

type Out = Buffer<i32>;

/// Under a staged condition, each changes a variable of the host through a reference.
macro_rules! refused {
    ($($kernel:ident ($output:ident, $a:ident) $body:block)*) => {
        $(
            #[kernel]
            fn $kernel($output: &mut Buffer<i32>, $a: i32) $body
        )*

        #[test]
        fn references_do_not_hide_changes_of_host_variables() {
            $(
                let error = $kernel::ir().expect_err(stringify!($kernel)).to_string();
                let expected = "a host variable is changed under a staged condition";
                assert!(error.contains(expected), "{}: {error}", stringify!($kernel));
            )*
        }
    };
}

#[function]
fn passed_on(n: &mut usize, a: i32) {
    if a > 3 {
        bump(n, a);
    }
}

#[function]
fn passed_again(n: &mut usize, a: i32) {
    if a > 3 {
        bump(&mut *n, a);
    }
}

#[function]
fn of_structure(c: &mut Counted, a: i32) {
    if a > 3 {
        count(c, a);
    }
}

#[function]
fn of_part(c: &mut Counted, a: i32) {
    let n = &mut c.n;
    if a > 3 {
        bump(n, a);
    }
}

#[function]
fn of_enum(way: &mut Way, a: i32) {
    if a > 3 {
        turn(way, a);
    }
}

refused! {
    by_name(output, a) {
        let mut n: usize = 0;
        let r = &mut n;
        if a > 3 { bump(r, a); }
        output.write(0, &Vector::<i32, 4>::splat(n as i32));
    }
    by_parameter(output, a) {
        let mut n: usize = 0;
        passed_on(&mut n, a);
        output.write(0, &Vector::<i32, 4>::splat(n as i32));
    }
    by_parameter_again(output, a) {
        let mut n: usize = 0;
        passed_again(&mut n, a);
        output.write(0, &Vector::<i32, 4>::splat(n as i32));
    }
    by_structure(output, a) {
        let mut c = Counted { n: 0, v: Vector::splat(0) };
        of_structure(&mut c, a);
        output.write(0, &Vector::<i32, 4>::splat(c.n as i32));
    }
    by_part(output, a) {
        let mut c = Counted { n: 0, v: Vector::splat(0) };
        of_part(&mut c, a);
        output.write(0, &Vector::<i32, 4>::splat(c.n as i32));
    }
    by_enum(output, a) {
        let mut way = Way::Left;
        of_enum(&mut way, a);
        output.write(0, &Vector::<i32, 4>::splat(way as usize as i32));
    }
    by_closure(output, a) {
        let mut n: usize = 0;
        let f = |k: &mut usize| *k += 1;
        let r = &mut n;
        if a > 3 { f(r); }
        output.write(0, &Vector::<i32, 4>::splat(n as i32));
    }
    by_method(output, a) {
        let mut n: usize = 0;
        let mut c = Counter { n: 0 };
        let r = &mut n;
        if a > 3 { c.add(r, a); }
        output.write(0, &Vector::<i32, 4>::splat(c.n + n as i32));
    }
    by_loop(output, a) {
        let mut n = [0usize; 2];
        let r = &mut n;
        for i in 0..a { at(r, i); }
        output.write(0, &Vector::<i32, 4>::splat(n[1] as i32));
    }
}

#[function]
fn to_memory(output: &mut Out, v: &mut Vector<i32, 4>, a: i32) {
    let again = &mut *output;
    if a > 3 {
        write(again, *v);
    } else {
        *v += 1;
        write(again, *v);
    }
}

#[function]
fn of_registers(c: &mut Counted, v: &mut Vector<i32, 4>, n: &mut i32, a: i32) {
    c.n += 1;
    let part = &mut c.v;
    for _ in 0..a {
        add(part, n, a);
        add(v, &mut *n, 1);
        of_any(v, *part);
    }
}

/// Registers and memory change under a staged condition, and host variables where there is none.
#[kernel]
fn passed(output: &mut Buffer<i32>, a: i32) {
    let mut c = Counted { n: 0, v: Vector::splat(0) };
    let (mut v, mut n, mut m) = (Vector::<i32, 4>::splat(0), 0, 5usize);
    of_registers(&mut c, &mut v, &mut n, a);
    let r = &mut m;
    bump(r, a);
    bump(&mut *r, a);
    if a > 100 {
        let mut own: usize = 0;
        let r = &mut own;
        bump(r, a);
        n += own as i32;
    }
    let mut w = v + c.v + (n + m as i32 + c.n as i32);
    to_memory(output, &mut w, a);
}

#[test]
fn references_to_registers_and_memory_are_passed_on() -> cm::Result<()> {
    check! {
        passed(2) => 4 + 4 + (2 * 2 + 2) + 7 + 1 + 1;
        passed(4) => 16 + 16 + (4 * 4 + 4) + 7 + 1;
    }
    Ok(())
}
