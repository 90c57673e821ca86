//! Loops over the rows of registers. LLVM has to unroll these before it sees through the registers.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::{Block, Expr, Ident, Token};

use crate::optimised::optimisation;

/// The most rounds that are written one after the other.
const MOST: usize = 8;

/// `row < COUNT => { .. }`, where the number of rounds is a constant expression.
pub(crate) struct Rows {
    row: Ident,
    count: Expr,
    body: Block,
}

impl Parse for Rows {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let row = input.parse()?;
        input.parse::<Token![<]>()?;
        let count = input.parse()?;
        input.parse::<Token![=>]>()?;
        Ok(Self { row, count, body: input.parse()? })
    }
}

/// The loop, or its rounds one after the other if LLVM would not unroll it; see [`Optimisation::short`].
///
/// [`Optimisation::short`]: crate::optimised::Optimisation::short
pub(crate) fn expand(Rows { row, count, body }: &Rows) -> TokenStream {
    let all = quote!(for #row in 0..#count #body);
    if !optimisation().short {
        return all;
    }
    let rounds = (0..MOST).map(|round| {
        quote! {
            if const { #round < #count } {
                let #row = #round;
                #body
            }
        }
    });
    quote! {
        if const { #count <= #MOST } {
            #(#rounds)*
        } else {
            #all
        }
    }
}
