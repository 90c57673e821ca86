//! The statements after one in a block, and where they use names. The uses are found once for each block: a kernel may have
//! hundreds of statements.

use std::cell::OnceCell;
use std::collections::HashMap;

use proc_macro2::{Delimiter, Ident, TokenTree};
use quote::ToTokens;
use syn::Stmt;
use syn::ext::IdentExt;

use super::operands::{Operand, operands};
use super::uses::{Of, Use, captured_in, is, is_member, is_part_of_tree, region};

/// The statements of a block after one of them.
#[derive(Clone, Copy)]
pub(super) struct Following<'b> {
    /// These, after statements that are not staged either.
    unstaged: &'b [Stmt],
    skipped: usize,
    uses: &'b UsesOfBlock,
}

/// Where the statements of a block use names, once that is asked for.
#[derive(Default)]
pub(super) struct UsesOfBlock(OnceCell<Names>);

impl<'b> Following<'b> {
    /// `unstaged` are the last statements of the block with these uses.
    pub(super) fn new(unstaged: &'b [Stmt], uses: &'b UsesOfBlock) -> Self {
        Self { unstaged, skipped: 0, uses }
    }

    pub(super) fn stmts(self) -> &'b [Stmt] {
        self.unstaged.get(self.skipped..).unwrap_or_default()
    }

    /// The same without the first `count` of them.
    pub(super) fn skip(self, count: usize) -> Self {
        Self { skipped: self.skipped + count, ..self }
    }

    /// The uses of a name which the statement before these declares, or which it has there.
    pub(super) fn uses_of(self, name: &Ident) -> Uses<'b> {
        let names = self.uses.0.get_or_init(|| Scan::of(self.unstaged));
        let from = names.statements - self.stmts().len();
        Uses { names, declared: names.declared_before(from, &name.unraw().to_string()), from }
    }
}

/// The uses of one name, as long as it is not declared again.
#[derive(Clone, Copy)]
pub(super) struct Uses<'b> {
    names: &'b Names,
    declared: Option<&'b Declared>,
    /// The first of the statements that count.
    from: usize,
}

impl<'b> Uses<'b> {
    /// In the order of the source.
    pub(super) fn all(self) -> impl Iterator<Item = &'b Mention> {
        self.mentions().filter(|mention| !mention.declares)
    }

    /// The operands of trees among them.
    pub(super) fn operands(self) -> impl Iterator<Item = Operand> {
        let operands = self.declared.into_iter().flat_map(|declared| &declared.operands);
        operands.filter(move |operand| operand.statement >= self.from).copied()
    }

    /// Whether a block inside of the statements declares another value of the same name.
    pub(super) fn is_hidden(self) -> bool {
        self.declared.is_some_and(|declared| declared.hidden)
    }

    /// Whether a statement up to this one mentions the name.
    pub(super) fn begin_until(self, statement: usize) -> bool {
        self.mentions().next().is_some_and(|mention| mention.statement <= statement)
    }

    /// The uses of the row that the use of a block gives a name.
    pub(super) fn of_row(self, row: usize) -> Self {
        Self { declared: Some(&self.names.declared[row]), ..self }
    }

    /// The number of a statement among those that follow.
    pub(super) fn place_of(self, mention: &Mention) -> usize {
        mention.statement - self.from
    }

    fn mentions(self) -> impl Iterator<Item = &'b Mention> {
        let mentions = self.declared.into_iter().flat_map(|declared| &declared.mentions);
        mentions.filter(move |mention| mention.statement >= self.from)
    }
}

/// A use of a name.
pub(super) struct Mention {
    /// The number of the statement in the block.
    pub(super) statement: usize,
    /// As far as the tokens beside it show, or `None` in a text: `printf!("{x:?}")`.
    pub(super) how: Option<Use>,
    /// A region of it is selected.
    pub(super) region: Option<Of>,
    /// It, or a row of it, is an operand of an arithmetic operator.
    pub(super) operand: bool,
    /// It may be in a closure that keeps it, and that is called later.
    pub(super) kept: bool,
    /// `let name = it.row(..);`: what this declares.
    pub(super) row: Option<usize>,
    /// A `let` declares another value of this name, from its end on.
    declares: bool,
}

/// A value that has a name.
#[derive(Default)]
struct Declared {
    mentions: Vec<Mention>,
    operands: Vec<Operand>,
    hidden: bool,
}

/// The names in a block.
#[derive(Default)]
struct Names {
    /// The number of statements.
    statements: usize,
    declared: Vec<Declared>,
    /// What each name stands for in the block itself, and from which statement on.
    meanings: HashMap<String, Vec<(usize, usize)>>,
}

impl Names {
    /// What a name stands for before this statement.
    fn declared_before(&self, statement: usize, name: &str) -> Option<&Declared> {
        let meanings = self.meanings.get(name)?;
        let later = meanings.partition_point(|(from, _)| *from <= statement);
        Some(&self.declared[meanings[later.checked_sub(1)?].1])
    }
}

/// Goes through the tokens of a block. Closures and patterns other than those of `let` declare names, too: these count as the
/// name outside of them.
#[derive(Default)]
struct Scan {
    names: Names,
    /// What each name stands for here, the innermost last, each with the number of blocks around its declaration.
    visible: HashMap<String, Vec<(usize, usize)>>,
    /// The names that the blocks around here declare.
    inner: Vec<String>,
    depth: usize,
    statement: usize,
    /// The names that the `let` declares whose pattern this is.
    declaring: Vec<String>,
}

/// Where tokens are.
#[derive(Clone, Copy, Default)]
struct Context {
    kept: bool,
    in_macro: bool,
    in_pattern: bool,
}

impl Scan {
    fn of(stmts: &[Stmt]) -> Names {
        let mut scan = Self::default();
        scan.names.statements = stmts.len();
        for (n, stmt) in stmts.iter().enumerate() {
            scan.statement = n;
            for (name, operand) in operands(stmt, n) {
                let declared = scan.meaning(&name).1;
                scan.names.declared[declared].operands.push(operand);
            }
            let tokens: Vec<TokenTree> = stmt.to_token_stream().into_iter().collect();
            scan.tokens(&tokens, &[], Context::default());
        }
        scan.names
    }

    /// `rows` are the places of blocks whose rows get names, with what these stand for.
    fn tokens(&mut self, tokens: &[TokenTree], rows: &[(usize, usize)], outer: Context) {
        let mut rows = rows.to_vec();
        let (mut context, mut declared, mut pattern) = (outer, Vec::new(), 0..0);
        let mut rows_of_tuple: Option<(usize, Vec<(usize, usize)>)> = None;
        for (i, token) in tokens.iter().enumerate() {
            context.in_pattern = outer.in_pattern || pattern.contains(&i);
            match token {
                TokenTree::Group(group) => {
                    let of_tuple = rows_of_tuple.take_if(|(at, _)| *at == i).map(|(_, rows)| rows);
                    let inside: Vec<TokenTree> = group.stream().into_iter().collect();
                    let in_macro = context.in_macro || follows_name_of_macro(&tokens[..i]);
                    let block = group.delimiter() == Delimiter::Brace && !context.in_pattern;
                    let before = self.inner.len();
                    self.depth += usize::from(block);
                    self.tokens(&inside, &of_tuple.unwrap_or_default(), Context { in_macro, ..context });
                    self.depth -= usize::from(block);
                    if block {
                        self.leave(before);
                    }
                }
                TokenTree::Ident(name) if name == "let" && is_statement(&tokens[..i]) => {
                    let parts = Let::of(&tokens[i + 1..]);
                    let first = self.names.declared.len();
                    self.names.declared.resize_with(first + parts.names.len(), Declared::default);
                    declared.extend(parts.names.iter().cloned().zip(first..));
                    pattern = i + 1..i + 1 + parts.pattern.len();
                    let row = |name: &str| parts.names.iter().position(|own| own == name).map(|n| first + n);
                    if !context.in_macro {
                        let value = pattern.end + 1;
                        rows.extend(parts.row().and_then(|name| Some((value, row(&name)?))));
                        let of_tuple = parts.rows_of_tuple().into_iter();
                        let of_tuple = of_tuple.filter_map(|(at, name)| Some((at, row(&name)?)));
                        rows_of_tuple = Some((value, of_tuple.collect()));
                    }
                    self.declaring = parts.names;
                }
                TokenTree::Ident(name) => {
                    context.kept |= name == "move";
                    // `r#x` and `x` are one name.
                    if !is_member(&tokens[..i]) {
                        let row = rows.iter().find(|(at, _)| *at == i).map(|(_, row)| *row);
                        let (before, after) = (&tokens[..i], &tokens[i + 1..]);
                        self.mention(&name.unraw().to_string(), Some((before, after)), row, context);
                    }
                }
                TokenTree::Literal(literal) => {
                    for name in captured_in(literal) {
                        self.mention(&name.unraw().to_string(), None, None, context);
                    }
                }
                TokenTree::Punct(punct) if punct.as_char() == ';' => {
                    context = outer;
                    declared.drain(..).for_each(|(name, declared)| self.declare(name, declared));
                }
                TokenTree::Punct(_) => {}
            }
        }
    }

    fn mention(
        &mut self,
        name: &str,
        beside: Option<(&[TokenTree], &[TokenTree])>,
        row: Option<usize>,
        context: Context,
    ) {
        let (depth, declared) = self.meaning(name);
        let declares = context.in_pattern && self.declaring.iter().any(|own| own == name);
        let hides = declares && depth != self.depth;
        let declared = &mut self.names.declared[declared];
        declared.hidden |= hides;
        declared.mentions.push(Mention {
            statement: self.statement,
            how: beside.map(|(before, after)| Use::between(before, after)),
            region: beside.and_then(|(_, after)| region(after)),
            operand: beside.is_some_and(|(before, after)| is_part_of_tree(before, after)),
            kept: context.kept,
            row,
            declares,
        });
    }

    /// What a name stands for here, after the number of blocks around its declaration.
    fn meaning(&mut self, name: &str) -> (usize, usize) {
        if let Some(last) = self.visible.get(name).and_then(|meanings| meanings.last()) {
            return *last;
        }
        // One from outside of the block.
        let declared = self.names.declared.len();
        self.names.declared.push(Declared::default());
        self.names.meanings.insert(name.to_owned(), vec![(0, declared)]);
        self.visible.insert(name.to_owned(), vec![(0, declared)]);
        (0, declared)
    }

    fn declare(&mut self, name: String, declared: usize) {
        self.visible.entry(name.clone()).or_default().push((self.depth, declared));
        if self.depth > 0 {
            self.inner.push(name);
        } else {
            self.names.meanings.entry(name).or_default().push((self.statement + 1, declared));
        }
    }

    /// At the end of a block, before which so many names of inner blocks were declared.
    fn leave(&mut self, before: usize) {
        for name in self.inner.drain(before..) {
            self.visible.get_mut(&name).map(Vec::pop);
        }
    }
}

/// A `let`, after this word.
struct Let<'t> {
    pattern: &'t [TokenTree],
    value: &'t [TokenTree],
    names: Vec<String>,
}

impl<'t> Let<'t> {
    fn of(tokens: &'t [TokenTree]) -> Self {
        let end = |from: &[TokenTree], puncts: &[char]| {
            let at = from.iter().position(|token| puncts.iter().any(|punct| is(token, *punct)));
            at.unwrap_or(from.len())
        };
        let (pattern, value) = tokens.split_at(end(tokens, &['=', ';']));
        let value = value.get(1..).unwrap_or_default();
        let mut names = Vec::new();
        declared_names(&pattern[..typed_at(pattern)], &mut names);
        Self { pattern, value: &value[..end(value, &[';'])], names }
    }

    /// The name, if it is `let name = block.row(..)`.
    fn row(&self) -> Option<String> {
        name_of_row(self.pattern, self.value)
    }

    /// The names in `let (name, other) = (block.row(..), value)` of the like, and the places of their blocks.
    fn rows_of_tuple(&self) -> Vec<(usize, String)> {
        let ([TokenTree::Group(names)], [TokenTree::Group(values)]) = (self.pattern, self.value) else {
            return Vec::new();
        };
        let [names, values] = [names, values].map(|group| group.stream().into_iter().collect::<Vec<_>>());
        let [names, each] =
            [&names, &values].map(|all| all.split(|token| is(token, ',')).collect::<Vec<_>>());
        if names.len() != each.len() || names.len() < 2 {
            return Vec::new();
        }
        let mut at = 0;
        let mut rows = Vec::new();
        for (name, value) in names.into_iter().zip(each) {
            rows.extend(name_of_row(name, value).map(|name| (at, name)));
            at += value.len() + 1;
        }
        rows
    }
}

/// The name, if it is one of `block.row(..)`.
fn name_of_row(name: &[TokenTree], value: &[TokenTree]) -> Option<String> {
    match (name, value) {
        (
            [TokenTree::Ident(name)],
            [TokenTree::Ident(_), dot, TokenTree::Ident(row), TokenTree::Group(args)],
        ) if is(dot, '.') && row == "row" && args.delimiter() == Delimiter::Parenthesis => {
            Some(name.unraw().to_string())
        }
        _ => None,
    }
}

/// Whether a statement starts after these tokens, which is there under all conditions.
fn is_statement(before: &[TokenTree]) -> bool {
    match before {
        [] => true,
        [before @ .., hash, TokenTree::Group(attribute)] if is(hash, '#') => {
            let first = attribute.stream().into_iter().next();
            !matches!(first, Some(TokenTree::Ident(name)) if name == "cfg") && is_statement(before)
        }
        [.., TokenTree::Group(block)] => block.delimiter() == Delimiter::Brace,
        [.., end] => is(end, ';'),
    }
}

/// Whether the arguments of a macro follow.
fn follows_name_of_macro(before: &[TokenTree]) -> bool {
    matches!(before, [.., TokenTree::Ident(_), mark] if is(mark, '!'))
}

/// Where the type of a pattern starts.
fn typed_at(pattern: &[TokenTree]) -> usize {
    let colon = |n: usize| pattern.get(n).is_some_and(|token| is(token, ':'));
    let alone = |n: &usize| colon(*n) && !colon(n + 1) && (*n == 0 || !colon(n - 1));
    (0..pattern.len()).find(alone).unwrap_or(pattern.len())
}

/// The names that a pattern declares.
fn declared_names(pattern: &[TokenTree], found: &mut Vec<String>) {
    for (i, token) in pattern.iter().enumerate() {
        match token {
            TokenTree::Ident(name) if !["mut", "ref", "_"].iter().any(|word| name == word) => {
                let other = match pattern.get(i + 1) {
                    // A structure or a field.
                    Some(TokenTree::Group(_)) => true,
                    Some(next) => is(next, ':'),
                    None => false,
                };
                let path = pattern[..i].last().is_some_and(|before| is(before, ':'))
                    && pattern[..i].iter().rev().nth(1).is_some_and(|before| is(before, ':'));
                let name = name.unraw().to_string();
                if !other && !path && !found.contains(&name) {
                    found.push(name);
                }
            }
            TokenTree::Group(group) => {
                declared_names(&group.stream().into_iter().collect::<Vec<_>>(), found);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
