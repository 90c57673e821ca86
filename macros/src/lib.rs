//! `#[kernel]`, `#[function]`, `#[registers]` and `#[derive(Arguments)]`.
//!
//! ```text
//! fn item -> model (signature) -> body (statements and expressions) -> expand, kernel (tokens)
//!                        \------------- messages, all of them reported at once
//! ```
//!
//! The macros see only syntax. They make the function generic over a backend, map every annotated type
//! through a trait, and replace constructs that Rust would evaluate at once (`let mut`, `=`, `if`, `while`, `for`,
//! comparisons, `&&`, `||`, `as`) by calls whose meaning the types decide. All other code is unchanged, including
//! its spans.

mod argument;
mod arguments;
mod body;
mod counts;
mod declared;
mod derives;
mod enums;
mod expand;
mod kernel;
mod matched;
mod messages;
mod methods;
mod model;
mod names;
mod operator_traits;
mod optimised;
mod printf;
mod rows;
mod structures;
mod unparsed;

use proc_macro::TokenStream;
use quote::quote;

/// Makes a function a kernel. CM: `_GENX_MAIN_`.
///
/// ```
/// use cm::prelude::*;
///
/// /// Adds a number to every texel; results above 255 become 255.
/// #[kernel]
/// fn brighten(input: &Surface2D, output: &mut Surface2D, by: i32) {
///     let (x, y) = (thread_origin_x() * 32, thread_origin_y() * 8);
///     let m = input.read::<u8, 8, 32>(x, y);
///     output.write(x, y, &(m + by).saturate::<u8>());
/// }
///
/// let device = Device::best()?;
/// let input = Surface2D::from_bytes(&device, Format::R8, 64, 16, &[250; 1024])?;
/// let mut output = Surface2D::new(&device, Format::R8, 64, 16)?;
/// // One kernel thread for each block of 32 x 8 bytes.
/// brighten::launch(&device, ThreadSpace::new(2, 2)?, &input, &mut output, 10)?;
/// assert_eq!(output.to_vec()?, [255; 1024]);
/// # Ok::<(), cm::Error>(())
/// ```
///
/// # Parameters
///
/// | Parameter | In the kernel |
/// |---|---|
/// | `&Surface2D`, `&Surface3D`, `&Buffer<T>` | memory that the kernel reads |
/// | `&mut Surface2D`, `&mut Surface3D`, `&mut Buffer<T>` | memory that the kernel reads and writes |
/// | a number, `Vector` or `Matrix` by value | a uniform: the same for all kernel threads |
/// | `Sampler<F, A>` by value | how `sample` reads a surface |
/// | a structure by value, with [`#[derive(Arguments)]`](derive@Arguments) | its fields are parameters of these kinds |
///
/// A kernel returns nothing.
///
/// # What the macro declares
///
/// A type with the name of the function, with these functions:
///
/// | Function | What it does |
/// |---|---|
/// | `k::launch(&device, space, ..)` | runs the kernel for every thread of `space` and returns an `Event` |
/// | `k::enqueue(scope, space, ..)` | the same in a [scope], without waiting |
/// | `k::ir()` | returns the [recorded] kernel |
/// | `k::registers()` | reports the registers that the kernel uses at each line |
/// | `k::spirv()`, `k::spirv_for(target)` | returns its SPIR-V module |
///
/// The `..` are the parameters of the kernel. Its const generics and types are parameters of the type:
/// `blur::<8, 32>::launch(..)`, `scale::<Bilinear, u8>::launch(..)`. Types are elements (`T: Elem`), or types of the host that
/// choose constants (`F: Filter`, a trait of yours).
///
/// # What a body may contain
///
/// - `let mut` declares a variable of the kernel: a number, a register, a tuple or an array of these, or a structure with
///   [`#[registers]`](macro@registers). Elements `acc[i]` of an array have an index of the host.
/// - `if`, `while`, `loop` and `for` work on [host] and on [staged] conditions and ranges. A `for` over a host
///   range is unrolled.
/// - `break`, `continue` and `return` leave loops, labelled blocks, kernels and functions, under host and
///   staged conditions. They are statements, or the end of an arm of an `if` or `match`.
///   `loop` and labelled blocks can have values.
/// - `match` on integers, conditions and tuples of these, host or staged, takes numbers, `true`, `false`, alternatives,
///   ranges, constants, names and guards. On a staged integer the last arm is `_` or a name. On other host values
///   `match` is Rust's own.
/// - `simd_if!` and `simd_while!` branch separately for each lane of a mask.
/// - `printf!` prints a line. `matches!` compares numbers of the kernel and values of the host.
/// - Comparisons of registers return masks.
/// - `cargo check` checks literal offsets.
/// - `?`, `unsafe`, `async` and other macros are errors.
///
/// In `m.select_mut(..).assign(e)` and `m.row_mut(i) += e`, `e` is evaluated first, so it may read `m`.
///
/// # Options
///
/// `#[kernel(crate = path)]` names the `cm` crate if its path is not `::cm`.
///
/// `#[kernel(register_file = 8192)]` writes the kernel for a register file of 8192 bytes: its objects are smaller than
/// that. The sizes are 4096 (the default), 8192 and 16384. A launch on a GPU whose register file is smaller is an error;
/// `Device::with_large_register_file` doubles it. CM: the target and `-Qxcm_doubleGRF`.
///
/// ```
/// use cm::prelude::*;
///
/// #[kernel(register_file = 8192)]
/// fn ones(output: &mut Buffer<f32>) {
///     let m = Matrix::<f32, 16, 96>::splat(1.0f32); // 6144 bytes
///     output.write_linear(0, &m.format::<f32>());
/// }
/// # let device = Device::cpu()?;
/// # let mut output = Buffer::new(&device, 1536)?;
/// # ones::launch(&device, ThreadSpace::new(1, 1)?, &mut output)?;
/// # assert_eq!(output.to_vec()?, [1.0; 1536]);
/// # Ok::<(), cm::Error>(())
/// ```
///
/// [scope]: ../cm/struct.Scope.html
/// [recorded]: ../cm/guide/glossary/index.html#recorded
/// [host]: ../cm/guide/glossary/index.html#host
/// [staged]: ../cm/guide/glossary/index.html#staged
#[proc_macro_attribute]
pub fn kernel(attribute: TokenStream, item: TokenStream) -> TokenStream {
    expand::run(attribute.into(), item.into(), model::Role::Kernel).into()
}

/// Makes a function a helper that kernels can call. CM: `_GENX_`.
///
/// ```
/// use cm::prelude::*;
///
/// /// The sum of each element and its right neighbour.
/// #[function]
/// fn pairs<const R: usize>(m: Matrix<u8, R, 32>) -> Matrix<u16, R, 24> {
///     (m.select::<R, 1, 24, 1>(0, 0) + m.select::<R, 1, 24, 1>(0, 1)).convert()
/// }
///
/// #[kernel]
/// fn soften(input: &Surface2D, output: &mut Surface2D) {
///     let (x, y) = (thread_origin_x() * 24, thread_origin_y() * 8);
///     let sums = pairs::<8>(input.read::<u8, 8, 32>(x, y));
///     output.write(x, y, &(sums >> 1).convert::<u8>());
/// }
///
/// // In plain Rust it computes with arrays, so you can test it without a device.
/// let sums = pairs::<1, _>(Matrix::<u8, 1, 32>::splat(200));
/// assert_eq!(sums.to_array(), [[400; 24]]);
/// ```
///
/// Parameters are values, or registers and memory by reference: `&mut Matrix<..>` to change a register,
/// `&Surface2D` to read a surface. Kernels, other helpers and plain Rust can call the function. In plain Rust
/// a call with explicit const arguments has one more argument, the backend: `pairs::<1, _>(m)`.
///
/// # Any elements
///
/// A function may be generic over elements, `T: Elem`: it moves, selects, formats, merges and converts registers of them. A number
/// of this type is `Scalar<T>`. Operators take no `T`; compute in a type that has all values. CM: `template <typename T, int N>`.
///
/// ```
/// use cm::prelude::*;
///
/// /// The means of `a` and `b`, except the first one, which is `first`.
/// #[function]
/// fn mean<T: Elem, const N: usize>(a: Vector<T, N>, b: Vector<T, N>, first: Scalar<T>) -> Vector<T, N> {
///     let sum = a.convert::<i32>() + b.convert::<i32>() + 1;
///     let mut mean: Vector<T, N> = (sum >> 1).convert();
///     mean.get_mut(0).assign(first);
///     mean
/// }
///
/// let (a, b) = (Vector::from_array([1u8, 200, 3]), Vector::from_array([4u8, 255, 9]));
/// assert_eq!(mean(a, b, 7u8.into()).to_array(), [7, 228, 6]);
/// ```
///
/// A call that names the elements but no constant has one more argument, also in kernels: `f::<u8, _>(x)`.
///
/// # Parts of registers
///
/// Kernels and helpers pass a part of a register like a variable: `&mut` of a place. CM: parameters of
/// type `vector_ref<T, N>` and `matrix_ref<T, R, C>`.
///
/// ```
/// use cm::prelude::*;
///
/// /// Adds `by` to every element, up to 255.
/// #[function]
/// fn brighten<const N: usize>(v: &mut Vector<u8, N>, by: i32) {
///     *v = (*v + by).saturate();
/// }
///
/// #[kernel]
/// fn frame(input: &Surface2D, output: &mut Surface2D) {
///     let mut block = input.read::<u8, 8, 32>(0, 0);
///     brighten(&mut block.row_mut(0), 40);
///     brighten(&mut block.row_mut(7).select_mut::<16, 2>(1), 20);
///     brighten(&mut block.format_mut::<u8>(), 1);
///     output.write(0, 0, &block);
/// }
/// # fn main() -> cm::Result<()> {
/// # let device = Device::cpu()?;
/// # let input = Surface2D::from_bytes(&device, Format::R8, 32, 8, &[0; 256])?;
/// # let mut output = Surface2D::new(&device, Format::R8, 32, 8)?;
/// # frame::launch(&device, ThreadSpace::new(1, 1)?, &input, &mut output)?;
/// # let bytes = output.to_vec()?;
/// # assert_eq!((bytes[0], bytes[32], bytes[224], bytes[225]), (41, 1, 1, 21));
/// # Ok(())
/// # }
/// ```
///
/// The elements are copied into a variable before the call and copied back after it. The other arguments are
/// evaluated first, so they may read the same register. Two places in one call must belong to different registers.
/// `&mut` of a value, such as `&mut block.row(0)`, is an error. Calls with `&mut` are errors in SIMD control flow.
///
/// The rules for the body are those of [`#[kernel]`](macro@kernel). `#[function(crate = path)]` names the
/// `cm` crate if its path is not `::cm`. `#[function(register_file = 8192)]` allows objects below 8192 bytes. Any kernel can
/// call the function; if it makes an object that does not fit the register file of the kernel, recording the kernel is an
/// error.
#[proc_macro_attribute]
pub fn function(attribute: TokenStream, item: TokenStream) -> TokenStream {
    expand::run(attribute.into(), item.into(), model::Role::Function).into()
}

/// Lets kernels use a structure of registers, its methods, or an `enum`. CM: a structure with vectors and
/// matrices.
///
/// ```
/// use cm::prelude::*;
///
/// /// The best line so far.
/// #[registers]
/// struct Best {
///     cost: i32,
///     line: Vector<u8, 16>,
///     sums: [Vector<i32, 16>; 2],
/// }
///
/// /// Takes `line`, if it costs less.
/// #[function]
/// fn consider(best: &mut Best, line: Vector<u8, 16>) {
///     let cost = math::sum::<i32, _>(line);
///     best.sums[0] += line;
///     if cost < best.cost {
///         best.cost = cost;
///         best.line = line;
///     }
/// }
///
/// #[kernel]
/// fn least(input: &Surface2D, output: &mut Surface2D, lines: i32) {
///     let mut best = Best { cost: 9999, line: Vector::splat(0), sums: [Vector::splat(0); 2] };
///     for y in 0..lines {
///         consider(&mut best, input.read::<u8, 1, 16>(0, y).row(0));
///     }
///     best.line.select_mut::<8, 2>(1).assign(best.sums[0].select::<8, 2>(1));
///     output.write(0, 0, &best.line);
/// }
/// # fn main() -> cm::Result<()> {
/// # let device = Device::cpu()?;
/// # let texels: Vec<u8> = (0..4).flat_map(|y| [9 - y; 16]).collect();
/// # let input = Surface2D::from_bytes(&device, Format::R8, 16, 4, &texels)?;
/// # let mut output = Surface2D::new(&device, Format::R8, 16, 1)?;
/// # least::launch(&device, ThreadSpace::new(1, 1)?, &input, &mut output, 4)?;
/// # assert_eq!(output.to_vec()?, [6, 30].repeat(8));
/// # Ok(())
/// # }
/// ```
///
/// Fields are numbers, `bool`, `usize`, registers, arrays of these, and other structures of registers. The structure has named
/// fields and may have constants as generics. It is `Copy`. Write `#[derive]` below `#[registers]`; `PartialEq` and `Default`
/// cannot be derived.
///
/// In kernels and functions it is a value like a register: `let mut` makes a variable of it, functions take it by value, by `&`
/// and by `&mut`, and return it. Numbers in `Best { cost: 0, .. }` take the type of the field. Under staged conditions and in
/// SIMD control flow, assignments to fields are those to variables.
///
/// # Methods
///
/// `#[registers]` on an `impl` block makes its functions functions of kernels, like [`#[function]`](macro@function).
/// CM: member functions.
///
/// ```
/// use cm::prelude::*;
///
/// #[registers]
/// struct Sums<const N: usize> {
///     acc: [Vector<i32, 8>; N],
///     rounds: i32,
/// }
///
/// #[registers]
/// impl<const N: usize> Sums<N> {
///     fn new(first: i32) -> Self {
///         Self { acc: [Vector::splat(first); N], rounds: 0 }
///     }
///
///     fn add(&mut self, v: Vector<i32, 8>) {
///         for i in 0..N {
///             self.acc[i] += v * i;
///         }
///         self.rounds += 1;
///     }
///
///     fn total(&self) -> i32 {
///         math::sum::<i32, _>(self.acc[N - 1]) + self.rounds
///     }
/// }
///
/// #[kernel]
/// fn totals(input: &Buffer<i32>, output: &mut Buffer<i32>) {
///     let mut sums: Sums<3> = Sums::new(1);
///     for i in 0..4 {
///         sums.add(input.read::<8>(i * 32));
///     }
///     output.write(0, &Vector::<i32, 4>::splat(sums.total()));
/// }
/// # let device = Device::cpu()?;
/// # let input = Buffer::from_slice(&device, &[1; 32])?;
/// # let mut output = Buffer::new(&device, 4)?;
/// # totals::launch(&device, ThreadSpace::new(1, 1)?, &input, &mut output)?;
/// # assert_eq!(output.to_vec()?, [8 * (1 + 2 * 4) + 4; 4]);
/// # Ok::<(), cm::Error>(())
/// ```
///
/// - Methods take `self`, `&self` or `&mut self`. Their names are not those of methods of registers, surfaces and buffers.
/// - In SIMD control flow a method with `&mut self` is called as a statement, `sums.add(v);`. It changes the active lanes.
/// - Under staged conditions a method with `&mut self` is an error if the structure has a `usize`.
/// - The constants of the structure follow from the type of the variable, `let sums: Sums<3> = Sums::new(1)`, or are
///   written, `Sums::<3>::new(1)`.
/// - Constants, `const ROUNDS: usize = 4;`, are those of the host.
///
/// # Choices
///
/// `#[registers]` on an `enum` makes it a host value that functions of kernels take, like
/// `Plane`: `match`, `==` and `<` decide when the kernel is recorded, and `side as usize` is its number. Its fields are host
/// values, too, whose types are `Copy`, `PartialEq` and, if no variant is without fields, `Default`: `Leaky(f32)`. It is `Copy`; `==`
/// needs `PartialEq` and `<` needs `PartialOrd`. Write other `#[derive]`s below `#[registers]`. CM: parameters of type `enum`.
///
/// ```
/// use cm::prelude::*;
///
/// #[registers]
/// enum Side {
///     Left,
///     Right,
/// }
///
/// /// Each element and its neighbour.
/// #[function]
/// fn beside(v: Vector<u8, 16>, side: Side) -> Vector<i32, 8> {
///     let others = match side {
///         Side::Left => v.select::<8, 1>(3),
///         Side::Right => v.select::<8, 1>(5),
///     };
///     v.select::<8, 1>(4) + others
/// }
///
/// let v = Vector::from_array([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
/// assert_eq!(beside(v, Side::Left).to_array(), [7, 9, 11, 13, 15, 17, 19, 21]);
/// assert_eq!(beside(v, Side::Right).to_array(), [9, 11, 13, 15, 17, 19, 21, 23]);
/// ```
///
/// # The backend
///
/// The macro gives a structure one more type parameter, the backend, which has a default. In plain Rust, leave it out.
///
/// `#[registers(crate = path)]` names the `cm` crate if its path is not `::cm`.
#[proc_macro_attribute]
pub fn registers(attribute: TokenStream, item: TokenStream) -> TokenStream {
    match syn::parse::<syn::ItemImpl>(item.clone()) {
        Ok(methods) => methods::expand(&attribute.into(), methods).into(),
        Err(_) => structures::expand(attribute.into(), item.into()).into(),
    }
}

/// Lets kernels take a structure as one argument; each field is a parameter. CM: a kernel argument that is a structure with
/// pointers (`svmptr_t`, `SurfaceIndex`).
///
/// ```
/// use cm::prelude::*;
///
/// #[derive(Arguments)]
/// struct Filter<'a> {
///     from: &'a Buffer<f32>,
///     to: &'a mut Buffer<f32>,
///     weight: f32,
/// }
///
/// #[kernel]
/// fn weighted(filter: Filter<'_>, offset: f32) {
///     let byte = thread_origin_x() * 64;
///     let sum = filter.from.read::<16>(byte) * filter.weight + offset;
///     filter.to.write(byte, &sum);
/// }
///
/// let device = Device::best()?;
/// let from = Buffer::from_slice(&device, &[2.0; 32])?;
/// let mut to = Buffer::new(&device, 32)?;
/// let filter = Filter { from: &from, to: &mut to, weight: 0.5 };
/// weighted::launch(&device, ThreadSpace::new(2, 1)?, filter, 1.0)?;
/// assert_eq!(to.to_vec()?, [2.0; 32]);
/// # Ok::<(), cm::Error>(())
/// ```
///
/// The fields are those that a kernel takes as parameters: `&Surface2D`, `&Surface3D` and `&Buffer<T>`, the same with
/// `&mut`, numbers, registers, samplers, and other structures of arguments. The launch checks each field like a
/// parameter, and errors name it `filter.from`. A kernel cannot write through `&`, and two fields cannot
/// borrow the same memory if one of them is `&mut`.
///
/// The structure has named fields and may have lifetimes and constants as generics. A kernel takes it by value. A
/// `#[function]` takes it by value too, or its fields. In the compiled kernel each field is an argument of its own, as
/// in CM.
///
/// `#[arguments(crate = path)]` names the `cm` crate if its path is not `::cm`.
#[proc_macro_derive(Arguments, attributes(arguments))]
pub fn arguments(item: TokenStream) -> TokenStream {
    arguments::derive(item.into()).into()
}

/// Prints a line from a kernel, with the format checked by `cargo check`. CM: `printf`.
///
/// ```
/// use cm::prelude::*;
///
/// #[kernel]
/// fn show(input: &Surface2D) {
///     let (x, y) = (thread_origin_x(), thread_origin_y());
///     let m = input.read::<u8, 2, 4>(x * 4, y * 2);
///     printf!("({x}, {y}): first = {:>3}, row = {:?}, all = {m:02x?}", m.get(0, 0), m.row(0));
/// }
///
/// let device = Device::cpu()?.with_printf_handler(|output| {
///     assert_eq!(
///         output.lines[0].text,
///         "(0, 0): first =   1, row = [1, 2, 3, 4], all = [[01, 02, 03, 04], [32, 3c, 46, 50]]",
///     );
/// });
/// let input = Surface2D::from_bytes(&device, Format::R8, 4, 2, &[1, 2, 3, 4, 50, 60, 70, 80])?;
/// show::launch(&device, ThreadSpace::new(1, 1)?, &input)?;
/// # Ok::<(), cm::Error>(())
/// ```
///
/// The text is a literal with Rust's format syntax, and rustc checks it. Every `printf!` prints one line: `\n` at
/// the end of the text is allowed and has no effect.
///
/// | Value | Printed by |
/// |---|---|
/// | host numbers, `bool` | all of Rust's formats |
/// | staged numbers | `{}`, `{:?}`, `{:e}`, `{:E}`; integers `{:x}`, `{:X}`, `{:b}`, `{:o}` |
/// | vectors and matrices, parts of them, masks | `{:?}`, `{:x?}`, `{:X?}`: all elements; `{:#?}` prints a matrix with one line per row |
///
/// - Width, fill, alignment, sign and precision apply to each element (`{:>4}`, `{:+.2}`, `{:04x?}`). They are
///   literals; `{:1$}` and `{:.*}` take only host numbers.
/// - The output is the same on all devices. It goes to the handler of the device
///   (`Device::with_printf_handler`), or to the standard output without a handler, when the launch has completed:
///   in the order of the kernel threads, row by row. So a kernel that does not end prints nothing.
/// - The output of a launch is limited to 1 MiB: 3 dwords per line, and one per element (two for 64-bit elements).
///   The output counts the lines that do not fit. If threads run in parallel, their timing decides which lines fit.
/// - In `simd_if!` and `simd_while!` it prints once per kernel thread that has an active lane when the arm or the
///   iteration begins, with all lanes of
///   its values.
/// - In plain Rust outside `#[kernel]` and `#[function]` it takes registers and host numbers, and prints
///   at once.
/// - The SPIR-V module of a kernel that prints has one more parameter, a buffer.
#[proc_macro]
pub fn printf(tokens: TokenStream) -> TokenStream {
    expand::printf(tokens.into()).into()
}

/// An operation of kernels. It is [`inlined`](macro@inlined), and it has the line of its caller, which recorded
/// instructions and errors name.
#[doc(hidden)]
#[proc_macro_attribute]
pub fn op(_: TokenStream, item: TokenStream) -> TokenStream {
    let inlined = inline_attributes();
    marked(quote!(#inlined #[track_caller]), item)
}

/// A part of an operation. In builds without debug assertions it is always inlined, because a kernel on the CPU is one
/// function for each instruction set. With them, inlining all of these functions into a kernel would take rustc minutes and
/// gigabytes. (Arithmetic on single elements is always inlined: it is no longer than a call.)
#[doc(hidden)]
#[proc_macro_attribute]
pub fn inlined(_: TokenStream, item: TokenStream) -> TokenStream {
    marked(inline_attributes(), item)
}

/// Generic code has the optimisation of the user's crate, which the crates of cm cannot see. Debug assertions are what
/// comes nearest.
fn inline_attributes() -> proc_macro2::TokenStream {
    quote! {
        #[cfg_attr(debug_assertions, inline)]
        #[cfg_attr(not(debug_assertions), inline(always))]
    }
}

/// The item after these attributes, with unchanged tokens: messages and documentation show the source as written.
fn marked(attributes: proc_macro2::TokenStream, item: TokenStream) -> TokenStream {
    let mut marked = TokenStream::from(attributes);
    marked.extend(item);
    marked
}

/// A loop over rows of registers: `row < COUNT => { .. }`.
#[doc(hidden)]
#[proc_macro]
pub fn __rows(tokens: TokenStream) -> TokenStream {
    rows::expand(&syn::parse_macro_input!(tokens)).into()
}

/// Implements the table of type-level numbers.
#[doc(hidden)]
#[proc_macro]
pub fn __counts(_: TokenStream) -> TokenStream {
    counts::expand().into()
}
