//! Compares the instruction counts of kernels with those of equivalent OpenCL C, compiled by the same
//! compiler, and generates the page `docs/gpu-code.md`.
//!
//! `CM_BLESS=1` rewrites the page. Read the difference before you commit it.

use std::fmt::Write;
use std::path::Path;

use cm::__private::Kernel;
use cm::dsl::recorder::record;
use cm_test_kernels::{buffers, classes, columns, everyday, levels, signals};
use cm_test_support::committed;
use cm_test_support::emulator::Emulator;
use cm_test_support::inside::inside;
use cm_test_support::ocloc::{DEVICES, Simt, compile, compile_opencl, is_counted, lower_as_launched};

/// A kernel, its description, the elements that a thread writes, and the equivalent OpenCL C kernels with the
/// elements that a work item writes.
type Row = (fn() -> cm::ir::Function, &'static str, usize, &'static [(&'static str, usize)]);

fn recorded<K: Kernel>() -> cm::ir::Function {
    record::<K>().unwrap_or_else(|e| panic!("{}: {e}", K::NAME)).function
}

const ROWS: [Row; 48] = [
    (
        recorded::<classes::gradients>,
        "gradients of 3 x 3 bytes",
        128,
        &[("gradients", 1), ("gradients_of_four", 4)],
    ),
    (recorded::<classes::median>, "median of 3 x 3 bytes", 128, &[("median", 1)]),
    (recorded::<classes::blend>, "alpha blending of two pictures", 32, &[("blend", 1)]),
    (recorded::<classes::nv12<16, 1>>, "NV12 to RGBA", 32, &[("nv12", 4)]),
    (recorded::<classes::nv12<64, 4>>, "the same, 128 pixels at once", 128, &[("nv12", 4)]),
    (
        recorded::<classes::downsample>,
        "means of 2 x 2 bytes",
        64,
        &[("downsample", 1), ("downsample_of_four", 4)],
    ),
    (recorded::<classes::blur5>, "5 x 5 filter of floats", 64, &[("blur5", 1)]),
    (recorded::<classes::saxpy>, "`y = a * x + y` of floats", 128, &[("axpy", 1), ("axpy_of_four", 4)]),
    (
        recorded::<classes::half_polynomial>,
        "polynomial of halves",
        128,
        &[("half_polynomial", 1), ("half_polynomial_of_four", 4)],
    ),
    (recorded::<everyday::grey>, "packed RGB to grey", 64, &[("grey", 4), ("grey_of_one", 1)]),
    (recorded::<everyday::erode>, "the smallest of 3 x 3 words", 128, &[("erode", 1), ("erode_of_two", 2)]),
    (recorded::<everyday::gamma>, "bytes by a table", 128, &[("gamma", 1), ("gamma_of_four", 4)]),
    (recorded::<everyday::compose>, "a plane over another one", 128, &[("compose", 4)]),
    (
        recorded::<everyday::block_differences>,
        "absolute differences of 8 x 8 bytes",
        4,
        &[("block_differences", 1)],
    ),
    (
        recorded::<everyday::upscale>,
        "twice the width and height",
        256,
        &[("upscale", 4), ("upscale_of_two", 8)],
    ),
    (
        recorded::<everyday::halve_rgba>,
        "half the width and height of packed RGBA",
        128,
        &[("halve_rgba", 4), ("halve_rgba_of_two", 8)],
    ),
    (recorded::<everyday::escape<32>>, "Mandelbrot: a loop with a mask", 32, &[("escape", 1)]),
    (recorded::<everyday::escape<16>>, "the same, 16 numbers at once", 16, &[("escape", 1)]),
    (
        recorded::<everyday::cross_median>,
        "median of a byte and its neighbours",
        128,
        &[("cross_median", 1), ("cross_median_of_four", 4)],
    ),
    (
        recorded::<everyday::slopes>,
        "lengths of the gradients of 3 x 3 bytes",
        128,
        &[("slopes", 1), ("slopes_of_four", 4)],
    ),
    (recorded::<everyday::bilateral>, "a filter of 3 x 3 bytes that keeps edges", 64, &[("bilateral", 1)]),
    (
        recorded::<everyday::premultiplied>,
        "premultiplied colours over others, saturated",
        32,
        &[("premultiplied", 1)],
    ),
    (
        recorded::<everyday::positions>,
        "absolute differences of 16 x 16 bytes at 32 positions",
        32,
        &[("positions", 1)],
    ),
    (recorded::<everyday::softmax>, "softmax of rows of 64 halves", 64, &[("softmax", 4)]),
    (
        recorded::<buffers::histogram>,
        "bytes to 256 counters",
        64,
        &[("histogram", 1), ("histogram_of_four", 4)],
    ),
    (
        recorded::<everyday::thresholds>,
        "bytes above a limit, as bits",
        256,
        &[("thresholds", 32), ("thresholds_of_one", 1)],
    ),
    (recorded::<everyday::chroma_key>, "pixels near a colour are replaced", 32, &[("chroma_key", 1)]),
    (
        recorded::<everyday::rows_of_bytes>,
        "rows of a matrix of bytes times a vector",
        16,
        &[("rows_of_bytes", 1)],
    ),
    (
        recorded::<signals::half_axpy>,
        "`y = a * x + y` of halves",
        128,
        &[("half_axpy", 1), ("half_axpy_of_four", 4)],
    ),
    (recorded::<signals::pack10>, "three numbers of 10 bits in a dword", 32, &[("pack10", 1)]),
    (
        recorded::<signals::unpack10>,
        "the numbers of 10 bits of dwords",
        96,
        &[("unpack10", 3), ("unpack10_of_two", 6)],
    ),
    (recorded::<signals::norms>, "norms of rows of 64 floats", 512, &[("norms", 64), ("norms_of_groups", 4)]),
    (
        recorded::<signals::moments>,
        "sums, and sums of squares, of 16 x 16 bytes",
        256,
        &[("moments", 256), ("moments_of_groups", 16)],
    ),
    (
        recorded::<signals::resample>,
        "bytes by a table of four weights for each phase",
        32,
        &[("resample", 1), ("resample_of_one", 1)],
    ),
    (recorded::<everyday::smooth>, "5 x 5 bytes, down and along", 128, &[("smooth", 1)]),
    (recorded::<everyday::corners>, "sums of 3 x 3 products of floats (Harris)", 32, &[("corners", 1)]),
    (recorded::<signals::transformed>, "a matrix times vectors of 4 floats", 64, &[("transformed", 4)]),
    (recorded::<columns::prefix_sums>, "prefix sums of rows of 16 numbers", 256, &[("prefix_sums", 16)]),
    (recorded::<columns::squares>, "squares of the lengths of points of 3 floats", 16, &[("squares", 1)]),
    (recorded::<columns::butterflies>, "8 x 8 floats, along and down (Hadamard)", 64, &[("butterflies", 64)]),
    (recorded::<columns::recursive>, "a recursive filter along rows of 16 floats", 128, &[("recursive", 16)]),
    (recorded::<columns::smoothed>, "a recursive filter along rows of 16 bytes", 256, &[("smoothed", 16)]),
    (recorded::<columns::residuals>, "4 x 4 words along (H.264)", 64, &[("residuals", 4)]),
    (recorded::<columns::cosines>, "cosine transforms of rows of 8 words", 128, &[("cosines", 8)]),
    (recorded::<levels::quantised>, "rows of 128 floats to bytes with a scale", 512, &[("quantised", 8)]),
    (
        recorded::<levels::scaled_nibbles>,
        "levels of four bits with scales to halves",
        256,
        &[("scaled_nibbles", 8)],
    ),
    (recorded::<levels::curve>, "a curve of lines in a table", 64, &[("curve", 1), ("curve_of_four", 4)]),
    (recorded::<levels::second_order>, "second-order filters down 16 channels", 256, &[("second_order", 16)]),
];

/// Kernels and devices where OpenCL C has fewer instructions.
const BEHIND: [(&str, &str); 57] = [
    ("nv12", "pvc"),
    ("escape", "pvc"),
    ("pack10", "skl"),
    ("pack10", "tgllp"),
    ("pack10", "dg2-g10"),
    ("unpack10", "skl"),
    ("unpack10", "tgllp"),
    ("unpack10", "dg2-g10"),
    ("unpack10", "pvc"),
    ("norms", "skl"),
    ("norms", "tgllp"),
    ("norms", "dg2-g10"),
    ("norms", "pvc"),
    ("moments", "pvc"),
    ("resample", "skl"),
    ("resample", "tgllp"),
    ("resample", "dg2-g10"),
    ("resample", "pvc"),
    ("corners", "pvc"),
    ("transformed", "skl"),
    ("transformed", "tgllp"),
    ("transformed", "dg2-g10"),
    ("transformed", "pvc"),
    ("prefix_sums", "skl"),
    ("prefix_sums", "tgllp"),
    ("prefix_sums", "dg2-g10"),
    ("prefix_sums", "pvc"),
    ("squares", "skl"),
    ("squares", "tgllp"),
    ("squares", "dg2-g10"),
    ("squares", "pvc"),
    ("butterflies", "skl"),
    ("butterflies", "tgllp"),
    ("butterflies", "dg2-g10"),
    ("butterflies", "pvc"),
    ("recursive", "skl"),
    ("recursive", "tgllp"),
    ("recursive", "dg2-g10"),
    ("recursive", "pvc"),
    ("smoothed", "skl"),
    ("smoothed", "tgllp"),
    ("smoothed", "dg2-g10"),
    ("smoothed", "pvc"),
    ("residuals", "pvc"),
    ("cosines", "skl"),
    ("cosines", "tgllp"),
    ("cosines", "dg2-g10"),
    ("cosines", "pvc"),
    ("scaled_nibbles", "skl"),
    ("scaled_nibbles", "tgllp"),
    ("scaled_nibbles", "dg2-g10"),
    ("scaled_nibbles", "pvc"),
    ("curve", "skl"),
    ("curve", "tgllp"),
    ("curve", "dg2-g10"),
    ("curve", "pvc"),
    ("second_order", "pvc"),
];

fn page() -> (String, Vec<(String, String)>) {
    let emulator = Emulator::find().expect("the compiler");
    let mut page = String::from(
        "# GPU code compared with OpenCL C\n\n\
         Instructions per written element, cm / OpenCL C. Debian 12's compiler (ocloc, IGC 1.0.12504) compiled both. \
         The kernels are in [`tests/kernels/classes.rs`](../tests/kernels/classes.rs), \
         [`tests/kernels/everyday.rs`](../tests/kernels/everyday.rs), \
         [`tests/kernels/buffers.rs`](../tests/kernels/buffers.rs), \
         [`tests/kernels/signals.rs`](../tests/kernels/signals.rs), \
         [`tests/kernels/columns.rs`](../tests/kernels/columns.rs), \
         [`tests/kernels/levels.rs`](../tests/kernels/levels.rs) and [`tests/compiler/simt.cl`](../tests/compiler/simt.cl). In both, products and sums are rounded separately. If \
         OpenCL C has several forms, the shortest one counts. Instruction counts are not times: most instructions take \
         one or two cycles for 8 to 32 elements, but messages take hundreds.\n\n\
         `CM_BLESS=1 cargo test --workspace --test compiler simt` writes this page.\n\n\
         | Kernel |",
    );
    for (device, _) in DEVICES {
        write!(page, " {device} |").expect("text");
    }
    page += "\n|---|---|---|---|---|\n";
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("compiler/simt.cl");
    let rivals: Vec<Vec<Simt>> =
        DEVICES.iter().map(|(device, _)| compile_opencl(&source, device).expect("OpenCL C")).collect();
    let (mut behind, mut buffers) = (vec![], vec![]);
    for (kernel, what, elements, forms) in ROWS {
        let kernel = kernel();
        write!(page, "| `{}`: {what} |", kernel.name).expect("text");
        for ((device, target), rivals) in DEVICES.into_iter().zip(&rivals) {
            let module = lower_as_launched(&kernel, target).expect("a module");
            let whole = compile(&module, &kernel.name, device).expect("machine code").instructions;
            let executed = match target.has_media_blocks() {
                true => None,
                false => inside(&emulator, (&kernel, target, device)),
            };
            if executed.is_none() && !target.has_media_blocks() {
                buffers.push(format!("`{}`", kernel.name));
            }
            let ours = executed.unwrap_or(whole as u64) as f64 / elements as f64;
            let theirs = |&(name, elements): &(&str, usize)| {
                let form = rivals.iter().find(|form| form.kernel == name).expect("a kernel of `simt.cl`");
                form.instructions as f64 / (form.lanes * elements) as f64
            };
            let theirs = forms.iter().map(theirs).min_by(f64::total_cmp).expect("a form");
            write!(page, " {ours:.2} / {theirs:.2} |").expect("text");
            if ours > theirs {
                behind.push((kernel.name.clone(), device.to_owned()));
            }
        }
        page.push('\n');
    }
    let last = buffers.pop().expect("kernels on buffers");
    let buffers = buffers.join(", ") + " and " + &last;
    write!(page, "\nThe counts are instructions of the compiled program, so an instruction in the loop of `escape` counts once. The counts of \
             cm on pvc are an exception:\
             \n\nPonte Vecchio (pvc) has no images, so surfaces are in buffers there. A block that reaches beyond the edge of such a \
             surface is read byte by byte. For kernels on surfaces, the pvc column of cm therefore counts the instructions that \
             one thread executes whose blocks are all inside; its numeric arguments are 1, so loops run once. The OpenCL C \
             kernels have no rule for edges. These kernels use only buffers, and count as on the other GPUs: {buffers}.\
             \n\n`nv12` with 32 pixels on pvc: a thread of OpenCL C computes 128 pixels. So starting the thread, computing its position and \
             sending messages are a larger part of cm's count.\
             \n\n`escape` with 16 numbers on pvc: a thread of OpenCL C computes 32 numbers. An instruction computes up to two \
             registers, which hold 32 floats, and cm uses half of that. The loop is nearly as long as that for 32 numbers.\
             \n\n`norms` and `moments`: the counts are per element that is read. In OpenCL C a lane first adds its four neighbours; \
             cm adds halves of rows. On dg2-g10 and pvc, the compiler moves floats before it adds rows of the same register.\
             \n\n`pack10` and `unpack10`: a region cannot take every third element, so cm picks the numbers by indirect addresses, 8 \
             per instruction. In OpenCL C a message moves three words per lane.\
             \n\n`resample`: OpenCL C reads four bytes in one message. In cm each byte is a scattered read, which compares its \
             position with the end of the buffer. cm reads the four weights in one message.\
             \n\n`corners` on pvc: cm computes rows of 10 elements there, and copies each result, because the compiler confuses \
             longer rows of bytes.\
             \n\n`transformed`, `prefix_sums` and `squares`: the messages are those of OpenCL C, but in cm each thread also computes \
             the addresses of 16 lanes and whole owords of them. From dg2-g10 on, cm reads the floats of a point one by one.\
             \n\n`butterflies`, `recursive`, `smoothed`, `residuals` and `cosines`: a lane of OpenCL C computes a row or a block, and its message puts each \
             column in a register. A block of a surface has rows in registers, so cm turns it, and turns the result again. Of \
             `residuals` and `cosines`, cm computes the columns of all blocks beside each other at once.\
             \n\n`scaled_nibbles`: a lane of OpenCL C computes eight halves that follow each other, and so inserts none between \
             others.\
             \n\n`curve`: cm has the table in registers, and picks its numbers by indirect addresses, 8 per instruction. In \
             OpenCL C they are scattered reads.\
             \n\n`second_order` on pvc: a thread of OpenCL C computes 32 channels, one of cm 16, which fill half of the lanes of \
             an instruction.\n")
        .expect("text");
    (page, behind)
}

#[test]
fn the_page_is_what_the_compiler_makes() {
    if !is_counted() {
        return;
    }
    let (page, behind) = page();
    committed::check("docs/gpu-code.md", &page);
    let expected: Vec<_> = BEHIND.map(|(kernel, device)| (kernel.to_owned(), device.to_owned())).into();
    assert_eq!(behind, expected, "kernels with more instructions than OpenCL C; fewer are to be noted here");
}
