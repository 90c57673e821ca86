//! Calls: built-ins get the backend, literal offsets become types, CM's overloads get their names.

use syn::spanned::Spanned;
use syn::{
    BinOp, Expr, ExprCall, ExprLit, ExprMethodCall, ExprUnary, GenericArgument, Ident, Lit, PathArguments,
    Type, UnOp,
};

use super::Stager;
use crate::messages;
use crate::model::Model;

/// Built-in functions whose arguments do not name the backend.
const BUILTINS: [&str; 5] =
    ["thread_origin_x", "thread_origin_y", "num_sub_groups", "enqueued_num_sub_groups", "sub_group_id"];

/// Such functions whose first parameter is the size of the sub-group, which may be left to inference.
const SIZED_BUILTINS: [&str; 3] = ["sub_group_size", "max_sub_group_size", "sub_group_local_id"];

/// Functions whose second argument is where a block of a buffer or a surface starts.
const BLOCKS: [&str; 8] = [
    "sub_group_block_read",
    "sub_group_block_read2",
    "sub_group_block_read4",
    "sub_group_block_read8",
    "sub_group_block_write",
    "sub_group_block_write2",
    "sub_group_block_write4",
    "sub_group_block_write8",
];

/// The built-ins of `cl_intel_media_block_io`: the first argument is a byte column, and each has a form that is checked when
/// the kernel is recorded.
const MEDIA_BLOCK_IO: [&str; 2] = ["sub_group_media_block_read_", "sub_group_media_block_write_"];

/// Methods whose arguments are offsets.
const OFFSETS: [&str; 13] = [
    "select",
    "select_mut",
    "row",
    "row_mut",
    "column",
    "column_mut",
    "get",
    "get_mut",
    "replicate",
    "replicate_w",
    "replicate_vs_w",
    "replicate_vs_w_hs",
    "select_any",
];

/// Methods of buffers, by their number of arguments; the first one is an offset in bytes. `read` and `write` of surfaces
/// have one more.
const BYTE_OFFSETS: [(&str, usize); 3] = [("read", 1), ("read_dwaligned", 1), ("write", 2)];

/// Methods that only registers and staged scalars have, so that a literal under them meets one of these.
const REGISTER_METHODS: [&str; 14] = [
    "convert",
    "saturate",
    "select",
    "select_any",
    "row",
    "column",
    "format",
    "format_matrix",
    "replicate",
    "replicate_w",
    "replicate_vs_w",
    "replicate_vs_w_hs",
    "any",
    "all",
];

/// Methods that convert every element.
const CONVERSIONS: [&str; 2] = ["convert", "saturate"];

/// Methods with a form that is checked when the kernel is recorded, for functions with generic sizes.
const CHECKED: [&str; 12] = [
    "select",
    "select_mut",
    "read",
    "write",
    "read_dwaligned",
    "read_scattered",
    "write_scattered",
    "write_atomic",
    "fetch_atomic",
    "format_matrix",
    "splat",
    "constant",
];

/// Methods that give values: the results cannot be changed.
const VALUES: [&str; 13] = [
    "select",
    "select_any",
    "row",
    "column",
    "get",
    "iselect",
    "replicate",
    "replicate_w",
    "replicate_vs_w",
    "replicate_vs_w_hs",
    "format",
    "convert",
    "saturate",
];

/// Constructors of registers, called on a type. `from_array` makes registers of plain Rust; in kernels `constant`
/// stands for it.
const CONSTRUCTORS: [&str; 5] = ["splat", "splat_any", "from_array", "constant", "constant_any"];

impl Stager<'_> {
    pub(super) fn call(&mut self, call: &mut ExprCall) {
        let media_block_io = is_media_block_io(&call.func);
        self.arguments(call);
        let Expr::Path(function) = &mut *call.func else {
            self.receiver(&mut call.func);
            return;
        };
        let exchanges = function
            .path
            .segments
            .last()
            .is_some_and(|last| ["swap", "replace", "take"].iter().any(|name| last.ident == name));
        if exchanges && call.args.iter().any(|arg| matches!(arg, Expr::Block(_))) {
            // `&mut x` of a variable has become a block.
            self.errors.add(function.path.span(), messages::EXCHANGE);
        }
        let backend = self.backend(call.paren_token.span.open());
        let count = function.path.segments.len();
        let Some(last) = function.path.segments.last_mut() else { return };
        let name = last.ident.to_string();
        if BUILTINS.contains(&&*name) && last.arguments.is_none() {
            last.arguments =
                PathArguments::AngleBracketed(syn::parse_quote_spanned!(last.ident.span()=> ::<#backend>));
            return;
        }
        if SIZED_BUILTINS.contains(&&*name) {
            let size = match &last.arguments {
                PathArguments::AngleBracketed(arguments) if arguments.args.len() == 1 => {
                    arguments.args[0].clone()
                }
                PathArguments::None => GenericArgument::Type(Type::Infer(syn::parse_quote!(_))),
                _ => return,
            };
            let arguments = syn::parse_quote_spanned!(last.ident.span()=> ::<#size, #backend>);
            last.arguments = PathArguments::AngleBracketed(arguments);
            return;
        }
        if media_block_io && self.model.generic && !name.ends_with("_any") {
            last.ident = Ident::new(&format!("{name}_any"), last.ident.span());
        }
        if let PathArguments::AngleBracketed(arguments) = &mut last.arguments
            && arguments.args.iter().any(|arg| is_const(arg, self.model))
        {
            if BLOCKS.contains(&&*name) {
                // Of where the block starts.
                arguments.args.push(GenericArgument::Type(Type::Infer(syn::parse_quote!(_))));
            }
            arguments.args.push(GenericArgument::Type(Type::Infer(syn::parse_quote!(_))));
            return;
        }
        if count >= 2 && CONSTRUCTORS.contains(&&*name) && function.qself.is_none() {
            self.constructor(function);
        }
    }

    /// The arguments of a call; those of the built-ins that are offsets are looked at by `cargo check`.
    fn arguments(&mut self, call: &mut ExprCall) {
        let name = match &*call.func {
            Expr::Path(function) => function.path.segments.last().map(|last| last.ident.to_string()),
            _ => None,
        };
        let name = name.as_deref().unwrap_or_default();
        let media_block_io = is_media_block_io(&call.func);
        for (n, arg) in call.args.iter_mut().enumerate() {
            match arg {
                Expr::Tuple(at) if n == 1 && BLOCKS.contains(&name) => {
                    // What is written starts at a whole dword.
                    let aligned = name.starts_with("sub_group_block_write");
                    for (n, coordinate) in at.elems.iter_mut().enumerate() {
                        match coordinate {
                            Expr::Lit(_) if n == 0 && aligned => self.byte_offset(coordinate),
                            _ => self.value(coordinate),
                        }
                    }
                }
                _ if n == 0 && media_block_io => self.column(arg),
                _ if n == 1 && BLOCKS.contains(&name) => self.byte_offset(arg),
                _ if n == 1 && name == "sub_group_broadcast" => self.offset(arg),
                _ => self.value(arg),
            }
        }
    }

    /// `Matrix::<T, R, C>::splat(..)`, `Matrix::splat(..)` and `Tile::splat(..)` are registers of the backend.
    fn constructor(&mut self, function: &mut syn::ExprPath) {
        let mut owner = function.path.clone();
        let Some(method) = owner.segments.pop() else { return };
        owner.segments.pop_punct();
        let method = if method.ident == "from_array" {
            Ident::new("constant", method.ident.span())
        } else {
            method.ident
        };
        let method = self.checked(method);
        let Some(last) = owner.segments.last_mut() else { return };
        let span = last.ident.span();
        let backend = self.backend(span);
        if last.arguments.is_none() && (last.ident == "Matrix" || last.ident == "Vector") {
            last.arguments = PathArguments::AngleBracketed(match last.ident == "Matrix" {
                true => syn::parse_quote_spanned!(span=> ::<_, _, _, #backend>),
                false => syn::parse_quote_spanned!(span=> ::<_, _, #backend>),
            });
            *function = syn::parse_quote_spanned!(span=> #owner::#method);
            return;
        }
        let owner = Type::Path(syn::TypePath { attrs: Vec::new(), qself: None, path: owner });
        let owner = self.model.staged(&owner);
        // The type is checked already, where sizes are known; the bound of the method would report it again.
        let method = match method.to_string() {
            name if name.ends_with("_any") => method,
            name => Ident::new(&format!("{name}_any"), method.span()),
        };
        *function = syn::parse_quote_spanned!(span=> <#owner>::#method);
    }

    /// The name of the method, or of the form that is checked when recorded where sizes are generic.
    fn checked(&self, name: Ident) -> Ident {
        let text = name.to_string();
        if self.model.generic && CHECKED.contains(&&*text) {
            Ident::new(&format!("{text}_any"), name.span())
        } else {
            name
        }
    }

    pub(super) fn method(&mut self, call: &mut ExprMethodCall) -> Option<Expr> {
        let name = call.method.to_string();
        if OFFSETS.contains(&&*name) {
            for arg in &mut call.args {
                self.offset(arg);
            }
        } else {
            let blocks = BYTE_OFFSETS.contains(&(&*name, call.args.len()));
            for (n, arg) in call.args.iter_mut().enumerate() {
                match n {
                    0 if blocks => self.byte_offset(arg),
                    _ => self.value(arg),
                }
            }
        }
        if REGISTER_METHODS.contains(&&*name) {
            self.left_literals(&mut call.receiver);
        }
        let converted = CONVERSIONS.contains(&&*name) && self.left_is_no_number(&call.receiver);
        self.receiver(&mut call.receiver);
        if converted {
            self.pending(&mut call.receiver);
        }
        if let Some(turbofish) = &call.turbofish {
            let constants = turbofish.args.len();
            self.overload(call, &name, constants);
        }
        call.method = self.checked(call.method.clone());
        if matches!(&*name, "assign" | "merge" | "merge_else")
            && let Expr::MethodCall(receiver) = &*call.receiver
            && gives_value(receiver)
        {
            self.errors.add(receiver.method.span(), messages::VALUE);
        }
        let place = matches!(&*call.receiver, Expr::MethodCall(_) | Expr::Block(_));
        if place && matches!(&*name, "assign" | "merge" | "merge_else") && chain_is_place(&call.receiver) {
            return Some(self.hoisted(call));
        }
        None
    }

    /// `(255 - x).convert()`: with the literal's type still open, rustc would not find the method.
    fn left_literals(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Paren(paren) => self.left_literals(&mut paren.expr),
            Expr::Binary(binary) => {
                let Some(name) = operator(&binary.op) else { return };
                if !self.may_be_number(&binary.left) {
                    return self.left_literals(&mut binary.left);
                }
                if self.may_be_number(&binary.right) {
                    return;
                }
                self.value(&mut binary.left);
                self.left_literals(&mut binary.right);
                let span = binary.op.span();
                let function = self.library(span, "left");
                let (krate, backend) = (self.model.krate(span), self.backend(span));
                let op = Ident::new(name, span);
                let (left, right) = (&binary.left, &binary.right);
                *expr = syn::parse_quote_spanned!(span=>
                    #function::<#backend, #krate::__private::ops::#op, _, _>(#left, #right)
                );
            }
            _ => {}
        }
    }

    /// Whether an operator is applied to what is no number of the host.
    fn left_is_no_number(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Paren(paren) => self.left_is_no_number(&paren.expr),
            Expr::Binary(binary) => !self.may_be_number(&binary.left),
            _ => false,
        }
    }

    /// `(a + b).convert()`: operator and conversion are one step.
    fn pending(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Paren(paren) => self.pending(&mut paren.expr),
            Expr::Binary(binary) => {
                let Some(name) = operator(&binary.op) else { return };
                // The call stands where its left side begins, as the operator did.
                let span = binary.span();
                let function = self.library(span, "pending");
                let (krate, backend) = (self.model.krate(span), self.backend(span));
                let op = Ident::new(name, binary.op.span());
                let (left, right) = (&binary.left, &binary.right);
                *expr = syn::parse_quote_spanned!(span=>
                    #function::<#backend, #krate::__private::ops::#op, _, _>(#left, #right)
                );
            }
            _ => {}
        }
    }

    /// CM has one name where Rust needs one for each number of constants.
    fn overload(&mut self, call: &mut ExprMethodCall, name: &str, constants: usize) {
        let renamed = match (name, constants) {
            ("replicate", 1) | ("format" | "format_mut", 1) => return,
            ("replicate", 2) => "replicate_w",
            ("replicate", 3) => "replicate_vs_w",
            ("replicate", 4) => "replicate_vs_w_hs",
            ("replicate", _) => {
                self.errors.add(call.method.span(), messages::REPLICATE);
                return;
            }
            ("format", 3) => "format_matrix",
            ("format_mut", 3) => "format_matrix_mut",
            ("format" | "format_mut", _) => {
                self.errors.add(call.method.span(), messages::FORMAT);
                return;
            }
            _ => return,
        };
        call.method = Ident::new(renamed, call.method.span());
    }

    /// A literal offset in bytes becomes a type with its remainder, so that `cargo check` can test the alignment.
    fn byte_offset(&mut self, arg: &mut Expr) {
        match self.literal_bytes(arg) {
            Some(literal) => *arg = literal,
            None => self.offset(arg),
        }
    }

    /// The same of a byte column, which may be negative.
    fn column(&mut self, arg: &mut Expr) {
        match self.literal_bytes(arg) {
            Some(literal) => *arg = literal,
            None => self.value(arg),
        }
    }

    fn literal_bytes(&self, arg: &Expr) -> Option<Expr> {
        let Expr::Lit(ExprLit { lit: Lit::Int(int), .. }) = arg else { return None };
        if self.model.generic {
            return None;
        }
        let span = int.span();
        let lit = self.library(span, "LitBytes");
        let value = syn::LitInt::new(int.base10_digits(), span);
        let remainder = value.base10_parse::<u128>().map_or(0, |value| value % 16);
        let remainder = syn::LitInt::new(&remainder.to_string(), span);
        Some(syn::parse_quote_spanned!(span=> #lit::<#value, #remainder>))
    }

    /// A literal offset becomes a type, so that `cargo check` can test it.
    fn offset(&mut self, arg: &mut Expr) {
        match arg {
            Expr::Lit(ExprLit { lit: Lit::Int(int), .. }) if !self.model.generic => {
                let lit = self.library(int.span(), "Lit");
                let value = syn::LitInt::new(int.base10_digits(), int.span());
                *arg = syn::parse_quote_spanned!(int.span()=> #lit::<#value>);
            }
            Expr::Unary(ExprUnary { op: UnOp::Neg(minus), expr, .. })
                if matches!(&**expr, Expr::Lit(ExprLit { lit: Lit::Int(_), .. })) =>
            {
                self.errors.add(minus.span(), messages::NEGATIVE_OFFSET);
            }
            other => self.value(other),
        }
    }
}

/// Whether a function is a built-in of `cl_intel_media_block_io`, by its name.
fn is_media_block_io(function: &Expr) -> bool {
    let Expr::Path(function) = function else { return false };
    let Some(last) = function.path.segments.last() else { return false };
    let name = last.ident.to_string();
    MEDIA_BLOCK_IO.iter().any(|start| name.starts_with(start))
}

/// Whether a call gives a value, which `=`, `+=` and `.assign` cannot change.
pub(super) fn gives_value(call: &ExprMethodCall) -> bool {
    VALUES.contains(&&*call.method.to_string())
}

/// Whether a receiver goes through a `_mut` method, so that it borrows its object.
fn chain_is_place(receiver: &Expr) -> bool {
    match receiver {
        Expr::MethodCall(call) => {
            let name = call.method.to_string();
            name.ends_with("_mut") || name.ends_with("_mut_any") || chain_is_place(&call.receiver)
        }
        Expr::Paren(paren) => chain_is_place(&paren.expr),
        _ => false,
    }
}

/// Whether a generic argument is a constant: a literal, a block, a const parameter, or a name in capitals.
fn is_const(arg: &GenericArgument, model: &Model) -> bool {
    match arg {
        GenericArgument::Const(_) => true,
        GenericArgument::Type(Type::Path(path)) => path.path.get_ident().is_some_and(|ident| {
            let name = ident.to_string();
            let capitals = name.chars().all(|c| c.is_ascii_uppercase() || c == '_' || c.is_ascii_digit());
            let is_type = model.item.sig.generics.type_params().any(|param| param.ident == *ident);
            model.consts.contains(ident) || (capitals && !is_type && *ident != model.backend)
        }),
        _ => false,
    }
}

/// The type that stands for an operator which gives a value.
fn operator(op: &BinOp) -> Option<&'static str> {
    Some(match op {
        BinOp::Add(_) => "Add",
        BinOp::Sub(_) => "Sub",
        BinOp::Mul(_) => "Mul",
        BinOp::Div(_) => "Div",
        BinOp::Rem(_) => "Rem",
        BinOp::BitAnd(_) => "And",
        BinOp::BitOr(_) => "Or",
        BinOp::BitXor(_) => "Xor",
        BinOp::Shl(_) => "Shl",
        BinOp::Shr(_) => "Shr",
        _ => return None,
    })
}
