//! Surfaces over buffers.

use cm::Error;
use cm::prelude::*;

use super::model::{BuiltIn, Picture};
use cm_test_kernels::media_block_io::{reads_ui2, reads_us8, writes_us8};
use cm_test_support::spaces::one;

/// A picture in a buffer with rows `pitch` bytes apart; all other bytes are 0xee.
fn buffer_of(device: &Device, picture: &Picture, offset: usize, pitch: usize) -> Buffer<u8> {
    let mut bytes = vec![0xee; offset + pitch * picture.height + 5];
    for (y, row) in picture.bytes.chunks(picture.width).enumerate() {
        bytes[offset + y * pitch..][..row.len()].copy_from_slice(row);
    }
    Buffer::from_slice(device, &bytes).unwrap()
}

#[test]
fn surfaces_of_buffers_read_and_write_as_others() -> cm::Result<()> {
    let device = Device::cpu()?;
    let input = Picture::noise(Format::R16, 52, 20, 31);
    let built_in = BuiltIn { element: 2, components: 8, sub_group: 16, width: 6, height: 5 };
    for (offset, pitch) in [(0, 64), (48, 64), (16, 192)] {
        let surface = || {
            let buffer = buffer_of(&device, &input, offset, pitch);
            Surface2D::from_buffer(&device, buffer, offset, Format::R16, 26, 20, pitch)
        };
        assert_eq!(surface()?.to_vec()?, input.bytes);
        for (x, y) in [(4, 3), (-4, -2), (48, 18), (60, 7)] {
            let mut output = Surface2D::new(&device, Format::R8, 32, 8)?;
            reads_us8::<16, 6, 5>::launch(&device, one(), &surface()?, &mut output, x, y)?;
            assert_eq!(output.to_vec()?, built_in.read(&input, x, y).concat(), "{x}, {y}");

            let values = Picture::noise(Format::R8, 32, 8, 37);
            let source = Surface2D::from_bytes(&device, Format::R8, 32, 8, &values.bytes)?;
            let mut written = surface()?;
            writes_us8::<16, 6, 5>::launch(&device, one(), &source, &mut written, x, y)?;
            let mut expected = input.clone();
            let rows: Vec<_> = values.bytes.chunks(32).map(<[u8]>::to_vec).collect();
            built_in.write(&mut expected, x, y, &rows);
            let bytes = written.into_buffer().expect("it was made from a buffer").to_vec()?;
            assert!(bytes == buffer_of(&device, &expected, offset, pitch).to_vec()?, "{x}, {y}");
        }
    }
    assert!(Surface2D::new(&device, Format::R8, 4, 4)?.into_buffer().is_none());
    Ok(())
}

#[test]
fn bytes_go_in_and_out_of_surfaces_of_buffers() -> cm::Result<()> {
    let device = Device::cpu()?;
    let picture = Picture::noise(Format::R8, 12, 5, 41);
    let buffer = Buffer::from_slice(&device, &[0xee; 3 + 20 * 5 + 5])?;
    let mut surface = Surface2D::from_buffer(&device, buffer, 3, Format::R8, 12, 5, 20)?;
    surface.write_bytes(&picture.bytes)?;
    assert_eq!(surface.to_vec()?, picture.bytes);
    assert!(matches!(
        surface.write_bytes(&[0; 100]),
        Err(Error::WrongLength { expected: 60, found: 100, .. })
    ));
    assert_eq!(surface.into_buffer().unwrap().to_vec()?, buffer_of(&device, &picture, 3, 20).to_vec()?);
    Ok(())
}

#[test]
fn surfaces_lie_inside_of_their_buffers() -> cm::Result<()> {
    let device = Device::cpu()?;
    let made = |len: usize, offset: usize, format: Format, width: usize, height: usize, pitch: usize| {
        let buffer = Buffer::new(&device, len)?;
        Ok(Surface2D::from_buffer(&device, buffer, offset, format, width, height, pitch)?)
    };
    made(64 + 8, 0, Format::R8, 8, 2, 64)?;
    made(64 + 9, 1, Format::R8, 8, 2, 64)?;
    assert!(matches!(made(71, 0, Format::R8, 8, 2, 64), Err(Error::ShortBuffer { needed: 72, found: 71 })));
    assert!(matches!(made(72, 1, Format::R8, 8, 2, 64), Err(Error::ShortBuffer { needed: 73, found: 72 })));
    assert!(matches!(made(72, usize::MAX, Format::R8, 8, 2, 64), Err(Error::ShortBuffer { .. })));
    assert!(matches!(made(72, 0, Format::R8, 8, 2, usize::MAX), Err(Error::RowPitch { .. })));
    assert!(matches!(made(72, 0, Format::R8, 8, 1, 1 << 31), Err(Error::RowPitch { .. })));
    made(72, 0, Format::R8, 8, 1, (1 << 31) - 1)?;
    assert!(matches!(
        made(200, 0, Format::R8, 8, 2, 7),
        Err(Error::RowPitch { row_pitch: 7, row: 8, multiple: 1 })
    ));
    assert!(matches!(
        made(200, 0, Format::R32, 2, 2, 10),
        Err(Error::RowPitch { row_pitch: 10, row: 8, multiple: 4 })
    ));
    assert!(matches!(made(200, 0, Format::R8, 0, 2, 64), Err(Error::EmptySurface { .. })));
    Ok(())
}

#[test]
fn the_restrictions_of_surfaces_of_buffers() -> cm::Result<()> {
    let device = Device::cpu()?;
    let made = |offset, pitch| {
        let buffer = Buffer::new(&device, 8192)?;
        cm::Result::Ok(Surface2D::from_buffer(&device, buffer, offset, Format::R8, 32, 20, pitch)?)
    };
    let read = |offset, pitch| -> cm::Result<()> {
        let mut output = Surface2D::new(&device, Format::R8, 32, 8)?;
        reads_us8::<16, 6, 5>::launch(&device, one(), &made(offset, pitch)?, &mut output, 0, 0).map(drop)
    };
    let written = |offset, pitch| -> cm::Result<()> {
        let input = Surface2D::new(&device, Format::R8, 32, 8)?;
        writes_us8::<16, 6, 5>::launch(&device, one(), &input, &mut made(offset, pitch)?, 0, 0).map(drop)
    };
    read(0, 64)?;
    written(0, 64)?;
    for result in [read(0, 96), written(0, 96)] {
        assert!(matches!(result, Err(Error::LinearPitch { row_pitch: 96, multiple: 64, .. })), "{result:?}");
    }
    for result in [read(8, 64), written(8, 64)] {
        assert!(matches!(result, Err(Error::LinearAddress { multiple: 16, .. })), "{result:?}");
    }
    let mut output = Surface2D::new(&device, Format::R8, 64, 8)?;
    reads_ui2::<16, 1, 16>::launch(&device, one(), &made(0, 64)?, &mut output, 0, 0)?;
    let result = reads_ui2::<16, 1, 17>::launch(&device, one(), &made(0, 64)?, &mut output, 0, 0);
    assert!(
        matches!(result, Err(Error::LinearRows { argument: "input", rows: 17, limit: 16, .. })),
        "{result:?}"
    );
    // The same kernel reads 17 rows of other surfaces.
    let other = Surface2D::new(&device, Format::R8, 32, 20)?;
    reads_ui2::<16, 1, 17>::launch(&device, one(), &other, &mut output, 0, 0)?;
    Ok(())
}
