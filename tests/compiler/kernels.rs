//! Every kernel in the repository, as recorded.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::instructions;
use cm::__private::Kernel;
use cm::dsl::recorder::record;
use cm::ir::{Function, Param, ParamKind};
use cm::prelude::*;
use cm_test_kernels::{
    arrays, bitonic_sort, black_scholes, blocks_2d, buffers, classes, colour_adjust, columns,
    error_diffusion, everyday, exits, families, feature_distances, fft, gaussian_blur, graph_cut, groups,
    hello_world, histogram, horizontal_difference, hough_circles, instruction_sets, integral_image, levels,
    linear, mandelbrot, media_block_io, methods, multi_kernels, nbody, places, prefix_sum, printf,
    radix_sort, samplers, sepia, sharpen, signals, simd, sparse_matrix_vector, split, staging, structures,
    subgroups, thread_groups, transforms, transpose, typed, typed_3d, vectors, video, waves,
};

pub(crate) fn recorded<K: Kernel>() -> Function {
    record::<K>().unwrap_or_else(|e| panic!("{}: {e}", K::NAME)).function
}

macro_rules! kernels {
    ($($kernel:ty),* $(,)?) => { vec![$($crate::kernels::recorded::<$kernel>()),*] };
}
pub(crate) use kernels;

/// Every kernel in the repository, except those of [`with_256_registers`], those with named barriers, which older
/// generations lack (`machine_code` executes them), and the matrix products, whose sums fit only GPUs with such an
/// engine (`dpas` compiles them for these, and `machine_code` executes them).
pub(crate) fn all() -> Vec<Function> {
    let mut all = kernels![
        linear::linear,
        linear::linear1d2,
        linear::linearslide,
        linear::linearslide2,
        staging::darken_bright,
        staging::halve_until,
        staging::add_rows,
        staging::choose,
        staging::unrolled,
        staging::swapped_halves,
        staging::helpers,
        staging::negative,
        staging::copies,
        exits::return_early,
        exits::several_exits,
        exits::outer_loops,
        exits::unrolled_exits,
        exits::early_functions,
        exits::choose_number,
        exits::interpret_bytes,
        exits::loop_values,
        arrays::staged,
        arrays::masked,
        arrays::nested,
        arrays::functions,
        arrays::mixed,
        arrays::product,
        arrays::product_by_names,
        structures::structures,
        methods::generic_methods,
        methods::methods,
        vectors::neighbouring_elements,
        vectors::vectors_u32,
        vectors::vectors_i32,
        vectors::vectors_f32,
        vectors::vectors_u64,
        vectors::vectors_i64,
        vectors::vectors_and_counts,
        vectors::vectors_hints,
        vectors::shared_vectors_u32,
        vectors::shared_vectors_u64,
        vectors::shared_longs,
        vectors::shared_atomics_i64,
        places::parts,
        places::staged_parts,
        simd::simd_branches,
        simd::simd_collatz,
        simd::simd_nested,
        simd::simd_lanes,
        simd::simd_masked,
        simd::simd_references,
        simd::simd_scattered,
        simd::simd_reductions,
        uniforms,
        buffers::quarters,
        buffers::axpy,
        buffers::histogram,
        buffers::transpose,
        buffers::reverse,
        buffers::differences,
        buffers::blocks_u8,
        buffers::blocks_u16,
        buffers::blocks_i32,
        buffers::blocks_u64,
        buffers::scattered_u8,
        buffers::scattered_i8,
        buffers::scattered_u16,
        buffers::scattered_i16,
        buffers::scattered_f16,
        buffers::scattered_u32,
        buffers::scattered_i32,
        buffers::scattered_f32,
        buffers::scattered_u64,
        buffers::scattered_hints,
        buffers::hinted_atomics_u32,
        buffers::hinted_atomics_i16,
        buffers::hinted_atomics_f32,
        buffers::atomics_u32::<1>,
        buffers::atomics_u32::<4>,
        buffers::atomics_u32::<16>,
        buffers::atomics_i32::<32>,
        buffers::atomics_u16::<8>,
        buffers::atomics_i16::<16>,
        buffers::atomics_f32::<16>,
        buffers::atomics_f16::<32>,
        buffers::atomics_u64,
        buffers::atomic_floats,
        buffers::atomics_i64,
        buffers::masked_u8,
        buffers::masked_f32,
        buffers::masked_u64,
        buffers::masked_atomics,
        buffers::channels,
        buffers::dword_blocks_u8,
        buffers::dword_blocks_i16,
        buffers::dword_blocks_f32,
        buffers::dword_blocks_u64,
        buffers::qword_blocks,
        buffers::cache_hints,
        blocks_2d::plain_u8,
        blocks_2d::plain_u8_narrow,
        blocks_2d::plain_u8_dword,
        blocks_2d::plain_u8_largest,
        blocks_2d::plain_u8_two,
        blocks_2d::plain_u8_four,
        blocks_2d::plain_u16_row,
        blocks_2d::plain_f16,
        blocks_2d::plain_u16_two,
        blocks_2d::plain_i16_four,
        blocks_2d::plain_i32,
        blocks_2d::plain_f32_two,
        blocks_2d::plain_u64,
        blocks_2d::plain_i64_narrow,
        blocks_2d::transposed_u32,
        blocks_2d::transposed_f32,
        blocks_2d::transposed_i32_narrow,
        blocks_2d::transposed_u64,
        blocks_2d::transposed_i64,
        blocks_2d::packed_u8,
        blocks_2d::packed_i8_narrow,
        blocks_2d::packed_u8_four,
        blocks_2d::packed_f16,
        blocks_2d::packed_bf16,
        blocks_2d::packed_u16_two,
        blocks_2d::packed_i16_four,
        blocks_2d::store_u8,
        blocks_2d::store_u8_dword,
        blocks_2d::store_i8_row,
        blocks_2d::store_u16,
        blocks_2d::store_f16_narrow,
        blocks_2d::store_f32,
        blocks_2d::store_i32_narrow,
        blocks_2d::store_u64,
        blocks_2d::store_i64_one,
        blocks_2d::copy_tiles,
        blocks_2d::hints_2d,
        wide_quotients,
        wide_divisions,
        horizontal_difference::horizontal_difference,
        sepia::sepia,
        multi_kernels::sepia_from,
        multi_kernels::buffer_test,
        hello_world::hello_world,
        bitonic_sort::cmk_bitonic_sort_256,
        prefix_sum::cmk_sum_tuple_count,
        prefix_sum::cmk_prefix,
        radix_sort::cmk_radix_count,
        radix_sort::cmk_radix_bucket,
        nbody::cm_nbody,
        mandelbrot::mandelbrot,
        histogram::histogram,
        histogram::histogram_atomic,
        histogram::sum,
        histogram::final_sum,
        histogram::histogram_tiles::<256>,
        histogram::histogram_tiles::<64>,
        histogram::histogram_slm::<256>,
        histogram::histogram_slm::<64>,
        transpose::transpose8,
        transpose::transpose16,
        sharpen::horizontal_blur,
        sharpen::vertical_blur,
        sharpen::simple_usm,
        gaussian_blur::vertical,
        gaussian_blur::horizontal,
        sparse_matrix_vector::spmv_csr,
        hough_circles::hough_circle,
        colour_adjust::adjust_hue_and_saturation,
        graph_cut::gc_relabel,
        fft::fft::<8>,
        fft::fft::<16>,
        fft::fft::<32>,
        black_scholes::black_scholes,
        classes::gradients,
        classes::median,
        classes::blend,
        classes::half_polynomial,
        classes::nv12::<16, 1>,
        classes::nv12::<64, 4>,
        classes::downsample,
        classes::blur5,
        classes::saxpy,
        everyday::grey,
        everyday::escape::<16>,
        everyday::escape::<32>,
        everyday::erode,
        everyday::gamma,
        everyday::compose,
        everyday::block_differences,
        everyday::upscale,
        everyday::halve_rgba,
        everyday::cross_median,
        everyday::slopes,
        everyday::bilateral,
        everyday::premultiplied,
        everyday::positions,
        everyday::softmax,
        everyday::thresholds,
        everyday::chroma_key,
        everyday::rows_of_bytes,
        everyday::smooth,
        everyday::corners,
        signals::pack10,
        signals::unpack10,
        signals::norms,
        signals::moments,
        signals::half_axpy,
        signals::resample,
        signals::transformed,
        columns::prefix_sums,
        columns::squares,
        columns::butterflies,
        columns::recursive,
        columns::smoothed,
        columns::residuals,
        columns::cosines,
        levels::quantised,
        levels::scaled_nibbles,
        levels::curve,
        levels::second_order,
        levels::unpacked12,
        levels::planes,
        families::sepia,
        families::binomial5,
        families::box16,
        families::polynomial,
        families::block_sum,
        families::transpose,
        families::swizzle,
        families::lookup,
        families::luma,
        families::mix,
        families::limited,
        families::ordered,
        families::distances,
        families::reduced,
        families::packed_masks,
        families::bits,
        families::dots,
        families::rounding,
        families::curves,
        families::angles,
        families::census,
        families::weighted,
        families::lanes,
        families::choices,
        families::short_floats,
        groups::distances,
        groups::sepia_red,
        groups::groups_of_all_sizes,
        instruction_sets::staged_offsets,
        instruction_sets::strides,
        instruction_sets::tables,
        instruction_sets::shapes,
        instruction_sets::conversions_f64,
        instruction_sets::buffers,
        instruction_sets::branches,
        instruction_sets::thirds,
        instruction_sets::narrowed,
        instruction_sets::in_place,
        instruction_sets::apart,
        instruction_sets::across,
        instruction_sets::columns,
        media_block_io::left_edge,
        media_block_io::words,
        media_block_io::reads_uc1::<8, 4, 64>,
        media_block_io::reads_uc4::<16, 12, 5>,
        media_block_io::reads_uc16::<32, 32, 8>,
        media_block_io::reads_us1::<32, 2, 64>,
        media_block_io::reads_us8::<16, 6, 5>,
        media_block_io::reads_us16::<32, 16, 8>,
        media_block_io::reads_ui1::<8, 3, 5>,
        media_block_io::reads_ui2::<32, 1, 64>,
        media_block_io::reads_ui8::<32, 8, 8>,
        media_block_io::writes_uc1::<8, 12, 5>,
        media_block_io::writes_uc16::<16, 32, 8>,
        media_block_io::writes_us2::<8, 6, 5>,
        media_block_io::writes_us8::<32, 16, 8>,
        media_block_io::writes_ui1::<32, 1, 64>,
        media_block_io::writes_ui8::<32, 8, 8>,
        printf::every_kind,
        printf::control_flow,
        printf::timed,
        thread_groups::transpose,
        thread_groups::group_sums,
        thread_groups::prefix_sums,
        thread_groups::histograms,
        thread_groups::neighbours,
        thread_groups::accesses,
        thread_groups::masked_accesses,
        thread_groups::shared_atomics,
        thread_groups::shared_blocks,
        thread_groups::with_helper,
        split::block_of_bytes,
        split::block_of_words,
        split::block_of_floats,
        split::block_of_three_columns,
        split::linear_floats,
        transforms::bytes_16_16,
        transforms::bytes_4_16,
        transforms::words_4_16,
        transforms::floats_8_16,
        transforms::bytes_8_24,
        transforms::words_16_16,
        transforms::words_8_12,
        transforms::dwords_8_8,
        transforms::qwords_4_4,
        samplers::nearest_clamp,
        samplers::nearest_wrap,
        samplers::nearest_mirror,
        samplers::nearest_mirror_once,
        samplers::nearest_border,
        samplers::linear_clamp,
        samplers::linear_wrap,
        samplers::linear_mirror,
        samplers::linear_mirror_once,
        samplers::linear_border,
        samplers::one_linear,
        samplers::nearest_float,
        samplers::linear_float,
        samplers::linear_float_border,
        samplers::nearest_in_slices,
        samplers::linear_in_slices,
        samplers::linear_wrap_in_slices,
        samplers::linear_float_in_slices,
        samplers::sampler_3d,
        typed::texels_r,
        typed::texels_g,
        typed::texels_gr,
        typed::texels_b,
        typed::texels_br,
        typed::texels_bg,
        typed::texels_bgr,
        typed::texels_a,
        typed::texels_ar,
        typed::texels_ag,
        typed::texels_agr,
        typed::texels_ab,
        typed::texels_abr,
        typed::texels_abg,
        typed::texels_abgr,
        typed::one_texel,
        typed::two_texels,
        typed::sixteen_texels,
        typed::texels_of_32,
        typed::floats_abgr,
        typed::masked_texels,
        typed::typed_atomics_u32::<8>,
        typed::typed_atomics_i32::<32>,
        typed::masked_typed_atomics,
        typed::votes,
        typed::sums_above,
        typed_3d::slices_r,
        typed_3d::slices_g,
        typed_3d::slices_gr,
        typed_3d::slices_b,
        typed_3d::slices_br,
        typed_3d::slices_bg,
        typed_3d::slices_bgr,
        typed_3d::slices_a,
        typed_3d::slices_ar,
        typed_3d::slices_ag,
        typed_3d::slices_agr,
        typed_3d::slices_ab,
        typed_3d::slices_abr,
        typed_3d::slices_abg,
        typed_3d::slices_abgr,
        typed_3d::slices_of_32,
        typed_3d::floats_in_slices,
        typed_3d::masked_slices,
        typed_3d::slice_atomics_u32::<8>,
        typed_3d::slice_atomics_i32::<32>,
        typed_3d::masked_slice_atomics,
        typed_3d::sums_of_slices,
        video::denoise,
        video::deinterlace,
        video::scale,
        video::luma::<8, 1, 16, 1>,
        video::luma::<8, 1, 8, 2>,
        video::luma::<4, 2, 8, 2>,
        video::chroma,
    ];
    all.extend(in_waves());
    all.extend(instructions::kernels());
    all
}

/// The kernels that need the large register file: in the standard one they spill.
pub(crate) fn with_256_registers() -> Vec<Function> {
    kernels![bitonic_sort::cmk_bitonic_merge, feature_distances::vca_op_sad,]
}

/// Whether a kernel takes surfaces.
pub(crate) fn has_surfaces(kernel: &Function) -> bool {
    let is_surface =
        |param: &Param| matches!(param.kind, ParamKind::Surface { .. } | ParamKind::Surface3d { .. });
    kernel.params.iter().any(is_surface)
}

/// The kernels of thread spaces with dependencies.
pub(crate) fn in_waves() -> Vec<Function> {
    kernels![
        error_diffusion::error_diffusion,
        graph_cut::gc_v_push,
        graph_cut::gc_h_push,
        waves::chain::<5>,
        waves::masked_chain::<3>,
        waves::edge_chain::<5, 3>,
        waves::smear,
        integral_image::integral_image,
        waves::intra_16x16,
        waves::deblock,
    ]
}

/// Every sub-group built-in, for every element type and size.
pub(crate) fn sub_groups() -> Vec<Function> {
    macro_rules! all {
        ($($collective:ident $shuffles:ident $load:ident $store:ident: $t:ident $n:literal $w:literal;)*) => {
            kernels![
                $(subgroups::$collective, subgroups::$shuffles,)*
                subgroups::vectors::<8>,
                subgroups::vectors::<16>,
                subgroups::vectors::<32>,
                subgroups::buffer_blocks::<8>,
                subgroups::buffer_blocks::<16>,
                subgroups::buffer_blocks::<32>,
                subgroups::surface_blocks::<8>,
                subgroups::surface_blocks::<16>,
                subgroups::surface_blocks::<32>,
                subgroups::ids::<8>,
                subgroups::ids::<16>,
                subgroups::ids::<32>,
                subgroups::literal_blocks,
            ]
        };
    }
    cm_test_kernels::for_each_sub_group!(all)
}

/// Arguments by value: numbers, vectors, matrices.
#[kernel]
fn uniforms(output: &mut Surface2D, scale: f32, bias: i16, row: Vector<i16, 16>, block: Matrix<f32, 4, 16>) {
    let mut sum = block * scale + bias;
    sum.row_mut(1) += row;
    output.write(0, 0, &sum.convert::<u8>());
}

/// Divisions of 64 bits, with all their intermediate values live at once.
#[kernel]
fn wide_quotients(input: &Surface2D, output: &mut Surface2D) {
    let (a, b) = (input.read::<i64, 4, 8>(0, 0), input.read::<i64, 4, 8>(0, 4));
    let (c, d) = (input.read::<u64, 4, 8>(0, 8), input.read::<u64, 4, 8>(0, 12));
    output.write(0, 0, &(a / b + a % b));
    output.write(0, 4, &(c / d ^ c % d));
    output.write(0, 8, &((a / d) & (c / -1000)));
}

/// Divisions of 64 bits with vectors of all lengths, in loops.
#[kernel]
fn wide_divisions(input: &Surface2D, output: &mut Surface2D, n: u64) {
    let mut m: Matrix<u64, 4, 16> = input.read::<u8, 4, 16>(0, 0).convert();
    let mut i = 0i64;
    while (m / n > 3).any() {
        m.assign(m % (n - i));
        m.column_mut(3).assign(m.column(4) / m.column(5));
        if i > 9 {
            i /= m.get(0, 0).convert::<i64>() + 3;
        }
        m.select_mut::<2, 1, 9, 1>(1, 2).assign(m.select::<2, 1, 9, 1>(0, 0) / (i + 1));
        i += 2;
    }
    output.write(0, 0, &m.convert::<u8>());
}

/// The names of the kernels of a source, as far as no macro makes them.
fn declared(source: &str) -> impl Iterator<Item = &str> {
    source.split("#[kernel").skip(1).filter_map(|rest| {
        let name = rest.split_once("fn ")?.1;
        let end = name.find(|c: char| !c.is_alphanumeric() && c != '_')?;
        Some(&name[..end]).filter(|name| !name.is_empty())
    })
}

/// No kernel of the examples, the benches and the tests is forgotten.
#[test]
fn every_kernel_is_in_a_list() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folders = ["examples", "benches/kernels", "tests/kernels"].map(|folder| root.join(folder));
    let mut sources = vec![];
    let mut left: Vec<_> = folders.into();
    while let Some(path) = left.pop() {
        if path.is_dir() {
            left.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            sources.push(fs::read_to_string(path).unwrap());
        }
    }
    let count = |names: &mut dyn Iterator<Item = String>| {
        names.fold(BTreeMap::<_, usize>::new(), |mut all, name| {
            *all.entry(name).or_default() += 1;
            all
        })
    };
    let lists = [all(), sub_groups(), with_256_registers()];
    let listed = count(&mut lists.into_iter().flatten().map(|kernel| kernel.name));
    // `dpas`, `large_objects` and `machine_code` have these.
    let elsewhere =
        ["matrix_product_2d", "matrix_product_2d_large", "pipeline", "pairs", "halves", "attention"];
    let declared = count(&mut sources.iter().flat_map(|source| declared(source)).map(str::to_owned));
    assert!(declared.len() > 100, "{} kernels", declared.len());
    // Kernels of several files may have the same name.
    let forgotten = declared.into_iter().filter(|(name, count)| {
        !elsewhere.contains(&name.as_str()) && listed.get(name).is_none_or(|listed| listed < count)
    });
    let forgotten: Vec<String> = forgotten.map(|(name, _)| name).collect();
    assert_eq!(forgotten, [""; 0]);
}
