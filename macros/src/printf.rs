//! `printf!`: the text goes to Rust's own `format_args!`, which checks it, and each value to the library.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Expr, Ident, LitStr, Token};

/// `"x = {}", x, name = y`
pub(crate) struct Printf {
    text: LitStr,
    values: Vec<(Option<Ident>, Expr)>,
}

impl Parse for Printf {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let text: LitStr = input.parse()?;
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
        let values = Punctuated::<_, Token![,]>::parse_terminated_with(input, value)?;
        let mut printf = Self { text, values: values.into_iter().collect() };
        for name in captured(&printf.text) {
            if !printf.values.iter().any(|(known, _)| known.as_ref() == Some(&name)) {
                let value = syn::parse_quote!(#name);
                printf.values.push((Some(name), value));
            }
        }
        Ok(printf)
    }
}

/// `x` or `name = x`
fn value(input: ParseStream<'_>) -> syn::Result<(Option<Ident>, Expr)> {
    if !(input.peek(Ident::peek_any) && input.peek2(Token![=]) && !input.peek2(Token![==])) {
        return Ok((None, input.parse()?));
    }
    let name = input.call(Ident::parse_any)?;
    input.parse::<Token![=]>()?;
    Ok((Some(name), input.parse()?))
}

/// The names in `{name}` and `{name:?}`. `format_args!` refuses everything else in braces.
pub(crate) fn captured(text: &LitStr) -> Vec<Ident> {
    let (value, mut names) = (text.value().replace("{{", ""), Vec::new());
    for hole in value.split('{').skip(1) {
        let name = hole.split(['}', ':']).next().unwrap_or_default().trim();
        // Numbers are positions.
        if let Ok(name) = syn::parse_str::<Ident>(name) {
            let name = Ident::new(&name.to_string(), text.span());
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

impl Printf {
    /// The values, for rewriting.
    pub(crate) fn values(&mut self) -> impl Iterator<Item = &mut Expr> {
        self.values.iter_mut().map(|(_, value)| value)
    }

    /// The call, at `span`. `library` returns the path of an item of the library.
    pub(crate) fn expand(
        &self,
        span: Span,
        backend: &TokenStream,
        library: impl Fn(Span, &str) -> TokenStream,
    ) -> Expr {
        let (line, text) = (Ident::new("__line", span), &self.text);
        let printf = library(span, "Printf");
        let values = self.values.iter().map(|(name, value)| {
            let span = crate::model::ends(value).0;
            let printable = library(span, "Printable");
            let line = Ident::new("__line", span);
            let shown = quote_spanned!(span=> #printable::<#backend>::shown(#value, &#line));
            match name {
                Some(name) => quote_spanned!(span=> #name = #shown),
                None => shown,
            }
        });
        let values: Vec<TokenStream> = values.collect();
        syn::parse_quote_spanned!(span=> {
            let #line = #printf::<#backend>::new();
            #line.print(::core::format_args!(#text, #(#values),*));
        })
    }
}
