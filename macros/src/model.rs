//! The parsed signature of a kernel or function.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;
use syn::{
    Attribute, FnArg, GenericParam, Generics, Ident, ItemFn, LitInt, Pat, Path, PathArguments, Receiver,
    ReceiverKind, ReturnType, Safety, Stmt, Token, Type, WherePredicate,
};

use crate::messages::{self, Errors};
use crate::names::{BoundNames, mentions, unused};

/// The attribute.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Kernel,
    Function,
}

/// The arguments of the attribute.
#[derive(Default)]
pub(crate) struct Options {
    /// The path of the `cm` crate, if it is not `::cm`.
    pub(crate) krate: Option<Path>,
    /// Bytes of the register file that its objects must fit, if it is named.
    pub(crate) register_file: Option<usize>,
}

/// Bytes of the register files, the smallest one first. `limits::REGISTER_FILES` of the compiler crate has them too, and
/// the language refuses others.
const REGISTER_FILES: [usize; 3] = [4096, 8192, 16384];

impl Options {
    /// The path of the `cm` crate, at `span`.
    pub(crate) fn krate(&self, span: Span) -> TokenStream {
        match &self.krate {
            // `$crate` must keep its meaning.
            Some(path) => with_spans(quote!(#path), |own| own.located_at(span)),
            None => quote_spanned!(span=> ::cm),
        }
    }
}

/// The tokens, each with the span that follows from its own.
pub(crate) fn with_spans(tokens: TokenStream, span: impl Fn(Span) -> Span) -> TokenStream {
    let spanned = tokens.into_iter().map(|mut token| {
        token.set_span(span(token.span()));
        token
    });
    spanned.collect()
}

impl Parse for Options {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut options = Self::default();
        while !input.is_empty() {
            let error = |_| input.error(messages::ATTRIBUTE);
            if input.peek(Token![crate]) && options.krate.is_none() {
                input.parse::<Token![crate]>()?;
                input.parse::<Token![=]>().map_err(error)?;
                options.krate = Some(input.call(Path::parse_mod_style)?);
            } else if input.peek(Ident)
                && input.fork().parse::<Ident>()? == "register_file"
                && options.register_file.is_none()
            {
                input.parse::<Ident>()?;
                input.parse::<Token![=]>().map_err(error)?;
                options.register_file = Some(register_file(input)?);
            } else {
                return Err(input.error(messages::ATTRIBUTE));
            }
            if !input.is_empty() {
                input.parse::<Token![,]>().map_err(error)?;
            }
        }
        Ok(options)
    }
}

/// The size of a register file.
fn register_file(input: ParseStream<'_>) -> syn::Result<usize> {
    let at = input.fork();
    let bytes = input.parse::<LitInt>().and_then(|bytes| bytes.base10_parse());
    match bytes {
        Ok(bytes) if REGISTER_FILES.contains(&bytes) => Ok(bytes),
        _ => Err(at.error(messages::REGISTER_FILE)),
    }
}

/// Whether an attribute says under which condition something is there.
pub(crate) fn is_condition(attr: &Attribute) -> bool {
    attr.path().is_ident("cfg")
}

/// The structure as it is named in expressions as well as in types, `Sums::<N>`.
pub(crate) fn path_of(ty: &Type) -> Path {
    let Type::Path(ty) = ty else { return Ident::new("Self", Span::call_site()).into() };
    let mut path = ty.path.clone();
    if let Some(last) = path.segments.last_mut()
        && let PathArguments::AngleBracketed(arguments) = &mut last.arguments
    {
        arguments.colon2_token.get_or_insert_default();
    }
    path
}

/// How a parameter is passed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Passing {
    Value,
    Shared,
    Exclusive,
}

/// A parameter.
pub(crate) struct Param {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) name: Ident,
    pub(crate) mutable: bool,
    pub(crate) passing: Passing,
    /// Without the reference.
    pub(crate) ty: Type,
    /// As written.
    pub(crate) full: Type,
}

impl Param {
    /// Whether it is the receiver of a method.
    pub(crate) fn is_self(&self) -> bool {
        self.name == "self"
    }

    /// Whether it is a matrix or vector, by its name.
    pub(crate) fn is_register(&self) -> bool {
        is_register_type(&self.ty)
    }

    /// Whether it is a surface or buffer, by its name.
    pub(crate) fn is_memory(&self) -> bool {
        self.is_named(&["Surface2D", "Surface3D", "Buffer"])
    }

    /// Whether it is shared memory of a group, by its name.
    pub(crate) fn is_shared_memory(&self) -> bool {
        self.is_named(&["Slm", "SlmView"])
    }

    fn is_named(&self, names: &[&str]) -> bool {
        let Type::Path(path) = &self.ty else { return false };
        path.path.segments.last().is_some_and(|last| names.iter().any(|name| last.ident == name))
    }
}

/// What a shared reference refers to, as far as syntax shows.
#[derive(Clone)]
pub(crate) enum Referent {
    Surface,
    /// A buffer with elements of this type.
    Buffer(TokenStream),
    Other,
}

impl Referent {
    /// What a reference to this type refers to, by its name.
    pub(crate) fn of(ty: &Type) -> Self {
        let Type::Path(path) = ty else { return Self::Other };
        match path.path.segments.last() {
            Some(last) if last.ident == "Surface2D" => Self::Surface,
            Some(last) if last.ident == "Buffer" => match &last.arguments {
                PathArguments::AngleBracketed(elem) => Self::Buffer(elem.args.to_token_stream()),
                _ => Self::Other,
            },
            _ => Self::Other,
        }
    }
}

/// Whether it is a matrix or vector, by its name.
pub(crate) fn is_register_type(ty: &Type) -> bool {
    matches!(ty, Type::Path(ty) if of_register_type(&ty.path))
}

/// Whether a type, or a function of it, is one of matrices or vectors.
pub(crate) fn of_register_type(path: &Path) -> bool {
    path.segments.iter().any(|segment| segment.ident == "Matrix" || segment.ident == "Vector")
}

/// Whether a type, or what it refers to, is one of matrices or vectors of `u16`, whose elements may be masks.
pub(crate) fn mask_type(ty: &Type) -> bool {
    match ty {
        Type::Reference(reference) => mask_type(&reference.elem),
        Type::Path(ty) => of_mask_type(&ty.path),
        _ => false,
    }
}

/// Whether a path is that of such a type, or of a function of it.
pub(crate) fn of_mask_type(path: &Path) -> bool {
    path.segments.iter().any(|segment| {
        matches!(&*segment.ident.to_string(), "Matrix" | "Vector")
            && matches!(&segment.arguments, PathArguments::AngleBracketed(arguments)
                if arguments.args.first().is_some_and(|of| of.to_token_stream().to_string() == "u16"))
    })
}

/// The `impl` block of a method.
#[derive(Clone)]
pub(crate) struct Owner {
    /// The structure, as written.
    pub(crate) ty: Type,
    /// The names of the const parameters of the block.
    pub(crate) consts: Vec<Ident>,
    /// The name of the backend parameter of the block.
    pub(crate) backend: Ident,
}

/// The backend as the last argument of a structure.
pub(crate) fn add_argument(ty: &mut Type, backend: &Ident) {
    if let Type::Path(path) = ty
        && let Some(last) = path.path.segments.last_mut()
    {
        match &mut last.arguments {
            PathArguments::AngleBracketed(arguments) => arguments.args.push(syn::parse_quote!(#backend)),
            arguments => *arguments = PathArguments::AngleBracketed(syn::parse_quote!(<#backend>)),
        }
    }
}

/// A kernel or function.
pub(crate) struct Model {
    pub(crate) role: Role,
    /// Set if it is a method or another function of a structure of registers.
    pub(crate) owner: Option<Owner>,
    options: Options,
    pub(crate) item: ItemFn,
    pub(crate) params: Vec<Param>,
    /// The name of the backend parameter.
    pub(crate) backend: Ident,
    /// The names of the const parameters.
    pub(crate) consts: Vec<Ident>,
    /// Whether sizes are parameters, so that limits are checked only when a kernel is recorded.
    pub(crate) generic: bool,
}

/// The element types; the number is that of the bits.
pub(crate) const NUMBERS: [&str; 13] =
    ["u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "f16", "f32", "f64", "bf16", "tf32"];

impl Param {
    /// Whether it is a number, by the name of its type.
    pub(crate) fn is_number(&self) -> bool {
        let Type::Path(path) = &self.ty else { return false };
        path.path.get_ident().is_some_and(|ident| NUMBERS.iter().any(|name| ident == name))
    }

    /// Whether it takes host numbers as well as staged numbers: a number or `bool` of a `#[function]`, also in a tuple or array.
    pub(crate) fn enters(&self, role: Role) -> bool {
        has_number(&self.ty) && role == Role::Function && self.passing == Passing::Value
    }

    /// Whether the body binds its name again, to what the kernel uses.
    pub(crate) fn is_bound_again(&self, role: Role) -> bool {
        self.passing == Passing::Value && (self.mutable || role == Role::Kernel || self.enters(role))
    }
}

impl Model {
    pub(crate) fn new(
        attribute: TokenStream,
        mut item: ItemFn,
        role: Role,
        owner: Option<Owner>,
        errors: &mut Errors,
    ) -> Self {
        let options = syn::parse2::<Options>(attribute).unwrap_or_else(|error| {
            errors.push(error);
            Options::default()
        });
        // Before patterns take their attributes along.
        let of_generics = item.sig.generics.params.iter().map(|param| match param {
            GenericParam::Const(param) => &param.attrs,
            GenericParam::Type(param) => &param.attrs,
            GenericParam::Lifetime(param) => &param.attrs,
        });
        let of_params = item.sig.inputs.iter().map(|input| match input {
            FnArg::Typed(typed) => &typed.attrs,
            FnArg::Receiver(receiver) => &receiver.attrs,
        });
        for condition in of_generics.chain(of_params).flatten().filter(|attr| is_condition(attr)) {
            errors.add(condition.pound_token.span, messages::CFG_PARAMETER);
        }
        match role {
            Role::Kernel => keep_types(&mut item.sig.generics),
            Role::Function => name_patterns(&mut item),
        }
        let sig = &item.sig;
        for (span, present) in [
            (sig.constness.span(), sig.constness.is_some()),
            (sig.asyncness.span(), sig.asyncness.is_some()),
            (sig.abi.span(), sig.abi.is_some()),
            (sig.variadic.span(), sig.variadic.is_some()),
            (sig.ident.span(), !matches!(sig.safety, Safety::Default)),
        ] {
            if present {
                errors.add(span, messages::SIGNATURE);
            }
        }
        let mut consts = owner.as_ref().map_or_else(Vec::new, |owner| owner.consts.clone());
        for param in &sig.generics.params {
            match param {
                GenericParam::Const(param) => consts.push(param.ident.clone()),
                GenericParam::Type(_) => {}
                GenericParam::Lifetime(param) => errors.add(param.span(), messages::LIFETIME),
            }
        }
        if let (Role::Kernel, ReturnType::Type(_, ty)) = (role, &sig.output)
            && !matches!(&**ty, Type::Tuple(unit) if unit.elems.is_empty())
        {
            errors.add(ty.span(), messages::KERNEL_RETURNS);
        }
        if let (Role::Function, ReturnType::Type(_, ty)) = (role, &sig.output)
            && let Type::Reference(reference) = &**ty
        {
            errors.add(reference.and_token.span(), messages::RETURNS_REFERENCE);
        }
        let backend = match &owner {
            Some(owner) => owner.backend.clone(),
            None => backend_name(item.to_token_stream()),
        };
        let params =
            sig.inputs.iter().filter_map(|input| param(input, role, owner.as_ref(), errors)).collect();
        let generic = !sig.generics.params.is_empty() || !consts.is_empty();
        Self { role, owner, options, params, backend, consts, generic, item }
    }

    /// The path of the `cm` crate, at `span`: errors about its items are then shown at the user's token.
    pub(crate) fn krate(&self, span: Span) -> TokenStream {
        self.options.krate(span)
    }

    /// Bytes of the register file that it declares, if that is not the smallest one.
    pub(crate) fn register_file(&self) -> Option<usize> {
        self.options.register_file.filter(|bytes| *bytes != REGISTER_FILES[0])
    }

    /// `ty` on the backend. If its sizes are known, it must fit the register file.
    pub(crate) fn staged(&self, ty: &Type) -> Type {
        let backend = &self.backend;
        let file = self.register_file().filter(|_| !self.generic);
        let name = match (self.generic, file) {
            (true, _) => "Staged",
            (false, None) => "Declared",
            (false, Some(_)) => "DeclaredIn",
        };
        match ty {
            // The second is a type of the host.
            Type::Infer(_) | Type::Verbatim(_) => ty.clone(),
            Type::Reference(reference) => {
                let mut reference = reference.clone();
                *reference.elem = self.staged(&reference.elem);
                Type::Reference(reference)
            }
            _ => {
                let (first, last) = ends(ty);
                let krate = self.krate(first);
                let name = Ident::new(name, first);
                // rustc underlines from the first token to the last; stable Rust cannot join spans.
                let open = quote_spanned!(first=> <);
                let close = quote_spanned!(last=> >::Ty);
                let file = file.map(|bytes| {
                    let bytes = LitInt::new(&bytes.to_string(), first);
                    quote_spanned!(first=> , #bytes)
                });
                syn::parse_quote!(#open #ty as #krate::__private::#name<#backend #file> #close)
            }
        }
    }
}

/// The types of a generic kernel live as long as its recordings, which are kept.
fn keep_types(generics: &mut Generics) {
    let types: Vec<Ident> = generics.type_params().map(|param| param.ident.clone()).collect();
    if !types.is_empty() {
        let kept = types.iter().map(|ty| -> WherePredicate { syn::parse_quote!(#ty: 'static) });
        generics.make_where_clause().predicates.extend(kept);
    }
}

/// Gives parameters that are patterns a name, which the body takes apart first.
fn name_patterns(item: &mut ItemFn) {
    let tokens = item.to_token_stream();
    let mut taken: Vec<Stmt> = Vec::new();
    for (i, input) in item.sig.inputs.iter_mut().enumerate() {
        if let FnArg::Typed(typed) = input
            && !matches!(&*typed.pat, Pat::Ident(pat) if pat.by_ref.is_none() && pat.subpat.is_none())
        {
            // Documentation and editors show it. It is another name than those of the pattern.
            let span = Span::mixed_site().located_at(ends(&typed.pat).0);
            let mut name = only_name(&typed.pat)
                .unwrap_or_else(|| unused(&tokens, [&format!("parameter{i}"), &format!("parameter{i}_")]));
            name.set_span(span);
            let (pat, ty, attrs) = (&typed.pat, &typed.ty, std::mem::take(&mut typed.attrs));
            taken.push(match (&**pat, &**ty) {
                // A `let` follows a reference by the name of what it refers to. Other types than those of numbers and
                // registers need not be said.
                (_, Type::Reference(_)) | (Pat::Struct(_) | Pat::Wild(_), _) => {
                    syn::parse_quote!(#(#attrs)* let #pat = #name;)
                }
                _ => syn::parse_quote!(#(#attrs)* let #pat: #ty = #name;),
            });
            *typed.pat = syn::parse_quote!(#name);
        }
    }
    item.block.stmts.splice(0..0, taken);
}

/// The name in a pattern that has exactly one.
fn only_name(pat: &Pat) -> Option<Ident> {
    let mut names = BoundNames::default();
    names.visit_pat_mut(&mut pat.clone());
    match &*names.0 {
        [name] => Some(name.clone()),
        _ => None,
    }
}

/// A name for the backend parameter. Messages show it, so it is short, unless the item uses that name.
pub(crate) fn backend_name(item: TokenStream) -> Ident {
    Ident::new(if mentions(item, "B") { "CmBackend" } else { "B" }, Span::call_site())
}

/// The spans of the first and the last token: a path with these spans is underlined as a whole.
pub(crate) fn ends(tokens: &impl ToTokens) -> (Span, Span) {
    let mut spans = tokens.to_token_stream().into_iter().map(|token| token.span());
    let first = spans.next().unwrap_or_else(Span::call_site);
    (first, spans.last().unwrap_or(first))
}

/// The receiver of a method of `owner`.
fn receiver(receiver: &Receiver, owner: &Owner, errors: &mut Errors) -> Option<Param> {
    let ty = &owner.ty;
    let is_self = |ty: &Type| matches!(ty, Type::Path(path) if path.path.is_ident("Self"));
    let written = match &receiver.kind {
        ReceiverKind::Value => Some(Passing::Value),
        ReceiverKind::Reference(_, None, None) => Some(Passing::Shared),
        ReceiverKind::Reference(_, None, Some(_)) => Some(Passing::Exclusive),
        // `self: &Self`
        ReceiverKind::Typed(_, full) => {
            let (passing, own) = passing(full);
            let named = matches!(&**full, Type::Reference(reference) if reference.lifetime.is_some());
            (is_self(own) && !named).then_some(passing)
        }
        _ => None,
    };
    let Some(passing) = written else {
        errors.add(receiver.span(), messages::METHOD_SELF);
        return None;
    };
    let full = match passing {
        Passing::Value => ty.clone(),
        Passing::Shared => syn::parse_quote!(&#ty),
        Passing::Exclusive => syn::parse_quote!(&mut #ty),
    };
    let name = Ident::from(receiver.self_token);
    Some(Param { attrs: receiver.attrs.clone(), name, mutable: false, passing, ty: ty.clone(), full })
}

fn param(input: &FnArg, role: Role, owner: Option<&Owner>, errors: &mut Errors) -> Option<Param> {
    let typed = match (input, owner) {
        (FnArg::Typed(typed), _) => typed,
        (FnArg::Receiver(own), Some(owner)) => return receiver(own, owner, errors),
        (FnArg::Receiver(receiver), None) => {
            errors.add(
                receiver.span(),
                match role {
                    Role::Kernel => messages::SELF,
                    Role::Function => messages::FUNCTION_SELF,
                },
            );
            return None;
        }
    };
    if let Type::ImplTrait(ty) = &*typed.ty {
        errors.add(ty.span(), messages::IMPL_TRAIT);
    }
    let Pat::Ident(pat) = &*typed.pat else {
        errors.add(typed.pat.span(), messages::PATTERN);
        return None;
    };
    if pat.by_ref.is_some() || pat.subpat.is_some() {
        errors.add(pat.span(), messages::PATTERN);
    }
    if pat.mutability.is_some() && role == Role::Kernel {
        errors.add(pat.span(), messages::KERNEL_MUT_VALUE);
    }
    let (passing, ty) = passing(&typed.ty);
    if role == Role::Kernel
        && let Some(message) = never_an_argument(ty, passing)
    {
        errors.add(ends(&typed.ty).0, message);
    }
    let (name, mutable) = (pat.ident.clone(), pat.mutability.is_some());
    Some(Param {
        attrs: typed.attrs.clone(),
        name,
        mutable,
        passing,
        ty: ty.clone(),
        full: (*typed.ty).clone(),
    })
}

/// Whether a type is a number or `bool`, or a tuple or array of values that has some, by their names.
fn has_number(ty: &Type) -> bool {
    match ty {
        Type::Path(path) => {
            path.path.get_ident().is_some_and(|name| name == "bool" || NUMBERS.iter().any(|of| name == of))
        }
        Type::Paren(paren) => has_number(&paren.elem),
        Type::Array(array) => has_number(&array.elem),
        Type::Tuple(tuple) => tuple.elems.iter().all(is_value) && tuple.elems.iter().any(has_number),
        _ => false,
    }
}

fn is_value(ty: &Type) -> bool {
    match ty {
        Type::Path(_) => true,
        Type::Paren(paren) => is_value(&paren.elem),
        Type::Array(array) => is_value(&array.elem),
        Type::Tuple(tuple) => tuple.elems.iter().all(is_value),
        _ => false,
    }
}

/// How a parameter of this type is passed, and its type without the reference.
pub(crate) fn passing(ty: &Type) -> (Passing, &Type) {
    match ty {
        Type::Reference(reference) if reference.mutability.is_some() => (Passing::Exclusive, &reference.elem),
        Type::Reference(reference) => (Passing::Shared, &reference.elem),
        ty => (Passing::Value, ty),
    }
}

/// The mistake in a type that is known by its name. rustc finds other wrong types, and reports them at each place where
/// the kernel is declared and launched.
pub(crate) fn never_an_argument(ty: &Type, passing: Passing) -> Option<&'static str> {
    let path = match ty {
        Type::Path(path) => path,
        Type::Array(_) => return Some(messages::ARRAY_ARGUMENT),
        Type::Slice(_) => return Some(messages::SLICE_ARGUMENT),
        Type::Ptr(_) => return Some(messages::POINTER_ARGUMENT),
        Type::TraitObject(_) | Type::FnPtr(_) => return Some(messages::CALLED_ARGUMENT),
        _ => return None,
    };
    let name = path.path.segments.last()?.ident.to_string();
    match (&*name, passing) {
        ("Surface2D", Passing::Value) => Some(messages::SURFACE_BY_VALUE),
        ("Surface3D", Passing::Value) => Some(messages::SURFACE_3D_BY_VALUE),
        ("Buffer", Passing::Value) => Some(messages::BUFFER_BY_VALUE),
        (name, Passing::Shared | Passing::Exclusive)
            if matches!(name, "Matrix" | "Vector") || NUMBERS.contains(&name) =>
        {
            Some(messages::VALUE_BY_REFERENCE)
        }
        ("usize" | "isize", _) => Some(messages::HOST_SIZE_ARGUMENT),
        ("bool", _) => Some(messages::BOOL_ARGUMENT),
        ("u128" | "i128" | "char" | "str" | "String", _) => Some(messages::HOST_ARGUMENT),
        _ => None,
    }
}
