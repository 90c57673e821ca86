//! Sizes that are no constants, and constructors that registers lack.

use proc_macro2::Span;
use syn::{AngleBracketedGenericArguments, ExprPath, GenericArgument, PathArguments, Type};

use super::stager::Stager;
use crate::messages;

impl Stager<'_> {
    /// The mistake in the path of a function, with its span: a size that is no constant, or a constructor that registers lack.
    pub(super) fn refused_constructor(&self, function: &ExprPath) -> Option<(Span, &'static str)> {
        let segments = &function.path.segments;
        let arguments = segments.iter().filter_map(|segment| match &segment.arguments {
            PathArguments::AngleBracketed(arguments) => Some(arguments),
            _ => None,
        });
        if let Some(span) = arguments.into_iter().find_map(|arguments| self.variable_as_size(arguments)) {
            return Some((span, messages::VARIABLE_AS_SIZE));
        }
        let method = &segments.last()?.ident;
        let owner = &segments.iter().nth_back(1)?.ident;
        let register = owner == "Matrix" || owner == "Vector";
        let absent = ["new", "default", "zero", "zeros", "zeroed", "ones", "from_slice", "from_vec"];
        (register && absent.iter().any(|name| method == name))
            .then(|| (method.span(), messages::NEW_REGISTER))
    }

    /// A constant argument that is the name of a variable, not of a constant.
    pub(super) fn variable_as_size(&self, arguments: &AngleBracketedGenericArguments) -> Option<Span> {
        arguments.args.iter().find_map(|argument| match argument {
            GenericArgument::Type(Type::Path(ty)) if ty.qself.is_none() => {
                let name = ty.path.get_ident()?;
                self.lookup(name).map(|_| name.span())
            }
            _ => None,
        })
    }
}
