//! Calls of the library: sizes, lengths, rectangles, thread spaces, and arguments of kernels.

use cm::Error;
use cm::channels::CM_R;
use cm::prelude::*;
use cm::sampler::{Clamp, Nearest};

/// A call, the variant of its error, and words of the message.
type Row = (&'static str, fn(&Device) -> cm::Result<()>, &'static str, &'static [&'static str]);

/// The largest coordinate.
const MOST: usize = i32::MAX as usize;

#[kernel]
fn copy(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y());
    output.write(x, y, &input.read::<u8, 1, 16>(x, y));
}

#[kernel]
fn odd_columns(input: &Surface2D, output: &mut Surface2D) {
    output.write(thread_origin_x() * 4, 0, &input.read::<u8, 1, 4>(thread_origin_x() * 3, 0));
}

#[kernel]
fn odd_writes(output: &mut Surface2D) {
    output.write(thread_origin_x() * 4 + 2, 0, &Vector::<u8, 4>::splat(1));
}

#[kernel]
fn wide<const N: usize>(input: &Surface2D) {
    let _block = input.read::<u8, 1, N>(0, 0);
}

#[kernel]
fn tall<const N: usize>(input: &Surface2D) {
    let _block = input.read::<u8, N, 4>(0, 0);
}

#[kernel]
fn rows_of(input: &Buffer<u8>, width: i32, height: i32, pitch: i32) {
    let _block = input.load_2d::<4, 16>(width, height, pitch, 0, 0);
}

#[kernel]
fn owords<const N: usize>(input: &Buffer<u32>) {
    let _block = input.read::<N>(0);
}

#[kernel]
fn offset(input: &Buffer<u32>) {
    for i in 1..3 {
        let _block = input.read::<4>(i * 8);
    }
}

#[kernel]
fn thread_offset(output: &mut Buffer<u32>) {
    output.write(thread_origin_x() * 4, &Vector::<u32, 4>::splat(1));
}

#[kernel]
fn gathered<const N: usize>(input: &Buffer<u32>) {
    let _elements = input.read_scattered(0, &Vector::<u32, N>::splat(1));
}

#[kernel]
fn texels(input: &Surface2D) {
    let at = Vector::<u32, 8>::splat(0);
    let _texels = input.read_typed::<u32, CM_R, 1, 8>(&at, &at);
}

#[kernel]
fn samples(input: &Surface2D, sampler: Sampler<Nearest, Clamp>) {
    let at = Vector::<f32, 8>::splat(0);
    let _samples = input.sample::<u32, CM_R, 1, 8>(&sampler, &at, &at);
}

#[kernel]
fn loads_in_slices(input: &Surface3D, way: Sampler<Nearest, Clamp>) {
    let at = Vector::<i32, 8>::splat(0);
    let _loads = input.load_texels::<u32, CM_R, 1, 8>(&way, &at, &at, &at);
}

#[function]
fn sampled(input: &Surface2D, sampler: Sampler<Nearest, Clamp>) {
    let at = Vector::<f32, 8>::splat(0);
    let _samples = input.sample::<u32, CM_R, 1, 8>(&sampler, &at, &at);
}

#[kernel]
fn two_samplers(input: &Surface2D, first: Sampler<Nearest, Clamp>, second: Sampler<Nearest, Clamp>) {
    sampled(input, first);
    let again = second;
    sampled(input, again);
}

#[kernel]
fn votes(output: &mut Surface2D) {
    let at = Vector::<u32, 8>::splat(0);
    output.write_typed_atomic::<u32, 8>(atomic::Inc, &at, &at);
}

#[kernel]
fn slices(input: &Surface3D) {
    let at = Vector::<u32, 8>::splat(0);
    let _texels = input.read_typed::<u32, CM_R, 1, 8>(&at, &at, &at);
}

#[kernel]
fn votes_in_slices(output: &mut Surface3D) {
    let at = Vector::<u32, 8>::splat(0);
    output.write_typed_atomic::<u32, 8>(atomic::Inc, &at, &at, &at);
}

#[kernel]
fn texels_and_blocks(input: &Surface2D) {
    let at = Vector::<u32, 8>::splat(0);
    let _texels = input.read_typed::<u32, CM_R, 1, 8>(&at, &at);
    let _block = input.read::<u8, 1, 16>(0, 0);
}

#[kernel]
fn texels_of_a_plane(input: &Surface2D) {
    let at = Vector::<u32, 8>::splat(0);
    let _texels = input.plane(Plane::U).read_typed::<u32, CM_R, 1, 8>(&at, &at);
}

#[kernel]
fn negative(input: &Buffer<u32>, at: Vector<u32, 8>) {
    for i in 1..2 {
        let _elements = input.read_scattered(-i, &at);
    }
}

#[kernel]
fn column<const AT: usize>(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 4, 16>(0, 0);
    let part = m.select_any::<4, 1, 8, 1>(0, AT);
    output.write(0, 0, &part);
}

#[kernel]
fn endless(output: &mut Surface2D) {
    let mut m = Matrix::<u8, 1, 4>::splat(0);
    for _ in 0..i64::MAX {
        m += 1;
    }
    output.write(0, 0, &m);
}

fn surface(device: &Device, format: Format, width: usize, height: usize) -> cm::Result<Surface2D> {
    Surface2D::new(device, format, width, height)
}

/// 8 x 4 bytes.
fn small(device: &Device) -> cm::Result<Surface2D> {
    surface(device, Format::R8, 8, 4)
}

fn cube(device: &Device, format: Format, [width, height, depth]: [usize; 3]) -> cm::Result<Surface3D> {
    Surface3D::new(device, format, width, height, depth)
}

/// 4 x 3 x 2 bytes.
fn little(device: &Device) -> cm::Result<Surface3D> {
    cube(device, Format::R8, [4, 3, 2])
}

fn dependencies(vectors: &[[i32; 2]]) -> cm::Result<()> {
    Ok(DependencyPattern::custom(vectors).map(drop)?)
}

fn one() -> cm::Result<ThreadSpace> {
    ThreadSpace::new(1, 1)
}

/// A surface of 16 x 2 bytes over a buffer of this many bytes.
fn linear(device: &Device, bytes: usize, offset: usize, pitch: usize) -> cm::Result<Surface2D> {
    Ok(Surface2D::from_buffer(device, Buffer::new(device, bytes)?, offset, Format::R8, 16, 2, pitch)?)
}

#[rustfmt::skip]
pub(crate) const ROWS: &[Row] = &[
    // Thread spaces.
    ("a space of 0 x 1", |_| ThreadSpace::new(0, 1).map(drop), "ThreadSpace", &["0 x 1", "at least 1"]),
    ("a space of 1 x 0", |_| ThreadSpace::new(1, 0).map(drop), "ThreadSpace", &["1 x 0"]),
    ("a space of 2048 x 1", |_| ThreadSpace::new(2048, 1).map(drop), "ThreadSpace", &["2048 x 1", "1 to 2047", "larger block", "in parts"]),
    ("a space of 1 x 2048", |_| ThreadSpace::new(1, 2048).map(drop), "ThreadSpace", &["1 x 2048"]),
    ("a space of the largest numbers", |_| ThreadSpace::new(usize::MAX, usize::MAX).map(drop), "ThreadSpace", &["1 to 2047"]),
    ("dependencies on 9 threads", |_| dependencies(&[[-1, 0]; 9]), "Dependencies", &["9 vectors", "at most 8"]),
    ("a dependency 8 threads to the right", |_| dependencies(&[[8, 0]]), "Dependencies", &["(8, 0)", "-8 to 7"]),
    ("a dependency 9 threads above", |_| dependencies(&[[0, -9]]), "Dependencies", &["(0, -9)", "-8 to 7"]),
    ("a thread that waits for itself", |_| dependencies(&[[0, 0]]), "Dependencies", &["circle", "forever", "in one direction"]),
    ("threads that wait for each other", |_| dependencies(&[[-2, 1], [4, -2]]), "Dependencies", &["[[-2, 1], [4, -2]]", "circle"]),
    // Devices.
    ("no worker threads", |_| Device::cpu_with_threads(0).map(drop), "ThreadCount", &["0 worker", "1 to 1024"]),
    ("1025 worker threads", |_| Device::cpu_with_threads(1025).map(drop), "ThreadCount", &["1025 worker"]),
    ("the most worker threads", |_| Device::cpu_with_threads(usize::MAX).map(drop), "ThreadCount", &["1 to 1024"]),
    // Sizes of surfaces.
    ("a surface of 0 x 1", |d| surface(d, Format::R8, 0, 1).map(drop), "EmptySurface", &["0 x 1", "at least 1"]),
    ("a surface of 1 x 0", |d| surface(d, Format::R8, 1, 0).map(drop), "EmptySurface", &["1 x 0"]),
    ("a surface without bytes", |d| Surface2D::from_bytes(d, Format::R8, 0, 0, &[]).map(drop), "EmptySurface", &["0 x 0"]),
    ("a row too long", |d| surface(d, Format::R8, MOST + 1, 1).map(drop), "SurfaceTooLarge", &["2147483648 x 1", "2147483647 bytes"]),
    ("a row of words too long", |d| surface(d, Format::R16, MOST / 2 + 1, 1).map(drop), "SurfaceTooLarge", &["1073741824 x 1", "R16"]),
    ("a row of dwords too long", |d| surface(d, Format::R32F, MOST / 4 + 1, 1).map(drop), "SurfaceTooLarge", &["536870912 x 1"]),
    ("a column too long", |d| surface(d, Format::R8, 1, MOST + 1).map(drop), "SurfaceTooLarge", &["1 x 2147483648"]),
    ("the largest numbers", |d| surface(d, Format::R8, usize::MAX, usize::MAX).map(drop), "SurfaceTooLarge", &["address space"]),
    ("a product beyond 64 bits", |d| surface(d, Format::Rgba8, usize::MAX / 4 + 1, 4).map(drop), "SurfaceTooLarge", &["Rgba8"]),
    ("more than any memory", |d| surface(d, Format::R8, MOST, MOST).map(drop), "OutOfMemory", &["4611686014132420609 bytes", "smaller"]),
    ("more than any memory, in dwords", |d| surface(d, Format::R32, MOST / 4, MOST).map(drop), "OutOfMemory", &["could not be allocated"]),
    ("YUYV of 3 texels", |d| surface(d, Format::Yuyv, 3, 2).map(drop), "OddWidth", &["Yuyv, 3 wide", "even"]),
    ("UYVY of 1 texel", |d| surface(d, Format::Uyvy, 1, 2).map(drop), "OddWidth", &["Uyvy, 1 wide"]),
    ("NV12 of 3 texels", |d| surface(d, Format::Nv12, 3, 2).map(drop), "OddWidth", &["Nv12, 3 wide", "even"]),
    ("P010 of 3 rows", |d| surface(d, Format::P010, 4, 3).map(drop), "OddHeight", &["P010, 3 high", "even"]),
    ("NV12 over a buffer", |d| Ok(Surface2D::from_buffer(d, Buffer::new(d, 4096)?, 0, Format::Nv12, 64, 4, 64).map(drop)?), "LinearPlanes", &["Nv12", "from_bytes"]),
    // Sizes and formats of 3-D surfaces.
    ("no columns", |d| cube(d, Format::R8, [0, 1, 1]).map(drop), "Surface3d", &["0 x 1 x 1", "1 to 2048"]),
    ("no slices", |d| cube(d, Format::R8, [1, 1, 0]).map(drop), "Surface3d", &["1 x 1 x 0"]),
    ("2049 columns", |d| cube(d, Format::R8, [2049, 1, 1]).map(drop), "Surface3d", &["2049 x 1 x 1", "1 to 2048"]),
    ("2049 rows of a slice", |d| cube(d, Format::R8, [1, 2049, 1]).map(drop), "Surface3d", &["1 x 2049 x 1"]),
    ("2049 slices", |d| cube(d, Format::R8, [1, 1, 2049]).map(drop), "Surface3d", &["1 x 1 x 2049"]),
    ("the largest numbers of three dimensions", |d| cube(d, Format::Rgba8, [usize::MAX; 3]).map(drop), "Surface3d", &["1 to 2048"]),
    ("blue first in three dimensions", |d| cube(d, Format::Bgra8, [2, 2, 2]).map(drop), "Surface3d", &["Bgra8", "R8, R16, R32, R32F or Rgba8"]),
    ("YUV in three dimensions", |d| cube(d, Format::Yuyv, [2, 2, 2]).map(drop), "Surface3d", &["Yuyv"]),
    ("planes in three dimensions", |d| cube(d, Format::Nv12, [2, 2, 2]).map(drop), "Surface3d", &["Nv12"]),
    // Copies of 3-D surfaces.
    ("a byte too few for slices", |d| Surface3D::from_bytes(d, Format::R16, 2, 2, 2, &[0; 15]).map(drop), "WrongLength", &["15 bytes", "takes 16", "2 bytes for each texel of R16", "between rows"]),
    ("a byte too many to write to slices", |d| little(d)?.write_bytes(&[0; 25]), "WrongLength", &["25 bytes", "takes 24"]),
    ("memory too short for slices", |d| little(d)?.read_into(&mut [0u8; 23]), "WrongLength", &["23 bytes", "takes 24"]),
    ("bytes too few to write to slices later", |d| d.scope(|s| little(d)?.enqueue_write(s, &[0; 23])), "WrongLength", &["23 bytes"]),
    ("bytes too few for a box", |d| little(d)?.write_box([1, 0, 0], [2, 2, 2], &[0; 7]), "WrongLength", &["7 bytes", "takes 8"]),
    ("a box without slices", |d| little(d)?.read_box([0; 3], [1, 1, 0]).map(drop), "Box3d", &["1 x 1 x 0", "(0, 0, 0)", "4 x 3 x 2", "must have texels"]),
    ("a box beside the surface", |d| little(d)?.read_box([2, 0, 0], [3, 1, 1]).map(drop), "Box3d", &["(2, 0, 0)", "lie inside"]),
    ("a box below the surface", |d| little(d)?.write_box([0, 3, 0], [1, 1, 1], &[0]), "Box3d", &["(0, 3, 0)"]),
    ("a box behind the surface", |d| little(d)?.read_box([0, 0, 1], [1, 1, 2]).map(drop), "Box3d", &["1 x 1 x 2"]),
    ("a box at the largest numbers", |d| little(d)?.read_box([usize::MAX; 3], [1, 1, 1]).map(drop), "Box3d", &["lie inside"]),
    ("rows of slices that overlap", |d| little(d)?.write_rows(&[0; 64], 3, 12), "RowPitch", &["3 bytes", "rows of 4"]),
    ("slices that overlap", |d| little(d)?.read_rows(&mut [0; 64], 5, 13), "SlicePitch", &["13 bytes", "slices of 14", "at least a slice"]),
    ("slices half a texel apart", |d| cube(d, Format::R16, [2, 1, 2])?.write_rows(&[0; 64], 4, 7), "SlicePitch", &["7 bytes", "multiple of 2"]),
    ("slices without the last byte", |d| little(d)?.write_rows(&[0; 29], 5, 16), "ShortRows", &["29 bytes", "byte 30"]),
    ("slices of the largest pitch", |d| little(d)?.write_rows(&[0; 64], 4, usize::MAX), "ShortRows", &["64 bytes"]),
    ("rows of the largest pitch in slices", |d| little(d)?.write_rows(&[0; 64], usize::MAX, 8), "RowPitch", &["below 2^31"]),
    // Lengths.
    ("a byte too few", |d| Surface2D::from_bytes(d, Format::R8, 4, 2, &[0; 7]).map(drop), "WrongLength", &["7 bytes", "takes 8", "1 byte for each texel", "without padding"]),
    ("a byte too many", |d| Surface2D::from_bytes(d, Format::R8, 4, 2, &[0; 9]).map(drop), "WrongLength", &["9 bytes", "takes 8"]),
    ("no bytes", |d| Surface2D::from_bytes(d, Format::Rgba8, 4, 2, &[]).map(drop), "WrongLength", &["0 bytes", "takes 32", "4 bytes for each texel of Rgba8"]),
    ("luma without chroma", |d| Surface2D::from_bytes(d, Format::Yv12, 4, 2, &[0; 8]).map(drop), "WrongLength", &["takes 12", "planes of chroma"]),
    ("texels for bytes", |d| Surface2D::from_bytes(d, Format::R16, 4, 2, &[0; 8]).map(drop), "WrongLength", &["takes 16"]),
    ("a byte for more than any memory", |d| Surface2D::from_bytes(d, Format::R8, MOST, MOST, &[1]).map(drop), "WrongLength", &["1 bytes"]),
    ("bytes too few to write", |d| small(d)?.write_bytes(&[0; 31]), "WrongLength", &["31 bytes", "takes 32"]),
    ("bytes too many to write", |d| small(d)?.write_bytes(&[0; 33]), "WrongLength", &["33 bytes"]),
    ("bytes too few for a rectangle", |d| small(d)?.write_rect(1, 1, 2, 2, &[0; 3]), "WrongLength", &["3 bytes", "takes 4"]),
    ("elements too few", |d| Surface2D::from_slice(d, Format::R32F, 4, 2, &[0f32; 7]).map(drop), "WrongLength", &["28 bytes", "takes 32"]),
    ("elements of another size", |d| Surface2D::from_slice(d, Format::R32F, 4, 2, &[0f64; 8]).map(drop), "WrongLength", &["64 bytes", "takes 32"]),
    ("elements too many to write", |d| surface(d, Format::R16, 4, 2)?.write_slice(&[0u16; 9]), "WrongLength", &["18 bytes", "takes 16"]),
    ("memory too short to read into", |d| small(d)?.read_into(&mut [0u8; 31]), "WrongLength", &["31 bytes", "takes 32"]),
    ("memory too long to read into", |d| small(d)?.read_into(&mut [0u64; 5]), "WrongLength", &["40 bytes", "takes 32"]),
    ("bytes too few to write later", |d| d.scope(|s| small(d)?.enqueue_write(s, &[0; 31])), "WrongLength", &["31 bytes"]),
    ("memory too short for a download", |d| d.scope(|s| small(d)?.enqueue_read(s))?.read_into(&mut [0; 31]), "WrongLength", &["31 bytes", "takes 32"]),
    // Rows with a pitch.
    ("rows closer than they are long", |d| Surface2D::from_rows(d, Format::R8, 8, 4, &[0; 64], 7).map(drop), "RowPitch", &["7 bytes", "rows of 8"]),
    ("rows at one place", |d| small(d)?.write_rows(&[0; 64], 0), "RowPitch", &["0 bytes", "at least a row"]),
    ("rows half a texel apart", |d| surface(d, Format::Rgba8, 2, 2)?.read_rows(&mut [0; 64], 10), "RowPitch", &["10 bytes", "multiple of 4"]),
    ("half a pitch that is no number", |d| Surface2D::from_rows(d, Format::I420, 4, 2, &[0; 64], 5).map(drop), "RowPitch", &["5 bytes", "multiple of 2"]),
    ("rows without the last byte", |d| Surface2D::from_rows(d, Format::R8, 8, 4, &[0; 37], 10).map(drop), "ShortRows", &["37 bytes", "byte 38", "last one may lack it"]),
    ("no rows", |d| small(d)?.write_rows(&[], 8), "ShortRows", &["0 bytes", "byte 32"]),
    ("luma rows without chroma", |d| surface(d, Format::Nv12, 4, 4)?.write_rows(&[0; 32], 8), "ShortRows", &["32 bytes", "byte 44"]),
    ("memory too short for rows", |d| small(d)?.read_rows(&mut [0; 31], 8), "ShortRows", &["31 bytes", "byte 32"]),
    ("rows of the largest pitch", |d| small(d)?.write_rows(&[0; 64], usize::MAX), "RowPitch", &["below 2^31"]),
    ("rows beyond the address space", |d| Surface2D::from_rows(d, Format::R8, 8, 4, &[0; 64], usize::MAX / 4).map(drop), "RowPitch", &["below 2^31"]),
    ("rows of no texels", |d| Surface2D::from_rows(d, Format::R8, 0, 4, &[0; 64], 8).map(drop), "EmptySurface", &["0 x 4"]),
    // Rectangles.
    ("a rectangle of no width", |d| small(d)?.read_rect(0, 0, 0, 1).map(drop), "Rectangle", &["0 x 1", "8 x 4", "must have texels"]),
    ("a rectangle of no height", |d| small(d)?.read_rect(0, 0, 1, 0).map(drop), "Rectangle", &["1 x 0"]),
    ("a rectangle beyond the right edge", |d| small(d)?.read_rect(7, 0, 2, 1).map(drop), "Rectangle", &["2 x 1", "(7, 0)", "lie inside"]),
    ("a rectangle beyond the lower edge", |d| small(d)?.read_rect(0, 3, 1, 2).map(drop), "Rectangle", &["(0, 3)"]),
    ("a rectangle outside", |d| small(d)?.read_rect(8, 4, 1, 1).map(drop), "Rectangle", &["(8, 4)"]),
    ("a rectangle whose end overflows", |d| small(d)?.read_rect(usize::MAX, 0, 2, 1).map(drop), "Rectangle", &["8 x 4"]),
    ("a rectangle of the largest size", |d| small(d)?.read_rect(0, 0, usize::MAX, usize::MAX).map(drop), "Rectangle", &["8 x 4"]),
    ("a rectangle outside to write", |d| small(d)?.write_rect(0, 4, 1, 1, &[0]), "Rectangle", &["(0, 4)"]),
    ("half a pair to read", |d| surface(d, Format::Yuyv, 4, 1)?.read_rect(1, 0, 2, 1).map(drop), "Rectangle", &["whole pairs", "chroma"]),
    ("a row without its chroma", |d| surface(d, Format::I420, 4, 4)?.read_rect(0, 1, 2, 2).map(drop), "Rectangle", &["whole pairs"]),
    ("a column without its chroma", |d| surface(d, Format::Nv12, 4, 4)?.write_rect(0, 0, 3, 2, &[0; 9]), "Rectangle", &["whole pairs"]),
    ("half a pair to write", |d| surface(d, Format::Uyvy, 4, 1)?.write_rect(0, 0, 1, 1, &[0; 2]), "Rectangle", &["pairs"]),
    // Buffers.
    ("a buffer of nothing", |d| Buffer::<u8>::new(d, 0).map(drop), "EmptyBuffer", &["at least 1"]),
    ("a buffer of an empty slice", |d| Buffer::<f64>::from_slice(d, &[]).map(drop), "EmptyBuffer", &["without elements"]),
    ("a buffer too long", |d| Buffer::<u8>::new(d, MOST + 1).map(drop), "BufferTooLarge", &["2147483648 elements of u8", "2147483647"]),
    ("a buffer of words too long", |d| Buffer::<i16>::new(d, MOST / 2 + 1).map(drop), "BufferTooLarge", &["i16", "1073741823"]),
    ("a buffer of qwords too long", |d| Buffer::<f64>::new(d, MOST / 8 + 1).map(drop), "BufferTooLarge", &["f64", "268435455"]),
    ("a buffer of the largest length", |d| Buffer::<u64>::new(d, usize::MAX).map(drop), "BufferTooLarge", &["several"]),
    ("elements too few", |d| Buffer::<u32>::new(d, 3)?.write_slice(&[1, 2]), "BufferLength", &["2 elements", "of 3"]),
    ("elements too many", |d| Buffer::<u32>::new(d, 3)?.write_slice(&[1; 4]), "BufferLength", &["4 elements"]),
    ("no elements", |d| Buffer::<u32>::new(d, 3)?.write_slice(&[]), "BufferLength", &["0 elements"]),
    ("memory too short for elements", |d| Buffer::<u32>::new(d, 3)?.read_into(&mut [0; 2]), "BufferLength", &["2 elements", "of 3"]),
    ("elements too few to write later", |d| d.scope(|s| Buffer::<u32>::new(d, 3)?.enqueue_write(s, &[0; 2])), "BufferLength", &["2 elements"]),
    ("memory too long for a download", |d| d.scope(|s| Buffer::<u32>::new(d, 3)?.enqueue_read(s))?.read_into(&mut [0; 4]), "BufferLength", &["4 elements"]),
    // Surfaces over buffers.
    ("a pitch of less than a row", |d| linear(d, 256, 0, 15).map(drop), "RowPitch", &["15 bytes", "rows of 16"]),
    ("a pitch of nothing", |d| linear(d, 256, 0, 0).map(drop), "RowPitch", &["0 bytes"]),
    ("a pitch of half a texel", |d| Ok(Surface2D::from_buffer(d, Buffer::new(d, 256)?, 0, Format::R32, 4, 2, 66).map(drop)?), "RowPitch", &["66 bytes", "multiple of 4"]),
    ("a buffer too short", |d| linear(d, 79, 0, 64).map(drop), "ShortBuffer", &["byte 80", "of 79"]),
    ("an offset beyond the buffer", |d| linear(d, 256, 1000, 64).map(drop), "ShortBuffer", &["byte 1080"]),
    ("an offset of the largest number", |d| linear(d, 256, usize::MAX, 64).map(drop), "ShortBuffer", &["of 256"]),
    ("a pitch of the largest number", |d| linear(d, 256, 0, usize::MAX).map(drop), "RowPitch", &["below 2^31"]),
    ("no texels over a buffer", |d| Ok(Surface2D::from_buffer(d, Buffer::new(d, 256)?, 0, Format::R8, 0, 2, 64).map(drop)?), "EmptySurface", &["0 x 2"]),
    ("a pitch that media blocks lack", |d| copy::launch(d, one()?, &linear(d, 256, 0, 16)?, &mut small(d)?).map(drop), "LinearPitch", &["`input`", "`copy`", "16 bytes", "multiples of 64"]),
    ("an address that media blocks lack", |d| copy::launch(d, one()?, &linear(d, 256, 8, 64)?, &mut small(d)?).map(drop), "LinearAddress", &["`input`", "multiple of 16"]),
    ("blocks of too many rows", |d| tall::<17>::launch(d, one()?, &linear(d, 256, 0, 64)?).map(drop), "LinearRows", &["17 rows", "at most 16", "runtime.rs"]),
    ("rows of 2-D blocks too short", |d| rows_of::launch(d, one()?, &Buffer::new(d, 256)?, 32, 4, 64).map(drop), "Block2d", &["`input`", "32 bytes", "64 to 16777216", "runtime.rs"]),
    ("rows of 2-D blocks past the buffer", |d| rows_of::launch(d, one()?, &Buffer::new(d, 256)?, 64, 5, 64).map(drop), "Block2d", &["byte 320", "buffer of 256"]),
    ("rows of 2-D blocks that overlap", |d| rows_of::launch(d, one()?, &Buffer::new(d, 256)?, 80, 3, 64).map(drop), "Block2d", &["64 bytes apart", "at least the 80"]),
    // Arguments.
    ("odd columns of words", |d| odd_columns::launch(d, one()?, &surface(d, Format::R16, 8, 1)?, &mut small(d)?).map(drop), "ArgumentFormat", &["`input`", "R16", "multiples of 2", "runtime.rs"]),
    ("odd columns of dwords", |d| odd_columns::launch(d, one()?, &surface(d, Format::R32F, 8, 1)?, &mut small(d)?).map(drop), "ArgumentFormat", &["multiples of 4", "whole texels"]),
    ("odd columns of pairs", |d| odd_columns::launch(d, one()?, &surface(d, Format::Yuyv, 8, 1)?, &mut small(d)?).map(drop), "ArgumentFormat", &["Yuyv"]),
    ("odd columns, later", |d| d.scope(|s| odd_columns::enqueue(s, one()?, &surface(d, Format::R16, 8, 1)?, &mut small(d)?).map(drop)), "ArgumentFormat", &["`input`"]),
    ("texels of a format without typed accesses", |d| texels::launch(d, one()?, &surface(d, Format::Bgra8, 8, 1)?).map(drop), "TypedFormat", &["`input`", "Bgra8", "R8, R16, R32, R32F or Rgba8", "runtime.rs"]),
    ("a sampler of a format without typed accesses", |d| surface(d, Format::Nv12, 8, 2)?.sampler::<Nearest, Clamp>().map(drop), "Sampler", &["Nv12", "R8, R16, R32, R32F or Rgba8"]),
    ("a sampler of another format", |d| surface(d, Format::R8, 8, 1).and_then(|input| samples::launch(d, one()?, &input, surface(d, Format::R16, 8, 1)?.sampler()?).map(drop)), "OtherSampler", &["`input`", "2-D surface of format R8", "`sampler`", "runtime.rs"]),
    ("a sampler of another format with the same units", |d| surface(d, Format::R8, 8, 1).and_then(|input| samples::launch(d, one()?, &input, surface(d, Format::Rgba8, 8, 1)?.sampler()?.in_texels()).map(drop)), "OtherSampler", &["`input`", "another format"]),
    ("a sampler of slices", |d| surface(d, Format::R8, 8, 1).and_then(|input| samples::launch(d, one()?, &input, cube(d, Format::R8, [8, 1, 1])?.sampler()?).map(drop)), "OtherSampler", &["2-D surface", "number of dimensions"]),
    ("slices by a sampler without slices", |d| cube(d, Format::R8, [8, 1, 1]).and_then(|input| loads_in_slices::launch(d, one()?, &input, surface(d, Format::R8, 8, 1)?.sampler()?).map(drop)), "OtherSampler", &["`input`", "3-D surface", "`way`"]),
    ("the second of two samplers", |d| surface(d, Format::R8, 8, 1).and_then(|input| two_samplers::launch(d, one()?, &input, input.sampler()?, surface(d, Format::R32, 8, 1)?.sampler()?).map(drop)), "OtherSampler", &["`input`", "`second`"]),
    ("samples of floats as integers", |d| surface(d, Format::R32F, 8, 1).and_then(|input| samples::launch(d, one()?, &input, input.sampler()?).map(drop)), "TypedElement", &["`input`", "R32F", "`u32`", "take `f32`", "in line ", "runtime.rs"]),
    ("texels of floats as integers", |d| texels::launch(d, one()?, &surface(d, Format::R32F, 8, 1)?).map(drop), "TypedElement", &["`input`", "R32F", "`u32`", "take `f32`"]),
    ("texels of rows that are no dwords", |d| texels::launch(d, one()?, &surface(d, Format::R8, 7, 1)?).map(drop), "TypedRows", &["`input`", "7 bytes", "multiple of 4"]),
    ("atomic operations on bytes", |d| votes::launch(d, one()?, &mut surface(d, Format::R8, 8, 1)?).map(drop), "TypedAtomic", &["`output`", "R8", "a surface of R32", "runtime.rs"]),
    // Kernels that break a rule with these constants.
    ("slices of floats as integers", |d| slices::launch(d, one()?, &cube(d, Format::R32F, [2, 2, 2])?).map(drop), "TypedElement", &["`input`", "R32F", "`u32`", "take `f32`"]),
    ("atomic operations on slices of words", |d| votes_in_slices::launch(d, one()?, &mut cube(d, Format::R16, [2, 2, 2])?).map(drop), "TypedAtomic", &["`output`", "R16", "a surface of R32"]),
    ("texels and blocks of one surface", |d| texels_and_blocks::launch(d, one()?, &small(d)?).map(drop), "Record", &["typed accesses and media blocks", "runtime.rs"]),
    ("texels of a plane", |d| texels_of_a_plane::launch(d, one()?, &small(d)?).map(drop), "Record", &["a plane or a field", "runtime.rs"]),
    ("writes that are not dwords", |d| odd_writes::launch(d, one()?, &mut small(d)?).map(drop), "Record", &["`odd_writes`", "multiple of 4", "runtime.rs"]),
    ("a block of 65 bytes", |d| wide::<65>::launch(d, one()?, &small(d)?).map(drop), "Record", &["65", "64 bytes"]),
    ("a block of 4096 bytes", |d| wide::<4096>::launch(d, one()?, &small(d)?).map(drop), "Record", &["4096"]),
    ("a block of 65 rows", |d| tall::<65>::launch(d, one()?, &small(d)?).map(drop), "Record", &["65"]),
    ("a block of 3 dwords", |d| owords::<3>::launch(d, one()?, &Buffer::new(d, 64)?).map(drop), "Record", &["12 bytes", "16 to 128"]),
    ("a block of 64 dwords", |d| owords::<64>::launch(d, one()?, &Buffer::new(d, 64)?).map(drop), "Record", &["256 bytes"]),
    ("an offset of 8", |d| offset::launch(d, one()?, &Buffer::new(d, 64)?).map(drop), "Record", &["byte 8", "multiple of 16"]),
    ("an offset of threads", |d| thread_offset::launch(d, one()?, &mut Buffer::new(d, 64)?).map(drop), "Record", &["multiples of 16", "bytes, not elements"]),
    ("24 elements gathered", |d| gathered::<24>::launch(d, one()?, &Buffer::new(d, 64)?).map(drop), "Record", &["24 elements"]),
    ("64 elements gathered", |d| gathered::<64>::launch(d, one()?, &Buffer::new(d, 64)?).map(drop), "Record", &["64 elements"]),
    ("a negative base", |d| negative::launch(d, one()?, &Buffer::new(d, 64)?, Vector::splat(1)).map(drop), "Record", &["-1 elements"]),
    ("columns beyond a matrix", |d| column::<9>::launch(d, one()?, &small(d)?, &mut small(d)?).map(drop), "Record", &["runtime.rs"]),
    ("columns far beyond a matrix", |d| column::<{ usize::MAX }>::launch(d, one()?, &small(d)?, &mut small(d)?).map(drop), "Record", &["runtime.rs"]),
    ("a host loop without an end", |d| endless::launch(d, one()?, &mut small(d)?).map(drop), "Record", &["`endless`", "runtime.rs"]),
];

macro_rules! variants {
    ($($variant:ident)*) => {
        /// The name of the variant.
        fn variant_of(error: &Error) -> &'static str {
            match error {
                $(Error::$variant { .. } => stringify!($variant),)*
                _ => "another variant",
            }
        }
    };
}

variants! {
    ArgumentFormat Block2d Box3d BufferLength BufferTooLarge Dependencies EmptyBuffer EmptySurface LinearAddress LinearPitch
    LinearPlanes LinearRows OddHeight OddWidth OtherSampler OutOfMemory Record Rectangle RowPitch Sampler ShortBuffer ShortRows
    SlicePitch Surface3d SurfaceTooLarge ThreadCount ThreadSpace TypedAtomic TypedElement TypedFormat TypedRows WrongLength
}

#[test]
fn calls() {
    let device = Device::cpu_with_threads(1).expect("a device");
    super::each(ROWS, |&(what, call, variant, says)| {
        let error = match call(&device) {
            Ok(()) => return Some(format!("{what}: no error")),
            Err(error) => error,
        };
        // A `main` that returns the error prints this form, which has the remedy as well.
        let (found, message) = (variant_of(&error), format!("{error:?}"));
        let missing: Vec<_> = says.iter().filter(|words| !message.contains(**words)).collect();
        let right = found == variant && missing.is_empty();
        (!right).then(|| format!("{what}: `{found}` without {missing:?}: {message}"))
    });
}
