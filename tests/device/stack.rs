//! Long kernels have stack frames with many objects, especially without optimisation. They run on threads
//! with a sufficient stack, whichever thread launches them.

use cm::CpuEngine;
use cm::prelude::*;

/// A kernel of two statements for each name, on objects of 1024 bytes.
macro_rules! long {
    ($name:ident: $($t:ident)*) => {
        #[kernel]
        fn $name(input: &Surface2D, output: &mut Surface2D) {
            let n = input.read::<u8, 8, 32>(0, 0).convert::<i32>();
            let mut m: Matrix<i32, 8, 32> = n;
            $(
                let $t: Matrix<i32, 8, 32> = (m + n) * 3 - m;
                m.assign($t ^ n);
            )*
            output.write(0, 0, &m.convert::<u8>());
        }
    };
}

long! { of_20: a b c d e f g h i j }
long! { of_160:
    a0 b0 c0 d0 e0 f0 g0 h0 i0 j0 a1 b1 c1 d1 e1 f1 g1 h1 i1 j1 a2 b2 c2 d2 e2 f2 g2 h2 i2 j2
    a3 b3 c3 d3 e3 f3 g3 h3 i3 j3 a4 b4 c4 d4 e4 f4 g4 h4 i4 j4 a5 b5 c5 d5 e5 f5 g5 h5 i5 j5
    a6 b6 c6 d6 e6 f6 g6 h6 i6 j6 a7 b7 c7 d7 e7 f7 g7 h7 i7 j7
}

/// The scalar result of `rounds` pairs of statements for a byte.
fn scalar(x: u8, rounds: usize) -> u8 {
    let n = i32::from(x);
    (0..rounds).fold(n, |m, _| (m.wrapping_add(n).wrapping_mul(3).wrapping_sub(m)) ^ n) as u8
}

fn run(threads: usize) {
    for &engine in CpuEngine::ALL {
        run_on(&Device::cpu_with_threads(threads).unwrap().with_cpu_engine(engine));
    }
}

fn run_on(device: &Device) {
    let bytes: Vec<u8> = (0..=255).collect();
    let input = Surface2D::from_bytes(device, Format::R8, 32, 8, &bytes).unwrap();
    let mut output = Surface2D::new(device, Format::R8, 32, 8).unwrap();
    for space in [ThreadSpace::new(1, 1).unwrap(), ThreadSpace::new(3, 2).unwrap()] {
        of_20::launch(device, space, &input, &mut output).unwrap();
        assert!(output.to_vec().unwrap().iter().zip(&bytes).all(|(&out, &x)| out == scalar(x, 10)));
        of_160::launch(device, space, &input, &mut output).unwrap();
        assert!(output.to_vec().unwrap().iter().zip(&bytes).all(|(&out, &x)| out == scalar(x, 80)));
    }
}

#[test]
fn long_kernels_run_on_any_thread() {
    run(1);
    run(2);
    // From a thread with a very small stack.
    let small = std::thread::Builder::new().stack_size(256 << 10);
    small.spawn(|| run(2)).unwrap().join().unwrap();
}
