//! Rules that are checked when a kernel is recorded, and the built-ins in plain Rust and in functions.

use cm::Backend;
use cm::dsl::recorder::Cause;
use cm::limits::Violation;
use cm::media_block_io::*;
use cm::prelude::*;
use cm::surface::Surface;

#[kernel]
fn computed_column(input: &Surface2D, output: &mut Surface2D) {
    for n in 0..2 {
        let texels = sub_group_media_block_read_uc4::<16, 16, 4>(n * 6, 0, input);
        sub_group_media_block_write_uc4::<16, 16, 4>(n * 16, 0, texels, output);
    }
}

#[kernel]
fn column_of_the_thread(input: &Surface2D, output: &mut Surface2D) {
    let x = thread_origin_x() * 6;
    let texels = sub_group_media_block_read_uc4::<16, 16, 4>(x, 0, input);
    sub_group_media_block_write_uc4::<16, 16, 4>(thread_origin_x() * 16, 0, texels, output);
}

#[kernel]
fn written_column_of_the_thread(input: &Surface2D, output: &mut Surface2D) {
    let texels = sub_group_media_block_read_uc4::<16, 16, 4>(0, 0, input);
    sub_group_media_block_write_uc4::<16, 16, 4>(thread_origin_x() * 16 - 2, 0, texels, output);
}

#[kernel]
fn any_size<const SG: usize, const WIDTH: usize, const HEIGHT: usize>(
    input: &Surface2D,
    output: &mut Surface2D,
) {
    let texels = sub_group_media_block_read_uc4::<SG, WIDTH, HEIGHT>(0, 0, input);
    sub_group_media_block_write_uc4::<SG, WIDTH, HEIGHT>(0, 0, texels, output);
}

fn rule<T: std::fmt::Debug>(recorded: cm::Result<T>) -> Violation {
    match recorded {
        Err(cm::Error::Record(error)) => match error.cause {
            Cause::Violation(violation) => violation,
            other => panic!("{other}"),
        },
        other => panic!("{other:?}"),
    }
}

#[test]
fn columns_are_multiples_of_4() {
    assert_eq!(rule(computed_column::ir()), Violation::MediaBlockIoColumn { column: 6 });
    assert_eq!(rule(column_of_the_thread::ir()), Violation::MediaBlockIoColumns);
    assert_eq!(rule(written_column_of_the_thread::ir()), Violation::MediaBlockIoColumns);
}

#[test]
fn the_line_of_a_column_is_the_users() {
    let Err(cm::Error::Record(error)) = column_of_the_thread::ir() else { panic!("no error") };
    assert_eq!((&*error.file, error.line), (file!(), 21), "{error}");
}

/// Every width and height, against the table of the extension.
#[test]
fn the_table_of_widths_and_heights() {
    macro_rules! heights {
        ($($width:literal: $($height:literal)*;)*) => {$({
            let most = match $width {
                4 => 64,
                8 => 32,
                12 | 16 => 16,
                20 | 24 | 28 | 32 => 8,
                _ => 0,
            };
            $(
                let recorded = any_size::<16, $width, $height>::ir();
                if (1..=most).contains(&$height) {
                    recorded.unwrap();
                } else {
                    assert_eq!(rule(recorded), Violation::MediaBlockIo { rows: $height, width: $width });
                }
            )*
        })*};
    }
    heights! {
        0: 1; 2: 1; 4: 0 1 64 65; 6: 1; 8: 1 32 33; 10: 1; 12: 1 16 17; 14: 1; 16: 1 16 17; 18: 1; 20: 1 8 9;
        24: 1 8 9; 28: 1 8 9; 30: 1; 32: 0 1 8 9; 34: 1; 36: 1 4; 64: 1;
    }
    for (recorded, size) in
        [(any_size::<4, 4, 1>::ir(), 4), (any_size::<24, 4, 1>::ir(), 24), (any_size::<64, 4, 1>::ir(), 64)]
    {
        assert_eq!(rule(recorded), Violation::SubGroup { size });
    }
    for recorded in [any_size::<8, 4, 1>::ir(), any_size::<16, 4, 1>::ir(), any_size::<32, 4, 1>::ir()] {
        recorded.unwrap();
    }
}

/// An ordinary function, generic over backends.
fn sums<B: Backend>(image: &Surface<B>, x: Scalar<i32, B>, y: Scalar<i32, B>) -> Vector<u16, 16, B> {
    let texels = sub_group_media_block_read_uc2::<16, 16, 2, B>(x, y, image);
    (texels.row(0) + texels.row(1)).convert()
}

/// A function of kernels, of any size.
#[function]
fn store<const SG: usize>(image: &mut Surface2D, x: i32, y: i32, texels: Vector<u16, SG>) {
    sub_group_media_block_write_us::<SG, 16, 1>(x, y, texels, image);
}

#[kernel]
fn by_functions(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x().convert::<i32>(), thread_origin_y().convert::<i32>());
    let mut texels = sums(input, x * 16, y * 2);
    texels += 1;
    store::<16>(output, x * 32, y, texels);
}

#[test]
fn functions_take_surfaces() -> cm::Result<()> {
    let device = Device::cpu()?;
    let bytes: Vec<u8> = (0..32 * 4).collect();
    let input = Surface2D::from_bytes(&device, Format::R8, 32, 4, &bytes)?;
    let mut output = Surface2D::new(&device, Format::R16, 32, 2)?;
    by_functions::launch(&device, ThreadSpace::new(2, 2)?, &input, &mut output)?;
    let expected: Vec<u8> = (0..2usize)
        .flat_map(|y| (0..32usize).map(move |x| (2 * y * 32 + x, (2 * y + 1) * 32 + x)))
        .flat_map(|(a, b)| (u16::from(bytes[a]) + u16::from(bytes[b]) + 1).to_le_bytes())
        .collect();
    assert_eq!(output.to_vec()?, expected);
    Ok(())
}

/// Columns of any type, and constants.
#[kernel]
fn columns(input: &Surface2D, output: &mut Surface2D, start: i16) {
    const FOUR: i64 = 4;
    let a = sub_group_media_block_read_uc::<8, 8, 1>(-4, 0, input);
    let b = sub_group_media_block_read_uc::<8, 8, 1>(FOUR, 1, input);
    let c = sub_group_media_block_read_uc::<8, 8, 1>(start, 0u8, input);
    let d = sub_group_media_block_read_uc::<8, 8, 1>(8, -1, input);
    sub_group_media_block_write_uc::<8, 8, 1>(0, 0, a, output);
    sub_group_media_block_write_uc::<8, 8, 1>(8usize, 0, b, output);
    sub_group_media_block_write_uc::<8, 8, 1>(16, 0, c, output);
    sub_group_media_block_write_uc::<8, 8, 1>(24, 0, d, output);
}

#[test]
fn columns_are_numbers_of_any_type() -> cm::Result<()> {
    let device = Device::cpu()?;
    let bytes: Vec<u8> = (0..32).collect();
    let input = Surface2D::from_bytes(&device, Format::R8, 16, 2, &bytes)?;
    let mut output = Surface2D::new(&device, Format::R8, 32, 1)?;
    columns::launch(&device, ThreadSpace::new(1, 1)?, &input, &mut output, 4)?;
    let expected: Vec<u8> =
        [0, 0, 0, 0, 0, 1, 2, 3].into_iter().chain(20..28).chain(4..12).chain(8..16).collect();
    assert_eq!(output.to_vec()?, expected);
    // Columns that are not known in advance are read unaligned.
    columns::launch(&device, ThreadSpace::new(1, 1)?, &input, &mut output, 6)?;
    assert_eq!(output.to_vec()?[16..24], [6, 7, 8, 9, 10, 11, 12, 13]);
    Ok(())
}
