//! Sizes, alignments and offsets, as bindgen asserts them.

use anyhow::{Context, Result, bail, ensure};
use syn::visit::{self, Visit};
use syn::{Expr, ExprBinary, ExprCall, ExprLit, ItemConst, Lit, Macro, Type};

/// The longest line of a table, as in `rustfmt.toml`.
const WIDTH: usize = 110;

/// The layout of a structure, in bytes.
pub struct Layout {
    name: String,
    size: u64,
    align: u64,
    /// Names and offsets, in the order of the structure.
    fields: Vec<(String, u64)>,
}

impl Layout {
    /// The layout that such a constant asserts:
    ///
    /// ```text
    /// const _: () = {
    ///     ["Size of x"][size_of::<x>() - 8usize];
    ///     ["Alignment of x"][align_of::<x>() - 4usize];
    ///     ["Offset of field: x::y"][offset_of!(x, y) - 0usize];
    /// };
    /// ```
    pub fn of(item: &ItemConst) -> Result<Self> {
        let mut differences = Differences(Vec::new());
        differences.visit_item_const(item);
        let mut facts = Vec::new();
        for difference in differences.0 {
            facts.push((Quantity::of(&difference.left)?, number(&difference.right)?));
        }
        let mut facts = facts.into_iter();
        let (Some((Quantity::Size(name), size)), Some((Quantity::Align, align))) =
            (facts.next(), facts.next())
        else {
            bail!("bindgen no longer asserts first the size and then the alignment");
        };
        let fields = facts.map(|(quantity, offset)| match quantity {
            Quantity::Offset(field) => Ok((field, offset)),
            _ => bail!("bindgen asserts more about {name} than its size, alignment and offsets"),
        });
        Ok(Self { fields: fields.collect::<Result<_>>()?, name, size, align })
    }

    /// The row of the table: one line, or lines that are as full as possible.
    pub fn row(&self) -> String {
        let head = format!("    {} (size {}, align {}) {{", self.name, self.size, self.align);
        let fields: Vec<String> =
            self.fields.iter().map(|(field, offset)| format!("{field}: {offset}")).collect();
        let short = format!("{head} {} }}", fields.join(", "));
        if short.len() <= WIDTH {
            return short + "\n";
        }
        let mut lines = vec![head];
        let mut line = String::from("       ");
        for field in fields {
            if line.len() + format!(" {field},").len() > WIDTH {
                lines.push(std::mem::replace(&mut line, String::from("       ")));
            }
            line.push_str(&format!(" {field},"));
        }
        lines.extend([line, String::from("    }\n")]);
        lines.join("\n")
    }
}

/// What an assertion is about.
enum Quantity {
    /// Of the structure of this name.
    Size(String),
    Align,
    /// Of the field of this name.
    Offset(String),
}

impl Quantity {
    fn of(expr: &Expr) -> Result<Self> {
        match expr {
            Expr::Call(ExprCall { func, .. }) => {
                let Expr::Path(function) = &**func else { bail!("a call of what is no function") };
                let function = function.path.segments.last().context("paths have segments")?;
                match &*function.ident.to_string() {
                    "size_of" => {
                        let syn::PathArguments::AngleBracketed(types) = &function.arguments else {
                            bail!("a size of no type");
                        };
                        let Some(syn::GenericArgument::Type(Type::Path(ty))) = types.args.first() else {
                            bail!("a size of what is no structure");
                        };
                        Ok(Self::Size(ty.path.require_ident()?.to_string()))
                    }
                    "align_of" => Ok(Self::Align),
                    other => bail!("an assertion about `{other}`"),
                }
            }
            Expr::Macro(offset_of) => {
                let Macro { path, tokens, .. } = &offset_of.mac;
                ensure!(path.segments.last().is_some_and(|last| last.ident == "offset_of"), "another macro");
                let field = tokens.clone().into_iter().last().context("`offset_of!` has arguments")?;
                Ok(Self::Offset(field.to_string()))
            }
            _ => bail!("an assertion about no size, alignment or offset"),
        }
    }
}

fn number(expr: &Expr) -> Result<u64> {
    match expr {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => Ok(number.base10_parse()?),
        _ => bail!("a layout that is no number"),
    }
}

/// The differences that are 0 if the layout is right.
struct Differences<'a>(Vec<&'a ExprBinary>);

impl<'a> Visit<'a> for Differences<'a> {
    fn visit_expr_binary(&mut self, difference: &'a ExprBinary) {
        self.0.push(difference);
        visit::visit_expr_binary(self, difference);
    }
}
