//! A launch of each of two kernels that take 1.4 to 1.5 times as many instructions if the compiler simplifies their code
//! once only. `benches/instructions.sh` counts the instructions, with several codegen units and with one.

#[allow(dead_code, unreachable_pub, reason = "a module of other crates too")]
#[path = "../../benches/classes/kernels.rs"]
mod kernels;

use cm::{Device, Event, Format, Surface2D, ThreadSpace};
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
