//! Compiles every kernel with Intel's compiler. These tests need `ocloc`; without it they are skipped, unless
//! `CM_REQUIRE_OCLOC` is 1.

use std::collections::BTreeSet;

use cm::__private::Kernel;
use cm::RegisterFile;
use cm::compiler::ops::AccessKind;
use cm::dsl::recorder::record;
use cm::ir::{Function, Param, ParamKind};
use cm::prelude::*;
use cm::spirv::{Dispatch, LowerError, lower, lower_dispatched, lower_with_linear_surfaces};
use cm_test_kernels::{
    bitonic_sort, black_scholes, blocks_2d, buffers, classes, colour_adjust, error_diffusion, everyday,
    exits, families, fft, gaussian_blur, graph_cut, groups, hello_world, histogram, horizontal_difference,
    hough_circles, instruction_sets, integral_image, linear, mandelbrot, matrix_product, media_block_io,
    multi_kernels, nbody, places, prefix_sum, printf, radix_sort, sepia, sharpen, simd, sparse_matrix_vector,
    split, staging, subgroups, thread_groups, transpose, typed, typed_3d, waves,
};
use cm_test_support::ocloc::{DEVICES, compile, fits, present, refused};

use crate::instructions;
use crate::programs::operations;

fn recorded<K: Kernel>() -> Function {
    record::<K>().unwrap_or_else(|e| panic!("{}: {e}", K::NAME)).function
}

macro_rules! kernels {
    ($($kernel:ty),* $(,)?) => { vec![$(recorded::<$kernel>()),*] };
}

/// Every kernel in the repository, except `cmk_bitonic_merge` and `vca_op_sad`, which spill registers:
/// `tests/examples` executes them. Also except the matrix products of 16 columns, which spill on GPUs without
/// such an engine; `dpas` and `newest` compile them for the others.
pub(crate) fn all() -> Vec<Function> {
    let mut all = kernels![
        matrix_product::matrix_product_of_8,
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
        places::parts,
        places::staged_parts,
        simd::simd_branches,
        simd::simd_collatz,
        simd::simd_nested,
        simd::simd_lanes,
        simd::simd_references,
        simd::simd_scattered,
        simd::simd_reductions,
        uniforms,
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
        buffers::atomics_u32::<1>,
        buffers::atomics_u32::<4>,
        buffers::atomics_u32::<16>,
        buffers::atomics_i32::<32>,
        buffers::atomics_u16::<8>,
        buffers::atomics_i16::<16>,
        buffers::atomics_f32::<16>,
        buffers::atomics_f16::<32>,
        buffers::atomics_u64,
        buffers::atomics_i64,
        buffers::masked_u8,
        buffers::masked_f32,
        buffers::masked_atomics,
        buffers::channels,
        buffers::dword_blocks_u8,
        buffers::dword_blocks_i16,
        buffers::dword_blocks_f32,
        buffers::dword_blocks_u64,
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
        classes::nv12,
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
        split::linear_floats,
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
    ];
    all.extend(in_waves());
    all.extend(instructions::kernels());
    all
}

/// The kernels of thread spaces with dependencies.
fn in_waves() -> Vec<Function> {
    kernels![
        error_diffusion::error_diffusion,
        graph_cut::gc_v_push,
        graph_cut::gc_h_push,
        waves::chain::<5>,
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

/// Random programs have no buffers, so accesses need kernels of their own.
#[test]
fn every_access_is_in_a_kernel() {
    let found: BTreeSet<_> = all().iter().flat_map(operations).collect();
    assert_eq!(AccessKind::all().find(|kind| !found.contains(kind.spec().name)), None);
}

/// A 2-D block is one message on GPUs that have these messages, and two for the largest blocks. Other GPUs
/// use none, although the compiler accepts them.
#[test]
fn a_2d_block_is_a_message() {
    if !present() {
        return;
    }
    let (mut loads, mut stores) = (vec![], vec![]);
    macro_rules! loads {
        ($($name:ident: $t:ident $r:literal x $c:literal $form:ty;)*) => {$(
            // Rows of 2048 bytes, or a transposed column of 128 bytes.
            let largest = $r * $c * size_of::<$t>() == 2048 || stringify!($name) == "transposed_f32";
            loads.push((recorded::<blocks_2d::$name>(), if largest { 2 } else { 1 }));
        )*};
    }
    macro_rules! stores {
        ($($name:ident: $t:ident $r:literal x $c:literal;)*) => {$(
            stores.push(recorded::<blocks_2d::$name>());
        )*};
    }
    cm_test_kernels::for_each_load_2d!(loads);
    cm_test_kernels::for_each_store_2d!(stores);
    let messages = |kernel: &Function, device, target| {
        let module = lower(kernel, target).unwrap();
        let compiled =
            compile(&module, &kernel.name, device).unwrap_or_else(|e| panic!("{}: {e}", kernel.name));
        ["load_block2d", "store_block2d"].map(|message| compiled.count(message))
    };
    for (kernel, count) in &loads {
        assert_eq!(messages(kernel, "pvc", Target::XeHpc), [*count, 0], "{}", kernel.name);
        assert_eq!(messages(kernel, "dg2-g10", Target::XeHpg), [0, 0], "{}", kernel.name);
    }
    for kernel in &stores {
        // Each kernel loads the blocks that it stores.
        assert_eq!(messages(kernel, "pvc", Target::XeHpc), [1, 1], "{}", kernel.name);
        assert_eq!(messages(kernel, "dg2-g10", Target::XeHpg), [0, 0], "{}", kernel.name);
    }
}

#[test]
fn every_kernel_compiles_everywhere() {
    compile_everywhere(&all(), Dispatch::Groups);
}

/// The modules for lines of threads compile.
#[test]
fn waves_compile_everywhere() {
    compile_everywhere(&in_waves(), Dispatch::Line);
}

#[test]
fn every_built_in_of_sub_groups_compiles_everywhere() {
    compile_everywhere(&sub_groups(), Dispatch::Groups);
}

/// The GPU without media blocks uses this form.
#[test]
fn kernels_compile_with_surfaces_in_buffers() {
    if !present() {
        return;
    }
    let is_surface =
        |param: &Param| matches!(param.kind, ParamKind::Surface { .. } | ParamKind::Surface3d { .. });
    let all = all();
    let with_surfaces = all.iter().filter(|kernel| kernel.params.iter().any(is_surface));
    let lowered = with_surfaces.map(|kernel| {
        let module = lower_with_linear_surfaces(kernel, Target::XeHpc, RegisterFile::Standard);
        (module.unwrap_or_else(|error| panic!("{}: {error}", kernel.name)), &kernel.name[..], "pvc")
    });
    let failed = refused(&lowered.collect::<Vec<_>>());
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Compiles kernels for all devices; kernels with `f64` only for devices that have it.
fn compile_everywhere(kernels: &[Function], dispatch: Dispatch) {
    if !present() {
        return;
    }
    let mut modules = vec![];
    for kernel in kernels {
        for (device, target) in DEVICES {
            match lower_dispatched(kernel, target, RegisterFile::Standard, dispatch) {
                Ok(module) => modules.push((module, &kernel.name[..], device)),
                Err(LowerError::Unsupported { .. }) if !target.has_f64() && kernel.name.contains("f64") => {}
                Err(LowerError::Unsupported { .. })
                    if matches!(target, Target::Gen9 | Target::XeLp) && kernel.name.ends_with("64") => {}
                Err(error) => panic!("{} on {device}: {error}", kernel.name),
            }
        }
    }
    let failed = refused(&modules);
    assert!(failed.is_empty(), "{}", failed.join("\n"));
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

/// A float product and a sum.
#[kernel]
fn product_and_sum(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<f32, 4, 16>(0, 0);
    output.write(0, 0, &(m * 0.3f32 + m));
}

#[test]
fn products_and_sums_are_not_fused() {
    if !present() {
        return;
    }
    for (device, target) in DEVICES {
        let module = lower(&recorded::<product_and_sum>(), target).unwrap();
        let compiled = compile(&module, "product_and_sum", device).unwrap();
        assert_eq!(compiled.count("mad"), 0, "{device} rounds once: {}", compiled.assembly);
        assert!(compiled.count("mul") > 0 && compiled.count("add") > 0, "{device}: {}", compiled.assembly);
    }
}

/// The number of instructions that the compiler generates for the tutorial kernels and for kernels that were
/// not tuned, for each device in the order of [`DEVICES`]. These numbers may only go down.
const INSTRUCTIONS: [(&str, [usize; 4]); 17] = [
    ("linear", [175, 177, 251, 143]),
    ("linear1d2", [60, 70, 76, 71]),
    ("linearslide", [79, 87, 98, 120]),
    ("linearslide2", [60, 68, 80, 74]),
    ("gradients", [108, 110, 118, 113]),
    ("median", [121, 132, 144, 142]),
    ("blend", [69, 78, 91, 85]),
    ("axpy", [16, 18, 29, 21]),
    ("half_polynomial", [35, 37, 49, 48]),
    ("nv12", [65, 66, 77, 59]),
    ("downsample", [32, 34, 46, 43]),
    ("blur5", [152, 154, 210, 206]),
    ("escape", [51, 57, 70, 62]),
    ("sepia", [58, 64, 80, 66]),
    ("binomial5", [96, 90, 100, 97]),
    ("luma", [65, 60, 72, 78]),
    ("mix", [133, 132, 144, 162]),
];

#[test]
fn kernels_are_as_short_as_they_were() {
    if !present() {
        return;
    }
    let kernels = kernels![
        linear::linear,
        linear::linear1d2,
        linear::linearslide,
        linear::linearslide2,
        classes::gradients,
        classes::median,
        classes::blend,
        buffers::axpy,
        classes::half_polynomial,
        classes::nv12,
        classes::downsample,
        classes::blur5,
        everyday::escape::<16>,
        families::sepia,
        families::binomial5,
        families::luma,
        families::mix,
    ];
    let mut changed = vec![];
    for (kernel, (name, limits)) in kernels.iter().zip(INSTRUCTIONS) {
        assert_eq!(kernel.name, name);
        for ((device, target), limit) in DEVICES.into_iter().zip(limits) {
            let module = lower(kernel, target).unwrap();
            let count = compile(&module, name, device).unwrap().instructions;
            if count != limit {
                changed.push(format!("{name} on {device}: {count} instructions, not {limit}"));
            }
        }
    }
    assert!(changed.is_empty(), "longer is worse, shorter is to be noted here: {}", changed.join("; "));
}

#[test]
fn the_register_report_agrees_with_the_compiler() {
    if !present() {
        return;
    }
    // The rows of `linearslide` become one block if registers are free: 6 rows of 32 bytes, which the report
    // does not count.
    let kernels = [
        (recorded::<linear::linear>(), 0),
        (recorded::<linear::linear1d2>(), 0),
        (recorded::<linear::linearslide>(), 6),
        (recorded::<linear::linearslide2>(), 0),
    ];
    for (kernel, joined) in kernels {
        let module = lower(&kernel, Target::Gen9).unwrap();
        let reported = cm::RegisterReport::new(&kernel).peak().registers;
        // The documented margin is a quarter: with a quarter more registers the compiler does not spill, with
        // a quarter less it does. It accepts register files in steps of four.
        let (more, less) = (((reported + joined) * 5 / 4).next_multiple_of(4), reported * 3 / 4 / 4 * 4);
        assert!(
            fits(&module, &kernel.name, "skl", more),
            "{}: {reported}, but {more} do not do",
            kernel.name
        );
        assert!(!fits(&module, &kernel.name, "skl", less), "{}: {reported}, but {less} do", kernel.name);
    }
}
