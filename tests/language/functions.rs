//! Functions of kernels: those without parameters, which get their backend all the same, those that take planes,
//! those that take masks, those of a structure, those in a module named like one of `cm`, and those that call themselves.

use cm::Backend;
use cm::prelude::*;
use cm_test_support::devices::devices;

#[function]
fn is_first() -> bool {
    linear_local_id() == 0
}

#[function]
fn sizes() -> (bool, usize) {
    (group_id(0) > 1, 3)
}

#[function]
fn wait_for_all() {
    barrier();
}

#[function]
fn is_below<const N: usize>() -> bool {
    linear_local_id() < N as u32
}

#[function]
fn offset() -> u32 {
    16 * linear_global_id()
}

#[function]
fn lanes() -> Vector<u32, 4> {
    Vector::from_array([0, 1, 2, 3])
}

/// Rust's own functions.
mod host {
    pub(super) const fn count() -> usize {
        2
    }
}

fn two() -> u32 {
    2
}

#[kernel]
fn alone(output: &mut Buffer<u32>) {
    let sums = slm::<u32, 4>();
    let none = || 5;
    if is_first() {
        sums.write(0, &lanes());
    }
    self::wait_for_all();
    let mut v = sums.read::<4>(0);
    for _ in 0..host::count() {
        v += two();
    }
    let (late, n) = sizes();
    if late && !is_first() {
        v.get_mut(n).assign(100);
    }
    v.get_mut(0).assign(if is_below::<2>() { 1 } else { none() });
    output.write(offset(), &v);
}

#[test]
fn functions_without_parameters() -> cm::Result<()> {
    let row = |n: u32| {
        let (group, thread) = (n / 4, n % 4);
        let last = if group > 1 && thread != 0 { 100 } else { 7 };
        [if thread < 2 { 1 } else { 5 }, 5, 6, last]
    };
    let expected: Vec<u32> = (0..12).flat_map(row).collect();
    for device in &devices(1) {
        let mut output = Buffer::new(device, expected.len())?;
        alone::launch(device, ThreadGroups::new([3, 1, 1], [4, 1, 1])?, &mut output)?;
        assert_eq!(output.to_vec()?, expected, "{}", device.name());
    }
    Ok(())
}

/// One plane of a picture, brighter by the planes.
#[function]
fn brighter(input: &Surface2D, output: &mut Surface2D, plane: Plane, x: u32, y: u32) {
    let by = match plane {
        Plane::Y => 1,
        _ => 20,
    };
    let rows = if plane == Plane::Y { 4 } else { 2 };
    for row in (0..rows).step_by(2) {
        let m = input.read_plane::<u8, 2, 16>(plane, x, y + row);
        output.write_plane(plane, x, y + row, &(m + by).convert::<u8>());
    }
}

#[function]
fn chroma() -> Plane {
    Plane::Uv
}

#[kernel]
fn planes(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    for (plane, y) in [(Plane::Y, y), (chroma(), y / 2)] {
        brighter(input, output, plane, x, y);
    }
}

#[test]
fn functions_that_take_planes() -> cm::Result<()> {
    let data: Vec<u8> = (0..32 * 8 * 3 / 2).map(|i| (i % 97) as u8).collect();
    let (luma, chroma) = data.split_at(32 * 8);
    let expected: Vec<u8> = luma.iter().map(|p| p + 1).chain(chroma.iter().map(|p| p + 20)).collect();
    for device in &devices(1) {
        let input = Surface2D::from_bytes(device, Format::Nv12, 32, 8, &data)?;
        let mut output = Surface2D::new(device, Format::Nv12, 32, 8)?;
        planes::launch(device, ThreadSpace::new(2, 2)?, &input, &mut output)?;
        assert_eq!(output.to_vec()?, expected, "{}", device.name());
    }
    Ok(())
}

/// A sum, and the number of its terms.
#[registers]
struct Mean {
    sum: Vector<i32, 4>,
    count: i32,
}

impl Mean {
    #[function]
    fn of(first: Vector<i32, 4>, scale: i32) -> Mean {
        Mean { sum: (first * scale).convert(), count: 1 }
    }

    #[function]
    fn scaled<const SCALE: i32>(first: Vector<i32, 4>) -> Mean {
        Mean::of(first, SCALE)
    }

    #[function]
    fn with(mean: &mut Mean, next: Vector<i32, 4>) {
        mean.sum += next;
        mean.count += 1;
    }
}

/// Functions of the user with names of `cm::math`.
mod math {
    use cm::prelude::*;

    #[function]
    pub(super) fn abs(x: Vector<i32, 4>) -> Vector<i32, 4> {
        cm::math::abs::<i32, _>(x + 1)
    }

    #[function]
    pub(super) fn max(x: Vector<i32, 4>, limit: i32) -> Vector<i32, 4> {
        cm::math::min::<i32, _>(x, limit)
    }
}

/// Adds 1 where the mask is set.
#[function]
fn raised<const N: usize>(mut v: Vector<i32, N>, mask: Vector<u16, N>) -> Vector<i32, N> {
    v.merge(v + 1, mask);
    v
}

/// The mask by reference, and its bits as numbers.
#[function]
fn lowered(v: Vector<i32, 8>, mask: &Vector<u16, 8>, numbers: Vector<i32, 8>) -> Vector<i32, 8> {
    (v - *mask - numbers * 100).convert()
}

#[function]
fn outer(v: Vector<i32, 8>) -> Vector<u16, 8> {
    (v < 2) ^ (v > 4)
}

#[kernel]
fn masks(output: &mut Buffer<i32>, n: i32) {
    let v = Vector::from_array([0, 1, 2, 3, 4, 5, 6, n]);
    let raised = raised(v, (v < 3) | (v > 5));
    let lowered = lowered(v, &((v > 1) & (v != 4)), (v == 3) | ((v == 5) ^ (v == 6)));
    let mut inner: Vector<u16, 8> = (v > 0) & (v < 6);
    output.write(0, &(raised * inner));
    inner = (v < 1) | (v == n);
    output.write(32, &(lowered + inner * 1000 + outer(v) * 10_000));
}

#[test]
fn combinations_of_masks_are_masks() -> cm::Result<()> {
    let n = 9;
    let v = [0, 1, 2, 3, 4, 5, 6, n];
    let number = |x: bool| i32::from(x);
    let raised = v.map(|x| (x + number(!(3..=5).contains(&x))) * number(x > 0 && x < 6));
    let lowered = v.map(|x| {
        let (by_one, by_hundred) = (x > 1 && x != 4, x == 3 || x == 5 || x == 6);
        let more = 1000 * number(x < 1 || x == n) + 10_000 * number(!(2..=4).contains(&x));
        x - number(by_one) - 100 * number(by_hundred) + more
    });
    for device in &devices(1) {
        let mut output = Buffer::<i32>::new(device, 16)?;
        masks::launch(device, ThreadSpace::new(1, 1)?, &mut output, n)?;
        assert_eq!(output.to_vec()?, [raised, lowered].concat(), "{}", device.name());
    }
    Ok(())
}

/// A function of plain Rust that takes any elements.
fn same<T: Elem, const N: usize, B: Backend>(v: Vector<T, N, B>) -> Vector<T, N, B> {
    v
}

#[kernel]
fn masks_of_any_elements(output: &mut Buffer<i32>, n: i32) {
    let v = Vector::from_array([0, 1, 2, 3, 4, 5, 6, n]);
    // The elements of the operators, or those that the result shows.
    output.write(0, &same((v < 3) | (v > 5)));
    let mask: Vector<u16, 8> = same((v > 1) & (v != 4));
    output.write(32, &mask.convert::<i32>());
}

#[test]
fn combinations_of_masks_as_arguments_of_any_elements() -> cm::Result<()> {
    let v = [0, 1, 2, 3, 4, 5, 6, 1];
    let expected = [v.map(|x| i32::from(!(3..=5).contains(&x))), v.map(|x| i32::from(x > 1 && x != 4))];
    for device in &devices(1) {
        let mut output = Buffer::<i32>::new(device, 16)?;
        masks_of_any_elements::launch(device, ThreadSpace::new(1, 1)?, &mut output, v[7])?;
        assert_eq!(output.to_vec()?, expected.concat(), "{}", device.name());
    }
    Ok(())
}

/// Doubles as often as the number of calls says.
#[function]
fn doubled(v: Vector<i32, 4>, calls: usize) -> Vector<i32, 4> {
    if calls == 0 { v } else { doubled((v + v).convert(), calls - 1) }
}

#[kernel]
fn own(output: &mut Buffer<i32>, n: i32) {
    let v = Vector::from_array([1, -8, 3, n]);
    let mut mean = Mean::scaled::<2>(v);
    // An operator as the argument of a function that has the name of one of `cm`.
    Mean::with(&mut mean, math::max(math::abs(v - n), 4));
    output.write(0, &doubled(mean.sum, 3));
    output.write(16, &Vector::<i32, 4>::splat(mean.count));
}

#[test]
fn functions_of_a_structure_and_of_a_module_like_one_of_cm() -> cm::Result<()> {
    let n = 5;
    let element = |x: i32| 8 * (2 * x + (x - n + 1).abs().min(4));
    let expected = [element(1), element(-8), element(3), element(n), 2, 2, 2, 2];
    for device in &devices(1) {
        let mut output = Buffer::<i32>::new(device, 8)?;
        own::launch(device, ThreadSpace::new(1, 1)?, &mut output, n)?;
        assert_eq!(output.to_vec()?, expected, "{}", device.name());
    }
    Ok(())
}

#[function]
fn ends<const N: usize>(v: Vector<i32, N>, least: &Vector<i32, N>, scale: i32) -> i32 {
    let least = *least;
    (v.get(0) - least.get(0)) * scale + v.get(N - 1) - least.get(N - 1)
}

/// An ordinary function of any value.
fn unchanged<V: Copy>(value: V) -> V {
    value
}

/// Another one, of a closure.
fn changed<V, R>(value: V, by: impl Fn(V) -> R) -> R {
    by(value)
}

/// Operators, regions and names of registers as arguments, beside literals, references and closures.
#[kernel]
fn typed_arguments(input: &Buffer<i32>, output: &mut Buffer<i32>) {
    let v = input.read::<8>(0);
    let sum = v + 3;
    let first = ends(v * 2, &sum, 10);
    let second = ends::<4>(sum.select::<4, 1>(2), &v.select::<4, 2>(0), -1);
    let moved = changed(unchanged(v * v), |x| x + 2 + first);
    output.write(0, &moved.convert::<i32>());
    output.write(32, &Vector::<i32, 4>::from_array([first, second, ends(unchanged(sum), &v, 1), 0]));
}

#[test]
fn typed_arguments_are_passed_unchanged() -> cm::Result<()> {
    let v = [3, -1, 4, 1, -5, 9, 2, 6];
    let first = (v[0] * 2 - v[0] - 3) * 10 + v[7] * 2 - v[7] - 3;
    let second = -(v[2] + 3 - v[0]) + v[5] + 3 - v[6];
    let expected: Vec<i32> = v.iter().map(|x| x * x + 2 + first).chain([first, second, 6, 0]).collect();
    for device in &devices(1) {
        let input = Buffer::from_slice(device, &v)?;
        let mut output = Buffer::<i32>::new(device, 12)?;
        typed_arguments::launch(device, ThreadSpace::new(1, 1)?, &input, &mut output)?;
        assert_eq!(output.to_vec()?, expected, "{}", device.name());
    }
    Ok(())
}

fn nearest<'a, V>(first: &'a V, _second: &'a V) -> &'a V {
    first
}

fn is_shown(value: &dyn std::fmt::Debug) -> bool {
    !format!("{value:?}").is_empty()
}

/// Ordinary functions whose parameters say little about their arguments: closures of an open type, references to temporary
/// values that are returned, and trait objects.
#[kernel]
fn generic_parameters(input: &Buffer<i32>, output: &mut Buffer<i32>) {
    let v = input.read::<8>(0);
    let w = v;
    let part = changed(v * 2, |x| x.select::<4, 1>(0) + 1);
    let product = *nearest(&(v * 3), &(w + 1));
    if is_shown(&v) {
        output.write(0, &product.convert::<i32>());
    }
    output.write(32, &part.convert::<i32>());
}

#[test]
fn generic_parameters_take_their_types_from_the_arguments() -> cm::Result<()> {
    let v = [3, -1, 4, 1, -5, 9, 2, 6];
    let expected: Vec<i32> = v.iter().map(|x| x * 3).chain(v[..4].iter().map(|x| x * 2 + 1)).collect();
    for device in &devices(1) {
        let input = Buffer::from_slice(device, &v)?;
        let mut output = Buffer::<i32>::new(device, 12)?;
        generic_parameters::launch(device, ThreadSpace::new(1, 1)?, &input, &mut output)?;
        assert_eq!(output.to_vec()?, expected, "{}", device.name());
    }
    Ok(())
}

type Pixels = Buffer<u32>;

/// A buffer under another name, inside SIMD control flow.
#[function]
fn put(output: &mut Pixels, v: &Vector<u32, 8>) {
    let v = *v;
    simd_if! {
        (v > 3) => {
            output.write_scattered(0, &v, &v);
        }
    }
}

/// A function of the host with the name of one of `math`.
fn pack_mask(n: usize) -> usize {
    n * 2
}

#[kernel]
fn other_names(output: &mut Buffer<u32>) {
    let mut v = Vector::<u32, 8>::splat(0);
    v.vector_assign(0u32, 1u32);
    put(output, &v);
    output.write(4 * pack_mask(4), &Vector::<u32, 4>::splat(7));
}

#[test]
fn other_names_of_memory_and_functions() -> cm::Result<()> {
    for device in &devices(1) {
        let mut output = Buffer::<u32>::from_slice(device, &[9; 12])?;
        other_names::launch(device, ThreadSpace::new(1, 1)?, &mut output)?;
        assert_eq!(output.to_vec()?, [9, 9, 9, 9, 4, 5, 6, 7, 7, 7, 7, 7], "{}", device.name());
    }
    Ok(())
}

/// Short names of types, which have the form of constants.
type V = u32;
/// In capitals, as constants are.
#[allow(clippy::upper_case_acronyms)]
type RGB = [u8; 3];

/// Attributes of parameters hold for their names.
#[deny(unused_variables)]
mod attributes {
    use cm::prelude::*;

    use super::{RGB, V};

    #[function]
    pub(super) fn first(
        a: u32,
        #[allow(unused_variables)] b: u32,
        #[expect(unused_variables)] v: Vector<u8, 4>,
    ) -> u32 {
        a
    }

    #[kernel]
    pub(super) fn of_types(
        output: &mut Buffer<u32>,
        #[allow(unused_variables)] other: &Buffer<u8>,
        #[expect(unused_variables)] n: u32,
        m: u32,
    ) {
        let sizes = size_of::<V>() + size_of::<RGB>() + std::mem::size_of::<V>();
        let squares: [usize; 3] = std::array::from_fn::<_, 3, _>(|k| k * k);
        let sum = (sizes + std::mem::align_of::<V>() + squares[2]) as u32;
        output.write(0, &Vector::<u32, 4>::splat(first(m, 1, Vector::<u8, 4>::splat(0)) + sum));
    }
}

#[test]
fn types_in_capitals_and_attributes_of_parameters() -> cm::Result<()> {
    for device in &devices(1) {
        let other = Buffer::<u8>::new(device, 4)?;
        let mut output = Buffer::<u32>::new(device, 4)?;
        attributes::of_types::launch(device, ThreadSpace::new(1, 1)?, &mut output, &other, 1, 100)?;
        assert_eq!(output.to_vec()?, [119; 4], "{}", device.name());
    }
    Ok(())
}

/// Parameters that are patterns.
#[deny(unused_variables, unused_mut)]
mod patterns {
    use cm::channels::CM_R;
    use cm::prelude::*;
    use cm::sampler::{Clamp, Linear};

    type Line = Vector<i32, 8>;

    #[registers]
    pub(super) struct Span {
        first: i32,
        line: Line,
    }

    #[registers]
    impl Span {
        fn plus(&self, (line, n): (Line, i32), [x, ..]: [i32; 3]) -> Line {
            (self.line + line * n + self.first + x).convert()
        }
    }

    #[function]
    fn pair((mut a, n): (Line, i32), (_, [low, high]): (i32, [Line; 2]), _: u8) -> Line {
        a += low * n - high;
        a
    }

    #[function]
    fn borrowed([a, b]: &[Line; 2], Span { first, line }: &Span, &n: &usize) -> Line {
        (*a - *b * n + *line * *first).convert()
    }

    #[function]
    fn owned(Span { first: mut start, line }: Span, [first, .., last]: [Line; 3]) -> Line {
        start += 1;
        (line * start + first * 2 - last).convert()
    }

    /// Variables of the caller.
    #[function]
    fn changed((a, n): &mut (Line, i32), parameter0: i32) {
        *a += *n;
        *n = parameter0;
    }

    /// Types of the host and handles need no number.
    #[function]
    fn at((sampler, x): (Sampler<Linear, Clamp>, f32), _: Sampler<Linear, Clamp>, input: &Surface2D) -> Line {
        let u = Vector::<f32, 8>::splat(x);
        input.sample::<f32, CM_R, 1, 8>(&sampler, &u, &u).row(0).convert()
    }

    #[kernel]
    pub(super) fn sampled(input: &Surface2D, sampler: Sampler<Linear, Clamp>, output: &mut Buffer<i32>) {
        output.write(0, &at((sampler, 0.5), sampler, input));
    }

    #[kernel]
    pub(super) fn k(input: &Buffer<i32>, output: &mut Buffer<i32>) {
        let [a, b] = [0, 32].map(|at: u32| input.read::<8>(at));
        let span = Span { first: 3, line: a };
        output.write(0, &pair((a, 5), (9, [a, b]), 1));
        output.write(32, &borrowed(&[a, b], &span, &2));
        output.write(64, &owned(span, [a, a, b]));
        output.write(96, &span.plus((b, 7), [4, 5, 6]));
        let mut both = (a, 2i32);
        changed(&mut both, 3);
        changed(&mut both, 4);
        output.write(128, &both.0);
    }
}

#[test]
fn parameters_that_are_patterns() -> cm::Result<()> {
    let numbers: Vec<i32> = (0..16).map(|n| n * n - 50).collect();
    let (a, b) = numbers.split_at(8);
    let lines =
        |f: &dyn Fn(i32, i32) -> i32| -> Vec<i32> { a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect() };
    let expected = [
        lines(&|a, b| a + a * 5 - b),
        lines(&|a, b| a - b * 2 + a * 3),
        lines(&|a, b| a * 4 + a * 2 - b),
        lines(&|a, b| a + b * 7 + 3 + 4),
        lines(&|a, _| a + 2 + 3),
    ];
    assert!(patterns::sampled::ir().is_ok());
    for device in &devices(1) {
        let input = Buffer::from_slice(device, &numbers)?;
        let mut output = Buffer::<i32>::new(device, 40)?;
        patterns::k::launch(device, ThreadSpace::new(1, 1)?, &input, &mut output)?;
        assert_eq!(output.to_vec()?, expected.concat(), "{}", device.name());
    }
    Ok(())
}

/// Numbers in tuples and arrays are numbers of the kernel or of the host.
#[function]
fn weighted(
    pairs: [(i32, f32); 2],
    (mut v, (shift, on)): (Vector<i32, 8>, (u8, bool)),
    by: [i32; 3],
) -> Vector<i32, 8> {
    for (n, x) in pairs {
        v += n * x as i32;
    }
    if on {
        v >>= shift;
    }
    for n in by {
        v += n;
    }
    v
}

#[kernel]
fn numbers_in_tuples(input: &Buffer<i32>, output: &mut Buffer<i32>, n: i32) {
    let (v, x) = (input.read::<8>(0), n as f32 * 0.5f32);
    output.write(0, &weighted([(3, 2.0), (-4, 1.5)], (v, (1, n > 4)), [n, 7, -1]));
    output.write(32, &weighted([(n, x), (n, x)], ((v + 1).convert(), (2, true)), [1, 2, 3]));
}

#[test]
fn arguments_with_numbers_in_tuples() -> cm::Result<()> {
    let v: [i32; 8] = std::array::from_fn(|i| i as i32 * 11 - 30);
    for n in [2, 9] {
        let first = v.map(|x| ((x + 6 - 4) >> i32::from(n > 4)) + n + 6);
        let second = v.map(|x| ((x + 1 + 2 * n * (n / 2)) >> 2) + 6);
        for device in &devices(1) {
            let input = Buffer::from_slice(device, &v)?;
            let mut output = Buffer::<i32>::new(device, 16)?;
            numbers_in_tuples::launch(device, ThreadSpace::new(1, 1)?, &input, &mut output, n)?;
            assert_eq!(output.to_vec()?, [first, second].concat(), "{}", device.name());
        }
    }
    Ok(())
}
