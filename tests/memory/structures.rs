//! Structures of arguments: each field is checked like a parameter, and the kernel has the same bytes as with
//! parameters.

use cm::Error;
use cm::channels::CM_R;
use cm::prelude::*;
use cm_test_support::devices::{devices, level_zero};

/// Fields of every kind, in another structure and in the order of the source.
#[derive(Arguments)]
struct Images<'a> {
    input: &'a Surface2D,
    output: &'a mut Surface2D,
    volume: &'a mut Surface3D,
    sums: Sums<'a, 'a>,
    weights: Vector<i16, 8>,
    shift: u32,
}

/// With lifetimes of their own.
#[derive(Arguments)]
pub(crate) struct Sums<'from, 'to> {
    pub(crate) from: &'from Buffer<u32>,
    to: &'to mut Buffer<u32>,
}

/// Generic over a constant.
#[derive(Arguments)]
struct Row<const N: usize> {
    elements: Vector<u32, N>,
    factor: u32,
}

/// The parts of a structure go to functions: the whole inner one, a reference, and values.
#[function]
fn add(sums: Sums<'_, '_>, at: u32, by: Vector<u32, 8>) {
    let sum: Vector<u32, 8> = sums.from.read::<8>(at * 32) + by;
    if at < 3 {
        sums.to.write(at * 32, &sum);
    }
}

#[function]
fn show(output: &mut Surface2D, x: u32, row: Vector<u8, 8>) {
    output.write(x, 0, &row);
}

#[kernel]
fn weigh(images: Images<'_>, by: u32) {
    let x = thread_origin_x();
    let block = images.input.read::<u8, 1, 8>(x * 8, 0);
    let row: Vector<u8, 8> = ((block.row(0) * images.weights) >> images.shift).convert();
    show(images.output, x * 8, row);
    let mut total: Vector<u32, 8> = row.convert();
    for _ in 0..2 {
        total += by;
    }
    let columns: Vector<u32, 8> = Vector::<u32, 8>::splat(0) + x;
    let zeros: Vector<u32, 8> = Vector::splat(0);
    let last: Vector<u32, 8> = Vector::<u32, 8>::splat(0) + total.get(7);
    images.volume.write_typed::<CM_R, 1, 8>(&columns, &zeros, &zeros, &last.format::<u32, 1, 8>());
    add(images.sums, x, total);
}

#[kernel]
fn multiply<const N: usize>(row: Row<N>, to: &mut Buffer<u32>) {
    let product: Vector<u32, N> = (row.elements * row.factor).convert();
    to.write_any(0, &product);
}

/// Fields get names of their own, and one is a variable.
#[kernel]
fn named(images: Images<'_>, row: Row<8>) {
    let Images { input: from, sums, shift, .. } = images;
    let Sums { from: _, to } = sums;
    let Row { mut elements, factor } = row;
    elements += factor;
    let block = from.read::<u8, 1, 8>(0, 0);
    to.write(0, &((elements << shift) + block.row(0)).convert::<u32>());
}

const WIDTH: usize = 32;
const THREADS: usize = WIDTH / 8;

#[test]
fn fields_are_arguments() -> cm::Result<()> {
    let bytes: Vec<u8> = (0..WIDTH as u8).collect();
    let numbers: Vec<u32> = (0..WIDTH as u32).map(|x| x * 1000).collect();
    for device in &devices(2) {
        let input = Surface2D::from_bytes(device, Format::R8, WIDTH, 1, &bytes)?;
        let mut output = Surface2D::new(device, Format::R8, WIDTH, 1)?;
        let mut volume = Surface3D::new(device, Format::R32, THREADS, 1, 1)?;
        let from = Buffer::from_slice(device, &numbers)?;
        let mut to = Buffer::new(device, WIDTH)?;
        let weights = Vector::from_array([1, 2, 3, 4, 5, 6, 7, 8]);
        let sums = Sums { from: &from, to: &mut to };
        let images =
            Images { input: &input, output: &mut output, volume: &mut volume, sums, weights, shift: 1 };
        weigh::launch(device, ThreadSpace::new(THREADS, 1)?, images, 5)?;
        let weighted: Vec<u8> =
            bytes.iter().zip((1..=8).cycle()).map(|(x, weight)| (x * weight) >> 1).collect();
        assert_eq!(output.to_vec()?, weighted, "{device:?}");
        let last = |thread: usize| u32::from(weighted[thread * 8 + 7]) + 10;
        let texels: Vec<u32> =
            volume.to_vec()?.as_chunks().0.iter().map(|x| u32::from_ne_bytes(*x)).collect();
        assert_eq!(texels, (0..THREADS).map(last).collect::<Vec<_>>(), "{device:?}");
        let sums = |at: usize| if at < 24 { numbers[at] + u32::from(weighted[at]) + 10 } else { 0 };
        assert_eq!(to.to_vec()?, (0..WIDTH).map(sums).collect::<Vec<_>>(), "{device:?}");
    }
    Ok(())
}

#[test]
fn patterns_name_the_fields() -> cm::Result<()> {
    for device in &devices(1) {
        let input = Surface2D::from_bytes(device, Format::R8, 8, 1, &[1, 2, 3, 4, 5, 6, 7, 8])?;
        let mut output = Surface2D::new(device, Format::R8, 8, 1)?;
        let mut volume = Surface3D::new(device, Format::R32, 1, 1, 1)?;
        let from = Buffer::new(device, 8)?;
        let mut to = Buffer::new(device, 8)?;
        let sums = Sums { from: &from, to: &mut to };
        let weights = Vector::splat(1);
        let images =
            Images { input: &input, output: &mut output, volume: &mut volume, sums, weights, shift: 4 };
        let row = Row { elements: Vector::from_array([8, 7, 6, 5, 4, 3, 2, 1]), factor: 2 };
        named::launch(device, ThreadSpace::new(1, 1)?, images, row)?;
        assert_eq!(to.to_vec()?, [161, 146, 131, 116, 101, 86, 71, 56], "{device:?}");
    }
    Ok(())
}

#[test]
fn constants_are_generics() -> cm::Result<()> {
    for device in &devices(1) {
        let mut to = Buffer::new(device, 8)?;
        let row = Row { elements: Vector::from_array([1, 2, 3, 4, 5, 6, 7, 8]), factor: 3 };
        multiply::<8>::launch(device, ThreadSpace::new(1, 1)?, row, &mut to)?;
        assert_eq!(to.to_vec()?, [3, 6, 9, 12, 15, 18, 21, 24], "{device:?}");
    }
    Ok(())
}

#[test]
fn slices_and_scopes_take_structures() -> cm::Result<()> {
    for device in &devices(1) {
        let from = Buffer::from_slice(device, &(0..64).collect::<Vec<u32>>())?;
        let mut to = Buffer::<u32>::new(device, 32)?;
        let space = ThreadSpace::new(1, 1)?;
        let mut slice = to.slice_mut(16..)?;
        device.scope(|scope| {
            let sums = Sums { from: &*from.slice(32..)?, to: &mut slice };
            copy::enqueue(scope, space, sums).map(drop)
        })?;
        drop(slice);
        assert_eq!(to.to_vec()?, [vec![0; 16], (32..40).collect(), vec![0; 8]].concat(), "{device:?}");
    }
    Ok(())
}

#[kernel]
fn copy(sums: Sums<'_, '_>) {
    sums.to.write(0, &sums.from.read::<8>(0));
}

/// Errors name the field, and whether threads may run in parallel is decided for each field.
#[test]
fn errors_name_the_field() -> cm::Result<()> {
    let cpu = Device::cpu()?;
    let ir = copy::ir()?;
    let names: Vec<_> = ir.params.iter().map(|param| &*param.name).collect();
    assert_eq!(names, ["sums.from", "sums.to"]);
    let text = ir.to_string();
    assert_eq!(cm::text::parse(&text).map(|parsed| parsed.to_string()).as_ref(), Ok(&text));
    let from = Buffer::from_slice(&cpu, &[1; 8])?;
    let mut to = Buffer::new(&cpu, 8)?;
    let event = copy::launch(&cpu, ThreadSpace::new(2, 1)?, Sums { from: &from, to: &mut to })?;
    assert_eq!(event.ran_one_by_one().map(|why| why.argument()), Some("sums.to"));
    if let Some(device) = level_zero() {
        let sums = Sums { from: &from, to: &mut Buffer::new(device, 8)? };
        let error = copy::launch(device, ThreadSpace::new(1, 1)?, sums).unwrap_err();
        assert!(matches!(error, Error::OtherDevice { argument: "sums.from", .. }), "{error}");
    }
    Ok(())
}
