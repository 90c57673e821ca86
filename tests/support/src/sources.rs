//! Rust sources: the files of a folder, and a file as tokens, without comments and literals. Macros are read
//! like other code.

use std::fs;
use std::path::Path;

/// The Rust sources of a folder and its subfolders, with their names relative to the folder.
///
/// # Panics
///
/// If one cannot be read.
pub fn sources(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    collect(folder, "", &mut found);
    found
}

fn collect(folder: &Path, before: &str, found: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        let name = format!("{before}{}", path.file_name().unwrap_or_default().to_string_lossy());
        if path.is_dir() {
            collect(&path, &format!("{name}/"), found);
        } else if name.ends_with(".rs") {
            found.push((name, fs::read_to_string(&path).expect("a readable source")));
        }
    }
}

/// A word, a path separator or another sign, with its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// The text; for a raw identifier without its `r#`.
    pub text: String,
    /// Counted from 1.
    pub line: usize,
}

impl Token {
    /// Whether it is this token.
    pub fn is(&self, text: &str) -> bool {
        self.text == text
    }

    /// Whether it is a word: an identifier or a keyword.
    pub fn is_word(&self) -> bool {
        self.text.starts_with(|c: char| c.is_alphabetic() || c == '_')
    }
}

/// The tokens of a source.
pub fn tokens(source: &str) -> Vec<Token> {
    let mut reader = Reader { rest: source, line: 1 };
    let mut tokens = Vec::new();
    while let Some(c) = reader.peek() {
        let line = reader.line;
        let rest = reader.rest;
        if rest.starts_with("//") {
            reader.take_while(|c| c != '\n');
        } else if rest.starts_with("/*") {
            reader.comment();
        } else if let Some((start, hashes)) = raw_string(rest) {
            reader.take(start);
            let end = format!("\"{}", "#".repeat(hashes));
            let len = reader.rest.find(&end).map_or(reader.rest.len(), |at| at + end.len());
            reader.take(len);
        } else if c == '"' || ["b\"", "c\""].iter().any(|start| rest.starts_with(start)) {
            reader.take(rest.find('"').unwrap_or(0) + 1);
            reader.quoted('"');
        } else if is_character(rest) {
            reader.take(1);
            reader.quoted('\'');
        } else if rest.starts_with("b'") {
            reader.take(2);
            reader.quoted('\'');
        } else if c == '\'' {
            // A lifetime.
            reader.take(1);
            reader.take_while(|c| c.is_alphanumeric() || c == '_');
        } else if c.is_alphanumeric() || c == '_' {
            if rest.starts_with("r#") {
                reader.take(2);
            }
            let text = reader.take_while(|c| c.is_alphanumeric() || c == '_').to_owned();
            tokens.push(Token { text, line });
        } else if c.is_whitespace() {
            reader.take(c.len_utf8());
        } else {
            let len = if rest.starts_with("::") { 2 } else { c.len_utf8() };
            tokens.push(Token { text: reader.take(len).to_owned(), line });
        }
    }
    tokens
}

/// The length of the start of a raw string, and the number of `#` that end it.
fn raw_string(rest: &str) -> Option<(usize, usize)> {
    let prefix = ["br", "cr", "r"].into_iter().find(|prefix| rest.starts_with(prefix))?;
    let after = &rest[prefix.len()..];
    let hashes = after.len() - after.trim_start_matches('#').len();
    after[hashes..].starts_with('"').then_some((prefix.len() + hashes + 1, hashes))
}

/// Whether a character literal starts here, not a lifetime.
fn is_character(rest: &str) -> bool {
    let mut chars = rest.chars();
    chars.next() == Some('\'') && (chars.next() == Some('\\') || chars.next() == Some('\''))
}

/// The rest of the input.
struct Reader<'a> {
    rest: &'a str,
    line: usize,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn take(&mut self, len: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(len);
        self.line += taken.matches('\n').count();
        self.rest = rest;
        taken
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        self.take(self.rest.find(|c| !wanted(c)).unwrap_or(self.rest.len()))
    }

    /// Reads up to and including the quote that ends a literal.
    fn quoted(&mut self, quote: char) {
        while let Some(c) = self.peek() {
            self.take(c.len_utf8());
            if c == '\\' {
                self.take(self.peek().map_or(0, char::len_utf8));
            } else if c == quote {
                return;
            }
        }
    }

    /// Reads a comment, which may be nested.
    fn comment(&mut self) {
        let mut depth = 0;
        while !self.rest.is_empty() {
            if self.rest.starts_with("/*") {
                depth += 1;
                self.take(2);
            } else if self.rest.starts_with("*/") {
                depth -= 1;
                self.take(2);
                if depth == 0 {
                    return;
                }
            } else {
                self.take(self.peek().map_or(0, char::len_utf8));
            }
        }
    }
}
