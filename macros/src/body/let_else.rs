//! `let .. else`, which chooses like a `match` on a host value.

use quote::quote;
use syn::visit_mut::{VisitMut, visit_pat_ident_mut};
use syn::{Expr, Local, Pat, PatIdent, Stmt};

use super::around::diverges;

/// `let Some(x) = e else { return };` as `let x = match e { Some(x) => x, _ => { return } };`.
pub(super) fn let_else(local: &Local) -> Option<Local> {
    struct Names(Vec<PatIdent>);
    impl VisitMut for Names {
        fn visit_pat_ident_mut(&mut self, name: &mut PatIdent) {
            // Others are constants.
            if name.ident.to_string().starts_with(|first: char| first.is_lowercase() || first == '_') {
                let name = PatIdent { mutability: name.mutability.take(), ..name.clone() };
                // Each alternative of a pattern binds it.
                if self.0.iter().all(|known| known.ident != name.ident) {
                    self.0.push(name);
                }
            }
            visit_pat_ident_mut(self, name);
        }
    }
    let init = local.init.as_ref()?;
    let (_, other) = init.diverge.as_ref().filter(|(_, other)| diverges(other))?;
    if matches!(local.pat, Pat::Type(_)) {
        return None;
    }
    let (mut pat, value, span) = (local.pat.clone(), &init.expr, init.eq_token.span);
    let mut names = Names(Vec::new());
    names.visit_pat_mut(&mut pat);
    let bound = names.0.iter().map(|name| {
        let (mutable, ident) = (&name.mutability, &name.ident);
        quote!(#mutable #ident)
    });
    let plain = names.0.iter().map(|name| &name.ident);
    let [bound, plain] = match names.0.len() {
        1 => [quote!(#(#bound)*), quote!(#(#plain)*)],
        _ => [quote!((#(#bound),*)), quote!((#(#plain),*))],
    };
    let attrs = &local.attrs;
    let chosen: Stmt =
        syn::parse_quote_spanned!(span=> #(#attrs)* let #bound = match () { #pat => #plain, _ => #other };);
    let Stmt::Local(mut chosen) = chosen else { return None };
    // A structure at its start would not be read as a part of it.
    if let Some(Expr::Match(matched)) = chosen.init.as_mut().map(|init| &mut *init.expr) {
        matched.expr = value.clone();
    }
    Some(chosen)
}
