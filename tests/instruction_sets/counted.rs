//! A launch of each kernel of the bench `cpu`. `benches/instructions.sh` counts their instructions.

use cm::{Device, Format, Surface2D, ThreadSpace};
use cm_test_support::noise;

use crate::{Launch, families, linear};

fn launch(
    launch: Launch,
    (format, width, height): (Format, usize, usize),
    to: (usize, usize),
    [columns, rows]: [usize; 2],
) -> cm::Result<()> {
    let mut data = noise::bytes(width * height * format.texel_bytes(), 0);
    if format == Format::R32F {
        for texel in data.chunks_exact_mut(4) {
            let value = f32::from(texel[0]) / 64.0 - 2.0;
            texel.copy_from_slice(&value.to_le_bytes());
        }
    }
    let device = Device::cpu_with_threads(1)?;
    let input = Surface2D::from_bytes(&device, format, width, height, &data)?;
    let mut output = Surface2D::new(&device, format, to.0, to.1)?;
    launch(&device, ThreadSpace::new(columns, rows)?, &input, &mut output).map(drop)
}

macro_rules! box_filters {
    ($($name:ident)*) => {$(
        #[test]
        #[ignore = "`benches/instructions.sh` runs it"]
        fn $name() -> cm::Result<()> {
            let (width, height) = (5760, 1080);
            launch(linear::$name::launch, (Format::R8, width, height), (width, height), [width / 24, height / 6])
        }
    )*};
}

box_filters! { linear linear1d2 linearslide linearslide2 }

macro_rules! counted {
    ($($name:ident $format:ident $width:literal $height:literal, $x:literal $y:literal;)*) => {$(
        #[test]
        #[ignore = "`benches/instructions.sh` runs it"]
        fn $name() -> cm::Result<()> {
            let texels = (Format::$format, 3840 / Format::$format.texel_bytes(), 2160);
            launch(families::$name::launch, texels, ($width, $height), [3840 / $x, 2160 / $y])
        }
    )*};
}

with_families! { counted }
