//! Kernels that print, and one that reads the clock.

use cm::prelude::*;

/// Values of all kinds, in all styles.
#[kernel]
pub fn every_kind(input: &Surface2D) {
    let (x, y) = (thread_origin_x(), thread_origin_y());
    let m = input.read::<u8, 2, 8>(x * 8, y * 2);
    let host = 7;
    printf!("({x}, {y}) host {host:03} and {}\n", 1.5f32);
    printf!("m = {m:?}, {:x?}, {:?}, {:?}", m.row(1), m.select::<2, 1, 2, 2>(0, 1), m.column(3));
    printf!("{{{0:>5}|{0:<5}|{0:^5}|{0:+}|{0:#06x}|{0:08b}}}", m.get(1, 2));
    let f: Vector<f32, 3> = (m.row(0).select::<3, 1>(0) * 0.25f32).convert();
    let h: Vector<f16, 3> = f.convert();
    printf!("{f:?} {f:.1?} {h:?} {:e} {:8.3}", f.get(1), f.get(2));
    printf!("{:?} {:?} {}", f.convert::<bf16>(), f.convert::<tf32>(), f.get(2).convert::<tf32>());
    let wide: Vector<i64, 2> = (m.row(0).select::<2, 1>(0) * -1).convert();
    printf!("{wide:?} {:?} mask {:?}", wide.format::<u64>().get(1), m.row(0) > 10);
    printf!("{:#?}", m.select::<2, 1, 2, 1>(0, 0));
    printf!("{name} {0} {name}", x, name = y + 1);
}

/// A helper that prints.
#[function]
pub fn loud(v: Vector<u8, 4>, times: u32) -> Vector<u8, 4> {
    let twice: Vector<u8, 4> = (v + v).convert();
    if times > 1 {
        printf!("loud {times}: {twice:?}");
    }
    twice
}

/// Lines inside of loops and branches.
#[kernel]
pub fn control_flow(input: &Surface2D) {
    let x = thread_origin_x();
    let row: Vector<u8, 4> = input.read::<u8, 1, 4>(x * 4, 0).row(0);
    for host in 0..2 {
        printf!("host round {host}");
    }
    let mut n = x;
    while n > 0 {
        printf!("{n} left");
        n -= 1;
    }
    match x {
        0 => printf!("none"),
        1 | 2 => {
            printf!("some");
        }
        _ => {}
    }
    let v = loud(row, x);
    if row.get(0) > 20 {
        printf!("then {}", v.get(0));
    } else {
        printf!("else {:?}", v);
    }
    let mut w = row;
    simd_if! { row > 20 => {
        w += 1;
        printf!("lanes {w:?}");
    } }
    for i in 0..x {
        if i == 1 {
            break;
        }
        printf!("staged round {i}");
    }
}

/// Reads the clock before and after a loop.
#[kernel]
pub fn timed(times: &mut Buffer<u64>, stamps: &mut Buffer<u32>) {
    let start = clock();
    let stamp = rdtsc();
    let mut n: u32 = 0;
    while n < 1000 {
        n += 1;
    }
    stamps.write(0, &stamp);
    stamps.write(16, &Vector::<u32, 4>::splat(n));
    let mut both = Vector::<u64, 2>::splat(start);
    both.get_mut(1).assign(clock());
    times.write(0, &both);
}
