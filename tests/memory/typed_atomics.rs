//! Atomic operations on texels, lane by lane, against scalar updates.

use std::collections::HashMap;

use cm::compiler::ops::Texel;
use cm::interpret::{InterpretArg, interpret};
use cm::prelude::*;
use cm_test_kernels::typed as kernels;
use cm_test_support::devices::{devices, surface_devices};
use cm_test_support::memory::{Linear, Memory};
use cm_test_support::noise::{small_and_large, stream};
use cm_test_support::numbers::elements;

use crate::atomics::{Step, integer_steps};
use crate::typed::check;

const WIDTH: usize = 7;
const HEIGHT: usize = 3;
const LANES: usize = 32;

/// The columns of the texels, their rows, and the indices of the lanes. Every third texel is outside; some are equal.
fn places(seed: u32) -> Vec<i32> {
    let around = [
        [-1, 0],
        [0, -1],
        [WIDTH as i32, 1],
        [2, HEIGHT as i32],
        [i32::MIN, 0],
        [0x4000_0000, 0],
        [0, i32::MAX],
    ];
    let mut next = stream(seed);
    let texels: Vec<[i32; 2]> = (0..LANES)
        .map(|k| match k % 3 {
            1 => around[next() as usize % around.len()],
            _ => [(next() % WIDTH as u32) as i32, (next() % HEIGHT as u32) as i32],
        })
        .collect();
    let (columns, rows) = (texels.iter().map(|[u, _]| *u), texels.iter().map(|[_, v]| *v));
    columns.chain(rows).chain(0..LANES as i32).collect()
}

/// The texels of a surface, by scalar code.
struct Cells(Vec<u32>);

impl Cells {
    fn at(&mut self, u: i32, v: i32) -> Option<&mut u32> {
        let inside = (0..WIDTH as i32).contains(&u) && (0..HEIGHT as i32).contains(&v);
        inside.then(|| &mut self.0[v as usize * WIDTH + u as usize])
    }
}

/// The final texels, and the value that each operation of the first round found.
fn updated<T: bytemuck::Pod>(
    steps: &[Step<T>],
    places: &[i32],
    lanes: usize,
    [x, y]: [&[T]; 2],
    cells: &[u32],
) -> (Vec<u32>, Vec<u32>) {
    let (mut cells, mut before) = (Cells(cells.to_vec()), vec![]);
    for round in 0..2 {
        for step in steps {
            for k in 0..lanes {
                let cell = cells.at(places[k], places[LANES + k]);
                let old = cell.as_ref().map_or(0, |cell| **cell);
                if let Some(cell) = cell {
                    *cell = bytemuck::cast(step(bytemuck::cast(old), x[k], y[k]));
                }
                if round == 0 {
                    before.push(old);
                }
            }
        }
    }
    (cells.0, before)
}

#[test]
fn atomics() -> cm::Result<()> {
    macro_rules! updates {
        ($($name:ident: $t:ident, $($lanes:literal)*;)*) => {$($(
            for seed in [1, 20, 300] {
                let mut next = stream(seed);
                let (sources, cells) = (small_and_large(2 * LANES, &mut next), small_and_large(WIDTH * HEIGHT, &mut next));
                let places = places(seed);
                let (x, y) = bytemuck::cast_slice::<u32, $t>(&sources).split_at(LANES);
                let steps = integer_steps!($t);
                let (expected, before) = updated(&steps, &places, $lanes, [x, y], &cells);
                let name = format!("{} of {}", stringify!($name), $lanes);

                let mut at = Linear::new(bytemuck::cast_slice(&places).to_vec());
                let mut values = Linear::new(bytemuck::cast_slice(&sources).to_vec());
                let mut found = Linear::new(vec![0; steps.len() * $lanes * 4]);
                let mut texels = Memory::of_texels(Texel::Dword, WIDTH * 4, HEIGHT, bytemuck::cast_slice(&cells));
                let mut args = [
                    InterpretArg::Buffer(&mut at),
                    InterpretArg::Buffer(&mut values),
                    InterpretArg::Surface(&mut texels),
                    InterpretArg::Buffer(&mut found),
                ];
                interpret(&kernels::$name::<$lanes>::ir()?, &mut args, [0, 0]).unwrap();
                assert_eq!(elements::<u32>(&found.into_bytes()), before, "{name}, interpreted");
                assert_eq!(elements::<u32>(&texels.bytes()), expected, "{name}, interpreted");

                let format = (Format::R32, WIDTH, HEIGHT);
                let contents = (&places[..], bytemuck::cast_slice(&cells));
                let results = (&before[..], bytemuck::cast_slice(&expected));
                check::<$t>(&name, format, contents, results, |device, space, at, texels, old| {
                    let values = Buffer::from_slice(device, bytemuck::cast_slice::<u32, $t>(&sources))?;
                    kernels::$name::<$lanes>::launch(device, space, at, &values, texels, old)
                })?;
            }
        )*)*};
    }
    updates! {
        typed_atomics_u32: u32, 1 2 4 8 16 32;
        typed_atomics_i32: i32, 1 4 8 32;
    }
    Ok(())
}

#[test]
fn lanes_of_masks_are_updated() -> cm::Result<()> {
    let (bits, mut next) = (0x3c5a_96e1_u32, stream(6));
    let (places, cells) = (places(4), small_and_large(WIDTH * HEIGHT, &mut next));
    let (mut expected, mut before) = (Cells(cells.clone()), vec![0; 16]);
    let place = |k: usize| (places[k], places[LANES + k]);
    let x = |k: usize| place(k).0.wrapping_mul(5).wrapping_add(place(k).1) as u32;
    for k in (0..16).filter(|k| bits >> k & 1 != 0) {
        if let Some(cell) = expected.at(place(k).0, place(k).1) {
            before[k] = *cell;
            *cell = cell.wrapping_add(x(k));
        }
    }
    for k in (0..16).filter(|k| bits >> (16 + k) & 1 != 0) {
        expected.at(place(k).0, place(k).1).into_iter().for_each(|cell| *cell = cell.wrapping_add(1));
    }
    for k in (0..16).filter(|k| place(*k).0 & 1 != 0) {
        expected.at(place(k).0, place(k).1).into_iter().for_each(|cell| *cell ^= x(k));
    }
    let format = (Format::R32, WIDTH, HEIGHT);
    let contents = (&places[..], bytemuck::cast_slice(&cells));
    let results = (&before[..], bytemuck::cast_slice(&expected.0));
    check::<u32>("masks", format, contents, results, |device, space, at, texels, old| {
        kernels::masked_typed_atomics::launch(device, space, at, texels, old, bits)
    })
}

/// Threads that update the same texels, on several cores and on a GPU.
#[test]
fn votes_of_all_threads_are_counted() -> cm::Result<()> {
    let (width, height) = (37, 21);
    let mut expected = HashMap::<(i32, i32), u32>::new();
    for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
        for (u, v) in [(3, 0), (2, 2), (0, 3), (-2, 2), (-3, 0), (-2, -2), (0, -3), (2, -2)] {
            *expected.entry((x + u, y + v)).or_default() += 1;
        }
    }
    let expected: Vec<u32> = (0..height)
        .flat_map(|y| (0..width).map(move |x| (x, y)))
        .map(|place| expected.get(&place).copied().unwrap_or_default())
        .collect();
    for device in devices(3).into_iter().chain(surface_devices(1)) {
        let mut counts = Surface2D::new(&device, Format::R32, width as usize, height as usize)?;
        let space = ThreadSpace::new(width as usize, height as usize)?;
        kernels::votes::launch(&device, space, &mut counts)?;
        assert_eq!(elements::<u32>(&counts.to_vec()?), expected, "{}", device.name());
    }
    Ok(())
}

mod refused {
    use cm::prelude::*;

    #[kernel]
    pub(super) fn with_blocks(output: &mut Surface2D) {
        let at = Vector::<u32, 8>::splat(0);
        output.write_typed_atomic::<u32, 8>(atomic::Inc, &at, &at);
        output.write(0, 0, &Matrix::<u32, 1, 8>::splat(1));
    }

    #[kernel]
    pub(super) fn plane(output: &mut Surface2D) {
        let at = Vector::<u32, 8>::splat(0);
        output.plane_mut(Plane::U).write_typed_atomic::<u32, 8>(atomic::Inc, &at, &at);
    }

    #[kernel]
    pub(super) fn of_any_size<const L: usize>(output: &mut Surface2D) {
        let at = Vector::<u32, L>::splat(0);
        output.write_typed_atomic::<u32, L>(atomic::Inc, &at, &at);
    }
}

#[test]
fn rules_of_recordings_are_named() {
    for (error, words) in [
        (refused::with_blocks::ir().unwrap_err(), "typed accesses and media blocks of one surface"),
        (refused::plane::ir().unwrap_err(), "a typed access of a plane or a field"),
        (refused::of_any_size::<3>::ir().unwrap_err(), "a scattered message of 3 elements"),
    ] {
        let message = error.to_string();
        assert!(message.contains(words) && message.contains("typed_atomics.rs"), "{message}");
    }
    refused::of_any_size::<16>::ir().unwrap();
}

#[test]
fn surfaces_of_other_texels_are_named() -> cm::Result<()> {
    for device in surface_devices(1) {
        for format in [Format::R8, Format::R16, Format::R32F, Format::Rgba8] {
            let mut surface = Surface2D::new(&device, format, 8, 2)?;
            let space = ThreadSpace::new(1, 1)?;
            let error = refused::of_any_size::<8>::launch(&device, space, &mut surface).unwrap_err();
            assert!(matches!(error, cm::Error::TypedAtomic { .. }), "{error:?}");
            let message = error.to_string();
            assert!(message.contains(&format.to_string()) && message.contains("`output`"), "{message}");
        }
    }
    Ok(())
}
