//! The scopes around a place in a body that `break`, `continue` and `return` may leave.

use std::rc::Rc;

use syn::visit_mut::{VisitMut, visit_expr_mut};
use syn::{Block, Expr, ExprBreak, ExprIf, Ident, Label, Lifetime, Macro, Stmt, Type};

use super::conditions::{last_of, values_of};

/// A scope that can be left, with its names.
#[derive(Clone)]
pub(super) struct Exit {
    pub(super) scope: Ident,
    pub(super) label: Lifetime,
    /// Whether it is left.
    pub(super) used: bool,
}

/// The targets of `break`, `continue` and `return`, from the outermost one on.
pub(super) enum Around {
    /// The function. Its result goes to the slot.
    Function { exit: Exit, slot: Ident, result: Option<Box<Type>> },
    /// A closure, which is left only by its value.
    Closure,
    /// The condition of a loop, the right side of `&&` or `||`, or a guard.
    Condition,
    /// SIMD control flow, whose lanes leave separately: a loop if it is `simd_while!`.
    Simd(SimdMacro),
    /// An arm of an `if` or `match`, whose rest is left out where the kernel has left it.
    Arm(Exit),
    /// A loop inside SIMD control flow, which is unrolled.
    Unrolled,
    /// A loop, and an iteration of it. The value of a `loop` goes to the slot.
    Loop { label: Option<String>, exit: Exit, round: Exit, slot: Option<Valued>, breaks: Breaks },
    /// A block with a label.
    Labelled { label: String, exit: Exit, slot: Valued, breaks: Breaks },
}

/// The types of the numbers without a type among the values of the arms.
#[derive(Clone)]
pub(super) enum Numbers {
    /// All arms are such numbers, and these have the default types: all are floats if one is.
    Alone { floats: bool },
    /// The type of the other arms.
    Others,
    /// The annotated type, which the other arms have, too.
    Annotated(Box<Type>),
    /// There are none. Combinations of masks have the type of the other arms, which are masks.
    Masks,
    /// The arms are tuples with these places.
    InTuples(Vec<Self>),
}

/// The slot of the value of a loop or block, and the types of the numbers that it may get.
#[derive(Clone)]
pub(super) struct Valued {
    pub(super) slot: Ident,
    pub(super) numbers: Rc<Numbers>,
}

/// The kinds of `break` of a scope: all of them have a value, or none of them has.
#[derive(Clone, Copy, Default)]
pub(super) struct Breaks {
    pub(super) with_value: bool,
    pub(super) without: bool,
}

impl Breaks {
    /// Records a `break`; returns whether it is of the same kind as those before.
    pub(super) fn note(&mut self, valued: bool) -> bool {
        self.with_value |= valued;
        self.without |= !valued;
        !(self.with_value && self.without)
    }
}

/// A loop or labelled block whose inside is rewritten.
pub(super) struct Left {
    /// Set if a `break` leaves it.
    pub(super) exit: Option<Exit>,
    /// Set if a `continue` leaves an iteration.
    pub(super) round: Option<Exit>,
    /// Set if it has a value.
    pub(super) slot: Option<Ident>,
}

impl Exit {
    /// Itself, if it is left.
    pub(super) fn if_used(&self) -> Option<Self> {
        self.used.then(|| self.clone())
    }

    /// The label of the `while` or the block.
    pub(super) fn label(&self) -> Label {
        Label { name: self.label.clone(), colon_token: syn::Token![:](self.label.span()) }
    }
}

/// The values of the `break`s that leave a loop or block with this label.
pub(super) fn values_of_breaks(body: &Block, label: Option<&Label>, is_loop: bool) -> Vec<Expr> {
    breaks(body, label, is_loop).into_iter().filter_map(|found| found.expr.map(|value| *value)).collect()
}

/// The `break`s that leave a loop or block with this label: all that name it, and if it is a `loop`, those without a name.
fn breaks(body: &Block, label: Option<&Label>, is_loop: bool) -> Vec<ExprBreak> {
    struct Breaks<'a> {
        label: Option<&'a Ident>,
        /// Whether a `break` without a name leaves it here.
        innermost: bool,
        found: Vec<ExprBreak>,
    }
    impl VisitMut for Breaks<'_> {
        fn visit_expr_mut(&mut self, expr: &mut Expr) {
            match expr {
                Expr::Break(found) => {
                    let leaves = match &found.label {
                        Some(label) => Some(&label.ident) == self.label,
                        None => self.innermost,
                    };
                    self.found.extend(leaves.then(|| found.clone()));
                    visit_expr_mut(self, expr);
                }
                Expr::Loop(_) | Expr::While(_) | Expr::ForLoop(_) => {
                    let outside = std::mem::replace(&mut self.innermost, false);
                    visit_expr_mut(self, expr);
                    self.innermost = outside;
                }
                Expr::Closure(_) => {}
                _ => visit_expr_mut(self, expr),
            }
        }
    }
    let label = label.map(|label| &label.name.ident);
    let mut breaks = Breaks { label, innermost: is_loop, found: Vec::new() };
    breaks.visit_block_mut(&mut body.clone());
    breaks.found
}

/// Whether an expression never has a value: every path through it leaves.
pub(super) fn diverges(expr: &Expr) -> bool {
    match expr {
        Expr::Break(_) | Expr::Continue(_) | Expr::Return(_) => true,
        Expr::Paren(paren) => diverges(&paren.expr),
        Expr::Block(block) => block.label.is_none() && block_diverges(&block.block),
        Expr::If(branch) => {
            let (thens, last) = chain(branch);
            thens.into_iter().all(block_diverges) && last.is_some_and(diverges)
        }
        // This loop is left, but not by `break`.
        Expr::Loop(looped) => breaks(&looped.body, looped.label.as_ref(), true).is_empty(),
        Expr::Match(matched) => matched.arms.iter().all(|arm| diverges(&arm.body)),
        _ => false,
    }
}

/// Whether the end of a block is never reached.
pub(super) fn block_diverges(block: &Block) -> bool {
    let last = last_of(block);
    !last.is_empty() && last.iter().all(|last| matches!(last, Stmt::Expr(last, _) if diverges(last)))
}

/// The active lanes at a statement.
#[derive(Clone)]
pub(super) struct Lanes {
    /// The name of the mask: a variable of the backend inside a loop, otherwise a value.
    pub(super) mask: Ident,
    /// The innermost `simd_while!`, and the lanes that have left an iteration of it.
    pub(super) looped: Option<Looped>,
}

/// A `simd_while!`.
#[derive(Clone)]
pub(super) struct Looped {
    pub(super) state: Ident,
    pub(super) gone: Ident,
}

/// The macros of SIMD control flow, by their names.
#[derive(Clone, Copy)]
pub(super) enum SimdMacro {
    If,
    While,
}

impl SimdMacro {
    pub(super) fn of(call: &Macro) -> Option<Self> {
        match &*call.path.segments.last()?.ident.to_string() {
            "simd_if" => Some(Self::If),
            "simd_while" => Some(Self::While),
            _ => None,
        }
    }
}

/// The blocks of an `if` and of those in its `else if`s, and what follows the last `else`.
fn chain(branch: &ExprIf) -> (Vec<&Block>, Option<&Expr>) {
    let mut thens = vec![&branch.then_branch];
    let mut other = &branch.else_branch;
    loop {
        match other.as_ref().map(|(_, other)| &**other) {
            Some(Expr::If(next)) => {
                thens.push(&next.then_branch);
                other = &next.else_branch;
            }
            last => return (thens, last),
        }
    }
}

/// Whether an `if` has a value: every arm ends with one, or leaves, and not all leave.
pub(super) fn has_value(branch: &ExprIf) -> bool {
    let (thens, Some(last)) = chain(branch) else { return false };
    let gives = |block: &Block| !values_of(block).is_empty();
    let mut other_leaves = diverges(last);
    let mut other_gives = match last {
        Expr::Block(block) => gives(&block.block),
        _ => true,
    };
    // From the last one on: chains may be long.
    for then in thens.into_iter().rev() {
        let leaves = block_diverges(then);
        other_gives = (leaves || gives(then)) && (other_leaves || other_gives) && !(leaves && other_leaves);
        other_leaves &= leaves;
    }
    other_gives
}
