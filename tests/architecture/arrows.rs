//! Finds imports against the arrows.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::modules::{Import, Module, Modules, Target};

/// The arrows of a crate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crate {
    /// The name in paths.
    pub(crate) name: &'static str,
    /// The folder of its `lib.rs`.
    pub(crate) folder: &'static str,
    /// The crates that it may import.
    pub(crate) imports: &'static [&'static str],
    /// Its modules: each may import the modules to its left. Commas separate modules that must not import
    /// each other.
    pub(crate) order: &'static str,
    /// Known violations, which are accepted: `module -> module`.
    pub(crate) exceptions: &'static [&'static str],
}

/// An import against the arrows, or an outdated entry of the tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Violation {
    /// An import of a crate that this one must not use.
    Crate { at: (String, usize), name: String },
    /// An import of a module that is not to the left.
    Order { at: (String, usize), arrow: String },
    /// Modules of a folder that import each other.
    Circle { at: (String, usize), arrow: String, folder: String },
    /// A module that is missing in the order.
    Unordered { module: String },
    /// A module of the order that does not exist.
    Gone { module: String },
    /// An exception that is no longer needed.
    Stale { arrow: String },
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Crate { at: (file, line), name } => write!(f, "{file}:{line}: imports the crate `{name}`"),
            Self::Order { at: (file, line), arrow } => {
                write!(f, "{file}:{line}: `{arrow}`, which does not stand to its left")
            }
            Self::Circle { at: (file, line), arrow, folder } => {
                write!(f, "{file}:{line}: `{arrow}` is part of a circle in `{folder}`")
            }
            Self::Unordered { module } => write!(f, "the order has no `{module}`"),
            Self::Gone { module } => write!(f, "there is no module `{module}` of the order"),
            Self::Stale { arrow } => write!(f, "`{arrow}` is no exception any more: remove it"),
        }
    }
}

/// The name of the crate root in messages and tables.
const ROOT: &str = "lib";

impl Crate {
    /// All violations in these modules. `crates` are the names of all crates that are checked.
    pub(crate) fn violations(&self, modules: &Modules, crates: &[&str]) -> Vec<Violation> {
        let imports = modules.imports(crates);
        let mut used = BTreeSet::new();
        let mut found = self.wrong_crates(&imports);
        found.extend(self.wrong_modules(modules, &imports, &mut used));
        let folders: BTreeSet<&[String]> = modules
            .all()
            .filter(|module| module.len() > 1)
            .map(|module| &module[..module.len() - 1])
            .collect();
        for folder in folders {
            found.extend(self.circles(folder, &imports, &mut used));
        }
        found.sort_by_key(ToString::to_string);
        found.dedup();
        let stale = self.exceptions.iter().filter(|arrow| !used.contains(**arrow));
        found.extend(stale.map(|arrow| Violation::Stale { arrow: (*arrow).to_owned() }));
        found
    }

    fn wrong_crates(&self, imports: &[Import]) -> Vec<Violation> {
        let wrong = |import: &Import| match &import.to {
            Target::Crate(name) if name != self.name && !self.imports.contains(&&**name) => {
                Some(Violation::Crate { at: import.at.clone(), name: name.clone() })
            }
            _ => None,
        };
        imports.iter().filter_map(wrong).collect()
    }

    /// Checks the top-level modules against the order.
    fn wrong_modules(
        &self,
        modules: &Modules,
        imports: &[Import],
        used: &mut BTreeSet<&'static str>,
    ) -> Vec<Violation> {
        let mut ranks = BTreeMap::new();
        for (rank, group) in self.order.split_terminator("<").enumerate() {
            ranks.extend(group.split(',').map(|name| (name.trim(), rank)));
        }
        let top: BTreeSet<&str> =
            modules.all().filter_map(|module| module.first()).map(String::as_str).collect();
        let mut found = Vec::new();
        for module in top.iter().filter(|module| !ranks.contains_key(**module)) {
            found.push(Violation::Unordered { module: (*module).to_owned() });
        }
        for module in ranks.keys().filter(|module| !top.contains(**module)) {
            found.push(Violation::Gone { module: (*module).to_owned() });
        }
        for import in imports {
            let Target::Module(to) = &import.to else { continue };
            let Some(from) = import.from.first() else { continue };
            let to = to.first().map_or(ROOT, String::as_str);
            let left = ranks.get(to).zip(ranks.get(from.as_str())).is_some_and(|(to, from)| to < from);
            if from != to && !left {
                let arrow = format!("{from} -> {to}");
                match self.exception(&arrow) {
                    Some(exception) => drop(used.insert(exception)),
                    None => found.push(Violation::Order { at: import.at.clone(), arrow }),
                }
            }
        }
        found
    }

    /// Finds cycles within a folder. A subfolder counts as one node, and the file of the folder itself as a
    /// module of it.
    fn circles(
        &self,
        folder: &[String],
        imports: &[Import],
        used: &mut BTreeSet<&'static str>,
    ) -> Vec<Violation> {
        let node = |module: &Module| {
            let own =
                module.starts_with(folder).then(|| module.get(folder.len()).map_or("mod", String::as_str))?;
            Some([folder, &[own.to_owned()]].concat().join("/"))
        };
        let mut arrows: BTreeMap<(String, String), Vec<&Import>> = BTreeMap::new();
        for import in imports {
            let Target::Module(to) = &import.to else { continue };
            if let Some((from, to)) = node(&import.from).zip(node(to))
                && from != to
            {
                arrows.entry((from, to)).or_default().push(import);
            }
        }
        let all: BTreeSet<_> = arrows.keys().cloned().collect();
        let excepted = |(from, to): &(String, String)| self.exception(&format!("{from} -> {to}"));
        // An exception is used only if it is part of a cycle.
        used.extend(all.iter().filter(|arrow| closes(arrow, &all)).filter_map(excepted));
        let rest: BTreeSet<_> = all.iter().filter(|arrow| excepted(arrow).is_none()).cloned().collect();
        let mut found = Vec::new();
        for arrow in rest.iter().filter(|arrow| closes(arrow, &rest)) {
            for import in &arrows[arrow] {
                found.push(Violation::Circle {
                    at: import.at.clone(),
                    arrow: format!("{} -> {}", arrow.0, arrow.1),
                    folder: folder.join("/"),
                });
            }
        }
        found
    }

    fn exception(&self, arrow: &str) -> Option<&'static str> {
        self.exceptions.iter().copied().find(|exception| *exception == arrow)
    }
}

/// Whether an arrow is part of a cycle: its end leads back to its start.
fn closes((start, end): &(String, String), arrows: &BTreeSet<(String, String)>) -> bool {
    let mut reached = BTreeSet::from([end]);
    let mut waiting = vec![end];
    while let Some(at) = waiting.pop() {
        for (_, to) in arrows.iter().filter(|(from, _)| from == at) {
            if reached.insert(to) {
                waiting.push(to);
            }
        }
    }
    reached.contains(start)
}
