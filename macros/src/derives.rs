//! The `#[derive]` attributes of a type that the macros change.

use quote::quote;
use syn::punctuated::Punctuated;
use syn::{Attribute, Meta, Path, Token};

/// The traits that the macros implement.
pub(crate) const HAD: [&str; 2] = ["Clone", "Copy"];

/// Traits that registers do not have on every backend.
pub(crate) const UNDERIVED: [&str; 6] = ["Default", "Eq", "Hash", "Ord", "PartialEq", "PartialOrd"];

/// The traits that an attribute derives.
pub(crate) fn derived(attr: &Attribute) -> Vec<Path> {
    if !attr.path().is_ident("derive") {
        return Vec::new();
    }
    let traits = attr.parse_args_with(Punctuated::<Path, Token![,]>::parse_terminated);
    // rustc reports another form.
    traits.map(|traits| traits.into_iter().collect()).unwrap_or_default()
}

/// An attribute without these traits, if it derives others, too.
pub(crate) fn kept(attr: &Attribute, removed: &[&str]) -> Option<Attribute> {
    let traits = derived(attr);
    if traits.is_empty() {
        return Some(attr.clone());
    }
    let is_kept =
        |path: &Path| path.segments.last().is_none_or(|last| !removed.iter().any(|name| last.ident == name));
    let kept: Vec<_> = traits.into_iter().filter(is_kept).collect();
    if kept.is_empty() {
        return None;
    }
    let mut attr = attr.clone();
    if let Meta::List(list) = &mut attr.meta {
        list.tokens = quote!(#(#kept),*);
    }
    Some(attr)
}
