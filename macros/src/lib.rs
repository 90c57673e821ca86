//! `#[kernel]` and `#[function]`.
//!
//! ```text
//! fn item -> model (signature) -> body (statements and expressions) -> expand (tokens)
//!                        \------------- messages, all of them reported at once
//! ```
//!
//! The macros see syntax only. They make the function generic over a backend, map every annotated type
//! through a trait, and replace what Rust would evaluate at once (`let mut`, `=`, `if`, `while`, `for`,
//! comparisons, `&&`, `||`, `as`) by calls whose meaning the types decide. Everything else is left as it was
//! written, with its spans.

mod body;
mod counts;
mod expand;
mod messages;
mod model;

use proc_macro::TokenStream;
use quote::quote;

/// Makes a function a kernel.
///
/// The function takes surfaces by reference (`&Surface2D` to read, `&mut Surface2D` to write as well) and
/// uniform arguments by value, and returns nothing. Beside it the macro declares a type of the same name,
/// which carries `launch`; const generics become parameters of that type: `blur::<8, 32>::launch(..)`.
///
/// In the body `let mut` declares variables of the kernel, `if`, `while` and `for` follow staged conditions
/// and ranges as well as host ones (which unroll), comparisons of registers give masks, literal offsets are
/// checked by `cargo check`, and `.select_mut(..) += ..` and `.row_mut(..).assign(..)` evaluate their
/// arguments first. `return`, `break`, `continue`, `?`, `loop`, `unsafe` and macros are refused.
///
/// `#[kernel(crate = path)]` names the `cm` crate where it is not `::cm`.
#[proc_macro_attribute]
pub fn kernel(attribute: TokenStream, item: TokenStream) -> TokenStream {
    expand::run(attribute.into(), item.into(), model::Role::Kernel).into()
}

/// Makes a function a helper of kernels: generic over the backend, like their bodies.
///
/// Parameters and the result are values, or registers by reference (`&mut Matrix<..>` to change them). It can
/// be called from kernels, from other helpers, and from plain Rust on plain registers. Explicit const
/// arguments work in kernels (`widen::<8>(m)`); in plain Rust the backend is one more, `widen::<8, _>(m)`.
#[proc_macro_attribute]
pub fn function(attribute: TokenStream, item: TokenStream) -> TokenStream {
    expand::run(attribute.into(), item.into(), model::Role::Function).into()
}

/// An operation of kernels: inlined always, since a kernel on the CPU is one function for each instruction
/// set, and with the line of whoever calls it, which recorded instructions and errors name.
#[doc(hidden)]
#[proc_macro_attribute]
pub fn op(_: TokenStream, item: TokenStream) -> TokenStream {
    marked(quote!(#[inline(always)] #[track_caller]), item)
}

/// An operation on the arrays of the CPU: inlined always where code is optimised. Without optimisation a
/// kernel of such functions as one takes rustc minutes and gigabytes.
#[doc(hidden)]
#[proc_macro_attribute]
pub fn on_arrays(_: TokenStream, item: TokenStream) -> TokenStream {
    let attributes = quote! {
        #[cfg_attr(debug_assertions, inline)]
        #[cfg_attr(not(debug_assertions), inline(always))]
    };
    marked(attributes, item)
}

/// The item after these attributes, its tokens as they are: messages and documentation show what is written.
fn marked(attributes: proc_macro2::TokenStream, item: TokenStream) -> TokenStream {
    let mut marked = TokenStream::from(attributes);
    marked.extend(item);
    marked
}

/// Implements the table of type-level numbers.
#[doc(hidden)]
#[proc_macro]
pub fn __counts(_: TokenStream) -> TokenStream {
    counts::expand().into()
}
