//! Functions from text, as [`Display`](std::fmt::Display) of [`Function`] writes it.
//!
//! Spaces and line breaks are free and `//` begins a comment; apart from that the text is what would be
//! printed. The result is not verified.

mod elements;
mod error;
mod lexer;
mod ops;

use std::borrow::Cow;

pub use error::ParseError;
use error::Result;
use lexer::Token;

use crate::elem::ElemType;
use crate::ir::{
    Block, Field, Function, Inst, Label, Location, Op, Param, ParamKind, Plane, Type, Value, Variable, View,
};
use crate::limits::{MAX_DEPTH, REGISTER_FILE};

/// Bytes of the longest name of a file: every instruction has a copy.
const FILE_NAME: usize = 4096;

/// Reads a function from the text that its `to_string` returned.
///
/// ```
/// use cm::text::parse;
/// let text = "file 0 \"k.rs\"\nkernel k() {\n  %0: u8<1x4> = constant [1, 2, 3, 255] @0:3:9\n}\n";
/// assert_eq!(parse(text)?.to_string(), text);
/// # Ok::<(), cm::text::ParseError>(())
/// ```
///
/// # Errors
/// The first syntax error, with its line.
pub fn parse(text: &str) -> Result<Function> {
    let tokens = lexer::tokens(text)?;
    let last = text.lines().count().try_into().unwrap_or(u32::MAX);
    let mut parser = Parser { tokens, at: 0, last, files: Vec::new() };
    let function = parser.function()?;
    if parser.peek().is_some() {
        return Err(parser.error("the end"));
    }
    Ok(function)
}

struct Parser {
    tokens: Vec<(u32, Token)>,
    at: usize,
    /// The number of the last line.
    last: u32,
    files: Vec<String>,
}

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|(_, token)| token)
    }

    /// That the next piece is not what it should be.
    fn error(&self, expected: impl Into<Cow<'static, str>>) -> ParseError {
        let (line, found) = match self.tokens.get(self.at) {
            Some((line, token)) => (*line, token.to_string()),
            None => (self.last, "the end".to_owned()),
        };
        ParseError { line, expected: expected.into(), found }
    }

    fn is_mark(&self, mark: char) -> bool {
        self.peek() == Some(&Token::Mark(mark))
    }

    fn take(&mut self, mark: char) -> bool {
        let found = self.is_mark(mark);
        self.at += usize::from(found);
        found
    }

    fn mark(&mut self, mark: char) -> Result<()> {
        if self.take(mark) { Ok(()) } else { Err(self.error(format!("`{mark}`"))) }
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Atom(text)) if text == word);
        self.at += usize::from(found);
        found
    }

    fn word(&mut self, word: &str) -> Result<()> {
        if self.take_word(word) { Ok(()) } else { Err(self.error(format!("`{word}`"))) }
    }

    /// The next atom, if `read` understands it.
    fn atom<T>(
        &mut self,
        expected: impl Into<Cow<'static, str>>,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T> {
        let read = match self.peek() {
            Some(Token::Atom(text)) => read(text),
            _ => None,
        };
        let read = read.ok_or_else(|| self.error(expected))?;
        self.at += 1;
        Ok(read)
    }

    fn number<T: std::str::FromStr>(&mut self, expected: &'static str) -> Result<T> {
        self.atom(expected, |text| text.parse().ok())
    }

    /// A number after its sigil.
    fn numbered<T: std::str::FromStr>(&mut self, sigil: char, expected: &'static str) -> Result<T> {
        if !self.take(sigil) {
            return Err(self.error(expected));
        }
        self.number(expected)
    }

    fn value(&mut self) -> Result<Value> {
        self.numbered('%', "a value such as `%0`").map(Value)
    }

    fn variable(&mut self) -> Result<Variable> {
        self.numbered('$', "a variable such as `$0`").map(Variable)
    }

    fn label(&mut self) -> Result<Label> {
        self.numbered('^', "a label such as `^0`").map(Label)
    }

    fn param_index(&mut self) -> Result<usize> {
        self.numbered('#', "a parameter such as `#0`")
    }

    fn quoted(&mut self, expected: &'static str) -> Result<String> {
        match self.peek() {
            Some(Token::Quoted(text)) => {
                let text = text.clone();
                self.at += 1;
                Ok(text)
            }
            _ => Err(self.error(expected)),
        }
    }

    fn name(&mut self) -> Result<String> {
        if let Some(Token::Quoted(_)) = self.peek() {
            return self.quoted("a name");
        }
        self.atom("a name", |text| {
            let word = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && !text.contains('.');
            word.then(|| text.to_owned())
        })
    }

    fn function(&mut self) -> Result<Function> {
        while self.take_word("file") {
            let next = self.files.len();
            self.atom(format!("`{next}`"), |text| (text.parse() == Ok(next)).then_some(()))?;
            let file = self.quoted("the name of a file in quotes")?;
            if file.len() > FILE_NAME {
                let expected = format!("the name of a file, of at most {FILE_NAME} bytes").into();
                let (line, found) = (self.tokens[self.at - 1].0, format!("{} bytes", file.len()));
                return Err(ParseError { line, expected, found });
            }
            self.files.push(file);
        }
        if !self.take_word("kernel") {
            return Err(self.error("`file` or `kernel`"));
        }
        let name = self.name()?;
        self.mark('(')?;
        let mut params = Vec::new();
        while !self.take(')') {
            if !params.is_empty() {
                self.mark(',')?;
            }
            let name = self.name()?;
            self.mark(':')?;
            params.push(Param { name, kind: self.param_kind()? });
        }
        let named_barriers = match self.take_word("named_barriers") {
            true => self.number("a number of barriers")?,
            false => 0,
        };
        let register_file = match self.take_word("register_file") {
            true => self.number("a number of bytes")?,
            false => REGISTER_FILE,
        };
        let body = self.block(0)?;
        Ok(Function { name, params, named_barriers, register_file, body })
    }

    fn param_kind(&mut self) -> Result<ParamKind> {
        for (word, writable) in [("read", false), ("write", true)] {
            if self.take_word(word) {
                if self.take_word("buffer") {
                    let elem = self.elem("an element type such as `u8`")?;
                    return Ok(ParamKind::Buffer { elem, writable });
                }
                if self.take_word("plane") {
                    let plane = self.atom("`y`, `u`, `v` or `uv`", Plane::from_name)?;
                    let field = match self.take_word("of") {
                        true => None,
                        false => {
                            let field = self.atom("`of`, `top` or `bottom`", Field::from_name)?;
                            self.word("field")?;
                            self.word("of")?;
                            Some(field)
                        }
                    };
                    let view = View { of: self.param_index()?, plane, field };
                    return Ok(ParamKind::View { view, writable });
                }
                if self.take_word("surface_3d") {
                    return Ok(ParamKind::Surface3d { writable });
                }
                if !self.take_word("surface") {
                    return Err(self.error("`surface`, `surface_3d`, `plane` or `buffer`"));
                }
                return Ok(ParamKind::Surface { writable });
            }
        }
        if self.take_word("shared") {
            let elem = self.elem("an element type such as `u8`")?;
            return Ok(ParamKind::Shared { elem, elements: self.number("a number of elements")? });
        }
        let elem = self.elem("`read surface`, `write buffer`, `shared` or a type such as `u8<8x32>`")?;
        let (rows, columns) = self.shape()?;
        Ok(ParamKind::Uniform { elem, rows, columns })
    }

    fn elem(&mut self, expected: &'static str) -> Result<ElemType> {
        self.atom(expected, elements::elem_type)
    }

    fn ty(&mut self) -> Result<Type> {
        if self.take_word("condition") {
            return Ok(Type::CONDITION);
        }
        let elem = self.elem("a type such as `u8<8x32>`, `f32` or `condition`")?;
        let (rows, columns) = self.shape()?;
        Ok(Type::new(elem, rows, columns))
    }

    /// The `<8x32>` of a type, nothing for a scalar.
    fn shape(&mut self) -> Result<(usize, usize)> {
        if !self.take('<') {
            return Ok((1, 1));
        }
        let shape = self.atom("rows and columns such as `8x32`", |text| {
            let (rows, columns) = text.split_once('x')?;
            Some((rows.parse().ok()?, columns.parse().ok()?))
        })?;
        self.mark('>')?;
        Ok(shape)
    }

    fn location(&mut self) -> Result<Location> {
        self.mark('@')?;
        let files = &self.files;
        let file = match self.peek() {
            Some(Token::Atom(text)) => text.parse::<usize>().ok().and_then(|n| files.get(n)).cloned(),
            _ => None,
        };
        let file = file.ok_or_else(|| self.error("the number of a file"))?;
        self.at += 1;
        self.mark(':')?;
        let line = self.number("a line")?;
        self.mark(':')?;
        let column = self.number("a column")?;
        Ok(Location { file: file.into(), line, column })
    }

    fn block(&mut self, depth: usize) -> Result<Block> {
        // The parser recurses: no text may overflow its stack.
        if depth > MAX_DEPTH {
            return Err(self.error(format!("at most {MAX_DEPTH} blocks inside each other")));
        }
        self.mark('{')?;
        let mut insts = Vec::new();
        while !self.take('}') {
            insts.push(self.inst(depth)?);
        }
        Ok(Block { insts })
    }

    fn inst(&mut self, depth: usize) -> Result<Inst> {
        let mut result = None;
        let mut ty = None;
        if self.is_mark('%') {
            result = Some(self.value()?);
            self.mark(':')?;
            ty = Some(self.ty()?);
            self.mark('=')?;
        }
        let (mut op, ty) = self.op(ty)?;
        let location = self.location()?;
        match &mut op {
            Op::If(_, then, otherwise) => {
                *then = self.block(depth + 1)?;
                if self.take_word("else") {
                    *otherwise = self.block(depth + 1)?;
                }
            }
            Op::Loop(first, condition, body) => {
                *first = self.block(depth + 1)?;
                self.word("while")?;
                *condition = self.value()?;
                *body = self.block(depth + 1)?;
            }
            Op::Labelled(_, block) => *block = self.block(depth + 1)?,
            _ => {}
        }
        Ok(Inst { op, result, ty, location })
    }
}

#[cfg(test)]
mod tests;
