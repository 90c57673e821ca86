//! Generates the table of operations in `docs/operations.md` from the rows of this suite, so that it only
//! lists tested operations.
//!
//! `CM_BLESS=1` rewrites the page; then read the difference.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use cm::Target;
use cm::compiler::elem::ElemType;
use cm::compiler::ops::Accuracy;
use cm::spirv::Instruction;
use cm_test_support::committed;

/// One kernel of the suite.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Executed {
    /// The operation of the IR, if the kernel tests one.
    pub(crate) operation: &'static str,
    /// The expression that it computes.
    pub(crate) text: &'static str,
    /// The elements of its operands.
    pub(crate) operands: &'static [ElemType],
    pub(crate) accuracy: Accuracy,
}

/// The tested facts about one function or operator.
#[derive(Default)]
struct Tested {
    operands: BTreeSet<usize>,
    saturates: bool,
    bound: String,
}

impl Tested {
    /// Adds a row. Only the operands that its expression uses count.
    fn add(&mut self, row: &Executed, saturates: bool) {
        let index =
            |elem: &ElemType| ElemType::ALL.iter().position(|known| known == elem).expect("an element");
        let words: BTreeSet<&str> =
            row.text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect();
        let alone = row.operands.len() == 1;
        let used = row.operands.iter().zip(["a", "b"]).filter(|(_, name)| alone || words.contains(name));
        // A function takes an operand as what it is converted to.
        let taken =
            |elem, name| converted(row.text, name).filter(|_| row.text.contains("math::")).unwrap_or(elem);
        self.operands.extend(used.map(|(elem, name)| index(&taken(*elem, name))));
        self.saturates |= saturates;
        let bound = bound(row.accuracy);
        assert!(self.bound.is_empty() || self.bound == bound, "two bounds: {} and {bound}", self.bound);
        self.bound = bound;
    }

    fn elements(&self) -> String {
        let names: Vec<_> =
            self.operands.iter().map(|&index| format!("`{}`", ElemType::ALL[index].name())).collect();
        names.join(" ")
    }

    /// The generations that lack some of these element types.
    fn lacking(&self, function: &str) -> String {
        let instructions: Vec<_> = Instruction::ALL
            .iter()
            .filter(|instruction| instruction.functions().contains(&function))
            .collect();
        if !instructions.is_empty() {
            return self.expanded(&instructions);
        }
        let f64s = self.operands.iter().any(|&index| ElemType::ALL[index] == ElemType::F64);
        let lacking: Vec<_> = Target::ALL.iter().filter(|target| f64s && !target.has_f64()).collect();
        match &lacking[..] {
            [] => "all".to_owned(),
            _ => format!("`f64` not on {}", names(&lacking)),
        }
    }

    /// The generations for which the lowering expands the function, for each element type.
    fn expanded(&self, instructions: &[&Instruction]) -> String {
        let mut parts: Vec<(String, String)> = vec![];
        for elem in self.operands.iter().map(|&index| ElemType::ALL[index]) {
            let of_its_size =
                instructions.iter().find(|instruction| instruction.bytes().contains(&elem.bytes()));
            let has = |target: &Target| of_its_size.is_some_and(|instruction| target.has(**instruction));
            let lacking: Vec<_> = Target::ALL.iter().filter(|target| !has(target)).collect();
            let all = lacking.len() == Target::ALL.len();
            let text = if all { "expanded".to_owned() } else { format!("expanded on {}", names(&lacking)) };
            match parts.iter_mut().find(|(known, _)| *known == text) {
                Some((_, elems)) => elems.push_str(&format!(" `{}`", elem.name())),
                None => parts.push((text, format!("`{}`", elem.name()))),
            }
        }
        match &parts[..] {
            [(text, _)] => format!("all; {text}"),
            _ => {
                let parts = parts.iter().map(|(text, elems)| format!("{elems} {text}"));
                format!("all; {}", parts.collect::<Vec<_>>().join("; "))
            }
        }
    }
}

/// The element type to which an expression converts an operand.
fn converted(text: &str, operand: &str) -> Option<ElemType> {
    let (_, to) = text.split_once(&format!("{operand}.convert::<"))?;
    let (name, _) = to.split_once('>')?;
    ElemType::ALL.iter().copied().find(|elem| elem.name() == name)
}

fn names(targets: &[&Target]) -> String {
    targets.iter().map(|target| format!("{target:?}")).collect::<Vec<_>>().join(", ")
}

/// The allowed difference between executions.
fn bound(accuracy: Accuracy) -> String {
    let Accuracy::Within { ulps, absolute } = accuracy else { return "same bits".to_owned() };
    let units = if ulps == 1 { "1 unit".to_owned() } else { format!("{ulps} units") };
    if absolute == 0.0 { units } else { format!("{units} or {absolute:.1e}") }
}

/// The functions of `cm::math` in an expression: the names without `_sat`, and whether they had it.
fn functions(text: &str) -> Vec<(&str, bool)> {
    text.split("math::")
        .skip(1)
        .map(|rest| {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            let name = &rest[..end];
            name.strip_suffix("_sat").map_or((name, false), |plain| (plain, true))
        })
        .collect()
}

/// CM's name of a function, if it has one.
fn name_in_cm(function: &str) -> Option<String> {
    Some(match function {
        "modulo" => "cm_mod".to_owned(),
        "sub" => "cm_add(a, -b)".to_owned(),
        "bf_cvt_f32" => "cm_bf_cvt".to_owned(),
        "fma" => return None,
        _ => format!("cm_{function}"),
    })
}

fn page() -> String {
    let all = [
        super::elements::EXECUTED,
        super::groups::EXECUTED,
        super::whole::EXECUTED,
        super::whole::OF_MASKS,
        super::composed::EXECUTED,
        super::composed::OF_THREE,
    ];
    let mut built_in: BTreeMap<&str, Tested> = BTreeMap::new();
    let mut operators: BTreeMap<&str, Tested> = BTreeMap::new();
    for row in all.into_iter().flatten() {
        let functions = functions(row.text);
        // The bound is that of the outermost function; inner ones only make its operands.
        let counted = if row.accuracy.is_exact() { functions.len() } else { 1 };
        for (k, (name, saturates)) in functions.iter().take(counted).enumerate() {
            let tested = built_in.entry(name).or_default();
            // Of the inner functions, only these return another element type than they take.
            let inside = functions.get(k + 1).map(|(name, _)| *name);
            let of_bits = matches!(inside, Some("f32tof16" | "bf_cvt"));
            let row = if of_bits { Executed { operands: &[ElemType::U16], ..*row } } else { *row };
            tested.add(&row, *saturates);
        }
        if functions.is_empty() && !row.operation.is_empty() {
            operators.entry(row.operation).or_default().add(row, false);
        }
    }
    let mut page = String::from(
        "# Tested operations\n\n\
         This page is generated from the rows of `tests/conformance`. Each row is a kernel that runs on the CPU, in the\n\
         interpreter and on Level Zero, with numbers near the limits of its types. All results must match exact\n\
         arithmetic; \"same bits\" ignores signs and payloads of NaN. A bound is in units in the last place or absolute,\n\
         whichever is larger. \"Expanded\" means that the generation has no such instruction, so `cm` uses several others.\n\n\
         `CM_BLESS=1 cargo test --workspace --test conformance table` writes this page.\n\n\
         ## Built-in functions\n\n\
         | `cm::math` | CM | Operands tested | SAT | CPU, interpreter, Level Zero | Generations |\n\
         |---|---|---|---|---|---|\n",
    );
    for (name, tested) in &built_in {
        let sat = if tested.saturates { "yes" } else { "" };
        let (elements, bound, lacking) = (tested.elements(), &tested.bound, tested.lacking(name));
        let cm = name_in_cm(name).map_or_else(String::new, |cm| format!("`{cm}`"));
        let _ = writeln!(page, "| `{name}` | {cm} | {elements} | {sat} | {bound} | {lacking} |");
    }
    page.push_str("\n## Operators\n\n| Operation of the IR | Operands tested | CPU, interpreter, Level Zero | Generations |\n|---|---|---|---|\n");
    for (name, tested) in &operators {
        let _ = writeln!(
            page,
            "| `{name}` | {} | {} | {} |",
            tested.elements(),
            tested.bound,
            tested.lacking("")
        );
    }
    page.push_str("\n## Elements for storage\n\n| Element | Conversion | From | To |\n|---|---|---|---|\n");
    for element in ["bf16", "tf32"] {
        for method in ["convert", "saturate"] {
            let rows = || super::storage::CONVERTED.iter().filter(|row| row[2] == method);
            let list = |found: Vec<&str>| {
                let names: BTreeSet<String> = found.into_iter().map(|name| format!("`{name}`")).collect();
                names.into_iter().collect::<Vec<_>>().join(" ")
            };
            let from = list(rows().filter(|row| row[1] == element).map(|row| row[0]).collect());
            let to = list(rows().filter(|row| row[0] == element).map(|row| row[1]).collect());
            let _ = writeln!(page, "| `{element}` | `{method}` | {from} | {to} |");
        }
    }
    page
}

#[test]
fn the_page_is_what_the_suite_runs() {
    committed::check("docs/operations.md", &page());
}
