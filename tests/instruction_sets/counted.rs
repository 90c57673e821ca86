//! A launch of each kernel of the bench `cpu`. `benches/instructions.sh` counts their instructions.

use cm::prelude::*;
use cm::{Buffer, Device, Format, Surface2D, ThreadSpace};
use cm_test_support::noise;

use crate::{Launch, families, linear};

/// Launches a kernel: what it reads and what it writes.
fn launch(
    launch: Launch,
    (format, width, height): (Format, usize, usize),
    to: (usize, usize),
    [columns, rows]: [usize; 2],
) -> cm::Result<[Vec<u8>; 2]> {
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
    launch(&device, ThreadSpace::new(columns, rows)?, &input, &mut output)?;
    Ok([data, output.to_vec()?])
}

macro_rules! box_filters {
    ($($name:ident)*) => {$(
        #[test]
        #[ignore = "`benches/instructions.sh` runs it"]
        fn $name() -> cm::Result<()> {
            let (width, height) = (5760, 1080);
            launch(linear::$name::launch, (Format::R8, width, height), (width, height), [width / 24, height / 6]).map(drop)
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
            launch(families::$name::launch, texels, ($width, $height), [3840 / $x, 2160 / $y]).map(drop)
        }
    )*};
}

with_families! { counted }

/// A sparse matrix times a vector: row `n` has the elements from `starts[n]` to before `starts[n + 1]`. A mask leaves out those
/// after the row.
#[kernel]
fn sparse_rows(
    starts: &Buffer<u32>,
    columns: &Buffer<u32>,
    values: &Buffer<f32>,
    x: &Buffer<f32>,
    y: &mut Buffer<f32>,
) {
    let row = thread_origin_y() * 64 + thread_origin_x();
    let begin = starts.read_scattered(0, row).get(0);
    let end = starts.read_scattered(0, row + 1).get(0);
    let mut lanes = Vector::<u32, 16>::splat(0);
    lanes.vector_assign(0, 1);
    let mut sum = Vector::<f32, 16>::splat(0.0f32);
    for i in (begin..end).step_by(16) {
        let at: Vector<u32, 16> = lanes + i;
        let active = at < end;
        let column = columns.read_scattered_masked(&active, 0, &at);
        let factor = x.read_scattered_masked(&active, 0, &column);
        sum += values.read_scattered_masked(&active, 0, &at) * factor;
    }
    y.write_scattered(0, row, math::sum::<f32, _>(sum));
}

#[test]
#[ignore = "`benches/instructions.sh` runs it"]
fn sparse() -> cm::Result<()> {
    let (rows, row) = (64 * 64, 25);
    let starts: Vec<u32> = (0..=rows as u32).map(|n| n * row).collect();
    let columns: Vec<u32> = (0..rows as u32 * row).map(|n| n.wrapping_mul(2_654_435) % rows as u32).collect();
    let values: Vec<f32> = columns.iter().map(|n| (n % 7) as f32).collect();
    let device = Device::cpu_with_threads(1)?;
    let (starts, of_columns) =
        (Buffer::from_slice(&device, &starts)?, Buffer::from_slice(&device, &columns)?);
    let (of_values, mut y) = (Buffer::from_slice(&device, &values)?, Buffer::<f32>::new(&device, rows)?);
    let x = Buffer::from_slice(&device, &values[..rows])?;
    sparse_rows::launch(&device, ThreadSpace::new(64, 64)?, &starts, &of_columns, &of_values, &x, &mut y)?;
    let expected = columns.iter().zip(&values).map(|(&column, value)| value * values[column as usize]);
    let expected: Vec<f32> = expected.collect();
    let sums: Vec<f32> = expected.chunks(row as usize).map(|row| row.iter().sum()).collect();
    assert_eq!(y.to_vec()?, sums);
    Ok(())
}

/// How many bytes of a block are above a literal, and their sum: a comparison with a name, which two merges use.
#[kernel]
fn bright_bytes(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x(), thread_origin_y());
    let m = input.read::<u8, 8, 32>(x * 32, y * 8);
    let bright = m > 100;
    let mut ones = Matrix::<u8, 8, 32>::splat(0);
    ones.merge(1, bright);
    let mut kept = Matrix::<u8, 8, 32>::splat(0);
    kept.merge(m, bright);
    let mut sums = Vector::<u32, 2>::splat(0);
    sums.get_mut(0).assign(math::sum::<u32, _>(ones));
    sums.get_mut(1).assign(math::sum::<u32, _>(kept));
    output.write(x * 8, y, &sums);
}

#[test]
#[ignore = "`benches/instructions.sh` runs it"]
fn bright() -> cm::Result<()> {
    let [input, sums] = launch(bright_bytes::launch, (Format::R8, 1920, 1080), (480, 135), [60, 135])?;
    for (n, sums) in sums.chunks_exact(8).enumerate() {
        let (x, y) = (n % 60 * 32, n / 60 * 8);
        let block = (y..y + 8).flat_map(|y| &input[y * 1920 + x..][..32]);
        let bright: Vec<u32> = block.filter(|byte| **byte > 100).map(|byte| u32::from(*byte)).collect();
        let expected = [bright.len() as u32, bright.iter().sum()].map(u32::to_le_bytes);
        assert_eq!(sums, expected.as_flattened(), "thread {n}");
    }
    Ok(())
}

/// The nearest of 8 colours for each pixel of four bytes, by squared distances of three channels with names of one `let`.
#[kernel]
fn nearest_colours(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    let m = input.read::<u8, 4, 64>(x * 4, y);
    let r: Matrix<i16, 4, 16> = m.select::<4, 1, 16, 4>(0, 0).convert();
    let g: Matrix<i16, 4, 16> = m.select::<4, 1, 16, 4>(0, 1).convert();
    let b: Matrix<i16, 4, 16> = m.select::<4, 1, 16, 4>(0, 2).convert();
    let mut best = Matrix::<i32, 4, 16>::splat(0x7fff_ffff);
    let mut nearest = Matrix::<u8, 4, 16>::splat(0);
    for k in 0..8 {
        let (across, up, deep) = (r - (k * 36) as i16, g - (k * k * 5) as i16, b - (255 - k * 30) as i16);
        let distance = across * across + up * up + deep * deep;
        let nearer = distance < best;
        best.merge(distance, &nearer);
        nearest.merge(k as u8, &nearer);
    }
    output.write(x, y, &nearest);
}

#[test]
#[ignore = "`benches/instructions.sh` runs it"]
fn colours() -> cm::Result<()> {
    let [input, found] = launch(nearest_colours::launch, (Format::R8, 3840, 1080), (960, 1080), [60, 270])?;
    for (pixel, found) in input.chunks_exact(4).zip(found) {
        let distance = |k: &i32| {
            let colour = [k * 36, k * k * 5, 255 - k * 30];
            (0..3).map(|c| (i32::from(pixel[c]) - colour[c]).pow(2)).sum::<i32>()
        };
        assert_eq!(Some(i32::from(found)), (0..8).min_by_key(distance), "{pixel:?}");
    }
    Ok(())
}

/// Products of a matrix with the columns of blocks of 8 x 8 words, as in a transform.
#[kernel]
fn products_of_columns(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 8);
    let m = input.read::<i16, 8, 8>(x, y);
    let mut out = Matrix::<i16, 8, 8>::splat(0);
    for i in 0..8 {
        let mut sum = Vector::<i32, 8>::splat(2);
        for j in 0..8 {
            sum += m.column(j).format::<i16>() * ((i * 8 + j) % 11 * 13) as i16;
        }
        out.row_mut(i).assign(sum >> 2);
    }
    output.write(x, y, &out);
}

#[test]
#[ignore = "`benches/instructions.sh` runs it"]
fn columns() -> cm::Result<()> {
    let (width, height) = (960, 536);
    let [input, found] =
        launch(products_of_columns::launch, (Format::R16, width, height), (width, height), [120, 67])?;
    let word = |bytes: &[u8], x: usize, y: usize| {
        i16::from_le_bytes([bytes[(y * width + x) * 2], bytes[(y * width + x) * 2 + 1]])
    };
    for (x, y) in (0..width).flat_map(|x| (0..height).map(move |y| (x, y))) {
        let (i, k) = (y % 8, x % 8);
        let terms =
            (0..8).map(|j| i32::from(word(&input, x - k + j, y - i + k)) * ((i * 8 + j) % 11 * 13) as i32);
        assert_eq!(word(&found, x, y), ((terms.sum::<i32>() + 2) >> 2) as i16, "({x}, {y})");
    }
    Ok(())
}

/// Bits of comparisons with the middle of 5 x 5 texels, in a loop that is not unrolled, plus the texels by weights with a name.
#[kernel]
fn compared_with_the_middle(input: &Surface2D, output: &mut Surface2D) {
    const WEIGHTS: [[i16; 5]; 5] =
        [[1, -2, 3, -2, 1], [4, 8, -6, 8, 4], [-7, 12, 60, 12, -7], [4, 8, -6, 8, 4], [1, -2, 3, -2, 1]];
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    let m = input.read_block::<u8, 8, 20>(x, y);
    let mid = m.select::<4, 1, 16, 1>(2, 2);
    let mut bits = Matrix::<u32, 4, 16>::splat(0);
    for i in 0..5 {
        for j in 0..5 {
            if i != 2 || j != 2 {
                bits <<= 1;
                bits |= m.select::<4, 1, 16, 1>(i, j) < mid;
            }
        }
    }
    let mut sum = Matrix::<i32, 4, 16>::splat(64);
    for i in 0..5 {
        for j in 0..5 {
            let weight = WEIGHTS[i][j];
            sum += m.select::<4, 1, 16, 1>(i, j) * weight;
        }
    }
    output.write(x * 4, y, &(bits + sum));
}

#[test]
#[ignore = "`benches/instructions.sh` runs it"]
fn middles() -> cm::Result<()> {
    let (width, height) = (960, 536);
    let weights =
        [[1, -2, 3, -2, 1], [4, 8, -6, 8, 4], [-7, 12, 60, 12, -7], [4, 8, -6, 8, 4], [1, -2, 3, -2, 1]];
    let [input, found] = launch(
        compared_with_the_middle::launch,
        (Format::R8, width + 4, height + 4),
        (width * 4, height),
        [60, 134],
    )?;
    for (n, found) in found.chunks_exact(4).enumerate() {
        let (x, y) = (n % width, n / width);
        let at = |i: usize, j: usize| input[(y + i) * (width + 4) + x + j];
        let (mut bits, mut sum) = (0_u32, 64);
        for (i, j) in (0..5).flat_map(|i| (0..5).map(move |j| (i, j))) {
            if i != 2 || j != 2 {
                bits = bits << 1 | u32::from(at(i, j) < at(2, 2));
            }
            sum += i32::from(at(i, j)) * weights[i][j];
        }
        assert_eq!(found, bits.wrapping_add(sum as u32).to_le_bytes(), "({x}, {y})");
    }
    Ok(())
}

/// Squared lengths of eight rows of 16 floats, of two threads that run together.
#[kernel]
fn squared_lengths(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x(), thread_origin_y() * 8);
    let mut lengths = Vector::<f32, 8>::splat(0.0);
    for row in 0..8 {
        let v: Vector<f32, 16> = input.read(x * 64, y + row as u32);
        let w: Vector<f32, 16> = (v * v).convert();
        lengths.get_mut(row).assign(math::sum::<f32, _>(w));
    }
    output.write(x * 32, y / 8, &lengths);
}

#[test]
#[ignore = "`benches/instructions.sh` runs it"]
fn lengths() -> cm::Result<()> {
    let [input, found] = launch(squared_lengths::launch, (Format::R32F, 960, 536), (480, 67), [60, 67])?;
    let number =
        |bytes: &[u8], n: usize| f32::from_le_bytes(bytes[n * 4..][..4].try_into().expect("four bytes"));
    for n in 0..480 * 67 {
        let (x, y) = (n % 480 / 8, n / 480 * 8 + n % 8);
        let mut all: Vec<f32> = (0..16).map(|k| number(&input, y * 960 + x * 16 + k).powi(2)).collect();
        while all.len() > 1 {
            let upper = all.split_off(all.len() / 2);
            all.iter_mut().zip(upper).for_each(|(a, b)| *a += b);
        }
        assert_eq!(number(&found, n), all[0], "row {y}, thread {x}");
    }
    Ok(())
}
