//! `matches!(x, pattern)` as what it stands for: comparisons, or a `match`.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::quote_spanned;
use syn::parse::Parser;
use syn::visit_mut::{VisitMut, visit_block_mut, visit_expr_mut};
use syn::{Block, Expr, ExprLit, Ident, Lit, Macro, Pat, Stmt};

/// Replaces the calls in a body. Others are kept, so that they are reported.
pub(crate) struct Matches;

impl VisitMut for Matches {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        if let Expr::Macro(found) = expr
            && let Some(written) = replaced(&found.mac)
        {
            *expr = written;
        }
        visit_expr_mut(self, expr);
    }

    fn visit_block_mut(&mut self, block: &mut Block) {
        // Without a semicolon it is the value of the block.
        if let Some(last) = block.stmts.last_mut()
            && let Stmt::Macro(found) = last
            && found.semi_token.is_none()
            && let Some(written) = replaced(&found.mac)
        {
            *last = Stmt::Expr(written, None);
        }
        visit_block_mut(self, block);
    }
}

fn replaced(call: &Macro) -> Option<Expr> {
    if call.path.segments.last()?.ident != "matches" {
        return None;
    }
    let span = call.path.segments.last()?.ident.span();
    let (matched, pattern) = parts(call.tokens.clone())?;
    let compared = Parser::parse2(Pat::parse_multi_with_leading_vert, pattern.clone()).ok();
    let (named, bound) = if has_no_effect(&matched) {
        (matched.clone(), None)
    } else {
        let name = Ident::new("__matched", Span::mixed_site().located_at(span));
        (syn::parse_quote!(#name), Some(quote_spanned!(span=> let #name = #matched;)))
    };
    if let Some(condition) = compared.and_then(|pattern| comparisons(&named, &pattern, span)) {
        return Some(match bound {
            Some(bound) => syn::parse_quote_spanned!(span=> ({ #bound #condition })),
            None => syn::parse_quote_spanned!(span=> (#condition)),
        });
    }
    syn::parse2(quote_spanned!(span=> (match #matched { #pattern => true, _ => false }))).ok()
}

/// Whether it may be written several times: a literal, a name, or a field of one.
fn has_no_effect(expr: &Expr) -> bool {
    match expr {
        Expr::Path(_) | Expr::Lit(_) => true,
        Expr::Field(field) => has_no_effect(&field.base),
        Expr::Paren(paren) => has_no_effect(&paren.expr),
        _ => false,
    }
}

/// The expression, and the pattern with its guard.
fn parts(tokens: TokenStream) -> Option<(Expr, TokenStream)> {
    let mut tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',');
    if tokens.last().is_some_and(is_comma) {
        tokens.pop();
    }
    // A comma between the `<` and `>` of a call does not end the expression.
    let mut commas = (0..tokens.len()).filter(|n| is_comma(&tokens[*n]));
    commas.find_map(|comma| {
        let matched = syn::parse2(tokens[..comma].iter().cloned().collect()).ok()?;
        Some((matched, tokens[comma + 1..].iter().cloned().collect()))
    })
}

/// The condition that a number has one of the values of the pattern, if that consists of literals and ranges.
fn comparisons(number: &Expr, pattern: &Pat, span: Span) -> Option<Expr> {
    match pattern {
        Pat::Paren(paren) => comparisons(number, &paren.pat, span),
        Pat::Or(or) => {
            let mut cases = or.cases.iter().map(|case| comparisons(number, case, span));
            let first = cases.next()??;
            cases.try_fold(first, |any, case| {
                let case = case?;
                Some(syn::parse_quote_spanned!(span=> #any || #case))
            })
        }
        Pat::Lit(ExprLit { lit: Lit::Bool(_) | Lit::Str(_), .. }) => None,
        Pat::Lit(literal) => Some(syn::parse_quote_spanned!(span=> (#number == #literal))),
        Pat::Range(range) => Some(syn::parse_quote_spanned!(span=> (#range).contains(&#number))),
        _ => None,
    }
}
