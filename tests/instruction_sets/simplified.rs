//! A launch of each of two kernels that take 1.4 to 1.5 times as many instructions if the compiler simplifies their code
//! once only, and of one that depends on what each codegen unit knows of the others. `benches/instructions.sh` counts the
//! instructions, with several codegen units and with one.

#[allow(dead_code, unreachable_pub, reason = "a module of other crates too")]
#[path = "../../benches/classes/kernels.rs"]
mod kernels;

use cm::prelude::*;
use cm_test_support::noise;

type Launch = fn(&Device, ThreadSpace, &Surface2D, &mut Surface2D) -> cm::Result<Event>;

fn launch(launch: Launch, (width, height): (usize, usize), [columns, rows]: [usize; 2]) -> cm::Result<()> {
    let device = Device::cpu_with_threads(1)?;
    let input = Surface2D::from_bytes(&device, Format::R8, 960, 540, &noise::bytes(960 * 540, 0))?;
    let mut output = Surface2D::new(&device, Format::R8, width, height)?;
    launch(&device, ThreadSpace::new(columns, rows)?, &input, &mut output).map(drop)
}

#[test]
#[ignore = "`benches/instructions.sh` runs it"]
fn sharpen() -> cm::Result<()> {
    launch(kernels::sharpen::launch, (960, 540), [60, 67])
}

#[test]
#[ignore = "`benches/instructions.sh` runs it"]
fn halve() -> cm::Result<()> {
    launch(kernels::halve::launch, (480, 270), [30, 67])
}

#[kernel]
fn turn_blocks(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 32, thread_origin_y() * 8);
    let block = input.read::<u8, 8, 32>(x, y);
    let mut turned = Matrix::<u8, 8, 32>::splat(0);
    for c in 0..32 {
        for r in 0..8 {
            turned.select_mut::<1, 1, 1, 1>(7 - r, 31 - c).assign(block.select::<1, 1, 1, 1>(r, c));
        }
    }
    output.write(x, y, &turned);
}

#[test]
#[ignore = "`benches/instructions.sh` runs it"]
fn turn() -> cm::Result<()> {
    launch(turn_blocks::launch, (960, 540), [30, 67])
}
