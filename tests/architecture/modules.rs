//! The modules of a crate, and their imports.
//!
//! An import is every path that names a module, in a `use` or elsewhere. It leads to the module that defines
//! the item: re-exports are followed. Test code is ignored.

use std::collections::{BTreeMap, BTreeSet};

use cm_test_support::sources::{Token, tokens};

/// The path of a module from the crate root; empty for the root.
pub(crate) type Module = Vec<String>;

/// A path in a source.
#[derive(Clone, Debug)]
struct Path {
    segments: Vec<String>,
    line: usize,
    /// The name that a `use` binds, which may be `*`; `None` for other paths.
    binds: Option<String>,
    visible: bool,
    /// The inline modules around it.
    inside: Module,
}

/// An import of one module by another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Import {
    pub(crate) from: Module,
    pub(crate) to: Target,
    /// The file and the line.
    pub(crate) at: (String, usize),
}

/// The target of an import.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Target {
    /// A module of the same crate.
    Module(Module),
    /// Another crate.
    Crate(String),
}

/// A source file.
#[derive(Debug)]
struct File {
    name: String,
    paths: Vec<Path>,
    /// The names of the items that it declares.
    items: BTreeSet<String>,
}

/// The modules of a crate that are files, except test modules.
#[derive(Debug)]
pub(crate) struct Modules {
    files: BTreeMap<Module, File>,
    /// The modules with the macros that the crate root exports.
    exported: BTreeMap<String, Module>,
}

impl Modules {
    /// Reads the sources of a crate, given by their names relative to the folder of `lib.rs`, and their
    /// texts. Messages name files with the prefix `folder`.
    pub(crate) fn new(folder: &str, sources: &[(String, String)]) -> Self {
        let mut files = BTreeMap::new();
        let mut exported = BTreeMap::new();
        let mut of_tests = BTreeSet::new();
        for (name, text) in sources {
            let mut module: Module = name.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
            if matches!(module.last().map(String::as_str), Some("mod" | "lib" | "main")) {
                module.pop();
            }
            let tokens = tokens(text);
            let mut scanner = Scanner::new(&tokens);
            scanner.run();
            of_tests.extend(scanner.tests.iter().map(|test| [&module[..], &test[..]].concat()));
            exported.extend(scanner.exported.into_iter().map(|name| (name, module.clone())));
            files.insert(
                module,
                File { name: format!("{folder}/{name}"), paths: scanner.paths, items: scanner.items },
            );
        }
        files.retain(|module, _| !(1..=module.len()).any(|len| of_tests.contains(&module[..len])));
        Self { files, exported }
    }

    /// All modules.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Module> {
        self.files.keys()
    }

    /// All imports of modules and of `crates`, except re-exports of a module's own submodules.
    pub(crate) fn imports(&self, crates: &[&str]) -> Vec<Import> {
        let mut imports = Vec::new();
        for (module, file) in &self.files {
            for path in &file.paths {
                let Some(to) = self.target(module, path, crates) else { continue };
                let own = matches!(&to, Target::Module(to) if to.starts_with(module));
                if to != Target::Module(module.clone()) && !(own && path.visible) {
                    imports.push(Import { from: module.clone(), to, at: (file.name.clone(), path.line) });
                }
            }
        }
        imports
    }

    fn target(&self, module: &Module, path: &Path, crates: &[&str]) -> Option<Target> {
        if crates.contains(&&*path.segments[0]) {
            return Some(Target::Crate(path.segments[0].clone()));
        }
        let scope = [&module[..], &path.inside[..]].concat();
        self.resolve(&scope, &path.segments, 8).map(Target::Module)
    }

    /// The file with the item that a path in `scope` names; `None` if it belongs to another crate or to
    /// `scope` itself.
    fn resolve(&self, scope: &[String], segments: &[String], depth: usize) -> Option<Module> {
        let mut at = scope.to_vec();
        let mut rest = segments;
        let mut rooted = false;
        while let Some((first, after)) = rest.split_first() {
            match &**first {
                "crate" => at.clear(),
                "self" => {}
                "super" => drop(at.pop()),
                _ => break,
            }
            (rooted, rest) = (true, after);
        }
        while let Some((first, after)) = rest.split_first() {
            let child = [&at[..], std::slice::from_ref(first)].concat();
            if self.files.contains_key(&child) {
                (at, rest, rooted) = (child, after, true);
                continue;
            }
            // A name that the module only re-exports. Names in this scope itself were already counted at
            // their `use`.
            if rooted
                && depth > 0
                && let Some(found) = self.passed_on(&at, first, after, depth - 1)
            {
                return Some(found);
            }
            break;
        }
        if !rooted {
            return None;
        }
        if at.is_empty()
            && let Some(module) = rest.first().and_then(|name| self.exported.get(name))
        {
            return Some(module.clone());
        }
        // Inline modules belong to their file.
        while !self.files.contains_key(&at) {
            at.pop()?;
        }
        Some(at)
    }

    /// The target of a name that a `use` in a module binds.
    fn passed_on(&self, module: &[String], name: &String, after: &[String], depth: usize) -> Option<Module> {
        let file = self.files.get(module).filter(|file| !file.items.contains(name))?;
        let uses = file.paths.iter().filter(|path| path.inside.is_empty());
        let (globs, named): (Vec<_>, Vec<_>) = uses
            .filter(|path| path.binds.as_ref().is_some_and(|binds| binds == name || binds == "*"))
            .partition(|path| path.binds.as_deref() == Some("*"));
        if let Some(path) = named.first() {
            return self.resolve(module, &[&path.segments[..], after].concat(), depth);
        }
        globs.iter().find_map(|path| {
            let through = self.resolve(module, &path.segments, depth)?;
            if self.files[&through].items.contains(name) {
                return Some(through);
            }
            let further = |path: &&Path| path.binds.is_some() && path.visible;
            let passes = through != module && self.files[&through].paths.iter().any(|path| further(&path));
            passes.then(|| self.passed_on(&through, name, after, depth.checked_sub(1)?)).flatten()
        })
    }
}

/// Scans the tokens of a file.
struct Scanner<'a> {
    tokens: &'a [Token],
    at: usize,
    /// The enclosing inline modules, with the brace depth at which each ends.
    inside: Vec<(String, usize)>,
    paths: Vec<Path>,
    items: BTreeSet<String>,
    /// Macros that the crate root exports.
    exported: Vec<String>,
    /// Modules that are declared only for tests.
    tests: Vec<Module>,
}

impl<'a> Scanner<'a> {
    fn new(tokens: &'a [Token]) -> Self {
        Self {
            tokens,
            at: 0,
            inside: Vec::new(),
            paths: Vec::new(),
            items: BTreeSet::new(),
            exported: Vec::new(),
            tests: Vec::new(),
        }
    }

    fn run(&mut self) {
        let mut depth = 0;
        let mut visible = false;
        while let Some(token) = self.tokens.get(self.at) {
            match &*token.text {
                "#" => {
                    if self.attribute() {
                        self.skip_item();
                    }
                    continue;
                }
                "pub" => {
                    self.at += 1;
                    if self.is("(") {
                        self.group();
                    }
                    visible = true;
                    continue;
                }
                "mod" if self.word(1).is_some() => {
                    let name = self.word(1).unwrap_or_default().to_owned();
                    self.at += 2;
                    if self.is("{") {
                        self.inside.push((name, depth));
                    }
                }
                "use" if !self.tokens.get(self.at + 1).is_some_and(|next| next.is("<")) => {
                    self.at += 1;
                    self.tree(&[], visible);
                }
                "{" => {
                    depth += 1;
                    self.at += 1;
                }
                "}" => {
                    depth = depth.saturating_sub(1);
                    self.inside.pop_if(|(_, end)| *end == depth);
                    self.at += 1;
                }
                "struct" | "enum" | "union" | "trait" | "type" | "fn" | "const" | "static" => {
                    self.at += 1;
                    self.items.extend(self.word(0).map(str::to_owned));
                }
                "macro_rules" => {
                    // The name follows a `!`. The attribute before the macro exports it.
                    let name = self.word(2).unwrap_or_default().to_owned();
                    let before: Vec<_> =
                        self.tokens[..self.at].iter().rev().take(2).map(|t| &*t.text).collect();
                    if before == ["]", "macro_export"] {
                        self.exported.push(name.clone());
                    }
                    self.items.insert(name);
                    self.at += 3;
                }
                _ if token.is_word() => self.path(),
                _ => self.at += 1,
            }
            visible = false;
        }
    }

    fn is(&self, text: &str) -> bool {
        self.tokens.get(self.at).is_some_and(|token| token.is(text))
    }

    fn word(&self, ahead: usize) -> Option<&str> {
        self.tokens.get(self.at + ahead).filter(|token| token.is_word()).map(|token| &*token.text)
    }

    /// Skips a group of brackets, and returns its tokens.
    fn group(&mut self) -> &[Token] {
        let start = self.at;
        let mut depth = 0;
        while let Some(token) = self.tokens.get(self.at) {
            self.at += 1;
            match &*token.text {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
        &self.tokens[start..self.at]
    }

    /// Skips an attribute. Returns whether the next item is only for tests.
    fn attribute(&mut self) -> bool {
        self.at += 1;
        if self.is("!") {
            self.at += 1;
        }
        if !self.is("[") {
            return false;
        }
        let words = self.group();
        let has = |word: &str| words.iter().any(|token| token.is(word));
        has("cfg") && has("test") && !has("not")
    }

    /// Skips an item that is only for tests.
    fn skip_item(&mut self) {
        while let Some(token) = self.tokens.get(self.at) {
            match &*token.text {
                "mod" => {
                    let around = self.inside.iter().map(|(name, _)| name.clone());
                    self.tests.push(around.chain(self.word(1).map(str::to_owned)).collect());
                    self.at += 1;
                }
                "(" | "[" => drop(self.group().len()),
                "{" => {
                    self.group();
                    return;
                }
                ";" => {
                    self.at += 1;
                    return;
                }
                _ => self.at += 1,
            }
        }
    }

    /// A path outside of a `use`.
    fn path(&mut self) {
        let line = self.tokens[self.at].line;
        let start = self.at;
        let segments = self.segments();
        let continued = start > 0 && self.tokens[start - 1].is("::");
        if segments.len() > 1 && !continued {
            self.push(segments, line, None, false);
        }
    }

    /// Words separated by `::`.
    fn segments(&mut self) -> Vec<String> {
        let mut segments = Vec::new();
        while let Some(word) = self.word(0) {
            segments.push(word.to_owned());
            self.at += 1;
            if !self.is("::") || self.word(1).is_none() {
                break;
            }
            self.at += 1;
        }
        segments
    }

    fn push(&mut self, segments: Vec<String>, line: usize, binds: Option<String>, visible: bool) {
        let inside = self.inside.iter().map(|(name, _)| name.clone()).collect();
        self.paths.push(Path { segments, line, binds, visible, inside });
    }

    /// The names in a `use`, after the prefix `before`.
    fn tree(&mut self, before: &[String], visible: bool) {
        if self.is("::") {
            self.at += 1;
        }
        let line = self.tokens.get(self.at).map_or(0, |token| token.line);
        let mut all = [before, &self.segments()[..]].concat();
        if self.is("::") {
            self.at += 1;
        }
        if self.is("{") {
            self.at += 1;
            while self.at < self.tokens.len() && !self.is("}") {
                self.tree(&all, visible);
                if self.is(",") {
                    self.at += 1;
                }
            }
            self.at += 1;
            return;
        }
        if self.is("*") {
            self.at += 1;
            return self.push(all, line, Some("*".into()), visible);
        }
        if all.len() > 1 && all.last().is_some_and(|last| last == "self") {
            all.pop();
        }
        let mut binds = all.last().cloned();
        if let Some("as") = self.word(0) {
            binds = self.word(1).map(str::to_owned);
            self.at += 2;
        }
        if all.is_empty() {
            // Syntax that this scanner does not know.
            self.at += 1;
            return;
        }
        self.push(all, line, binds, visible);
    }
}
