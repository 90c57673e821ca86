//! The table of type-level numbers: `Len<N>` to typenum and back.
//!
//! Coherence checking is quadratic in the table (all 4096 numbers take 10 s of every build), so that above
//! 1024 elements it holds the multiples of 8 only, and above 4096, which only kernels for larger register files have, the
//! multiples of 64.

use proc_macro2::TokenStream;
use quote::quote;

/// The implementations.
pub(crate) fn expand() -> TokenStream {
    (0..=1024)
        .chain((1032..=4096).step_by(8))
        .chain((4160..16384).step_by(64))
        .map(|n| {
            let unsigned = unsigned(n);
            // Messages list lengths that every kernel may have.
            let hidden = (n > 4096).then(|| quote!(#[diagnostic::do_not_recommend]));
            quote! {
                #hidden
                impl Count for Len<#n> {
                    type UInt = #unsigned;
                }
                #hidden
                impl ToLen for #unsigned {
                    type Len = Len<#n>;
                }
            }
        })
        .collect()
}

/// typenum's binary numeral of `n`: the most significant bit is innermost.
fn unsigned(n: usize) -> TokenStream {
    if n == 0 {
        return quote!(UTerm);
    }
    let high = unsigned(n / 2);
    if n.is_multiple_of(2) { quote!(UInt<#high, B0>) } else { quote!(UInt<#high, B1>) }
}
