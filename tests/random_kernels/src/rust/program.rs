//! A kernel as statements, and its text.

use std::fmt;

use cm::compiler::elem::ElemType;

/// Registers are matrices of this type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Type {
    pub(super) elem: ElemType,
    pub(super) rows: usize,
    pub(super) columns: usize,
}

impl Type {
    pub(super) const fn count(self) -> usize {
        self.rows * self.columns
    }

    pub(super) const fn bytes(self) -> usize {
        self.count() * self.elem.bytes()
    }

    pub(super) const fn with_elem(self, elem: ElemType) -> Self {
        Self { elem, ..self }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Matrix<{}, {}, {}>", self.elem, self.rows, self.columns)
    }
}

/// What a kernel does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Statement {
    /// A register with a name.
    Let {
        name: String,
        ty: Type,
        /// Whether statements change it.
        variable: bool,
        value: String,
    },
    /// Anything that no other statement needs.
    Do(String),
    /// Statements under a condition or in a loop.
    Block {
        /// Before it: the counter of a loop.
        before: String,
        /// What stands before the brace.
        head: String,
        body: Vec<Statement>,
        /// At the end of the body.
        last: String,
        other: Vec<Statement>,
    },
}

impl Statement {
    pub(super) fn print(&self, text: &mut String, depth: usize) {
        let indent = "    ".repeat(depth);
        let mut line = |line: &str| {
            for part in [&indent, line, "\n"] {
                text.push_str(part);
            }
        };
        match self {
            Self::Let { name, ty, variable, value } => {
                let variable = if *variable { "mut " } else { "" };
                line(&format!("let {variable}{name}: {ty} = {value};"));
            }
            Self::Do(statement) => line(statement),
            Self::Block { before, head, body, last, other } => {
                if !before.is_empty() {
                    line(before);
                }
                line(&format!("{head} {{"));
                body.iter().for_each(|statement| statement.print(text, depth + 1));
                if !last.is_empty() {
                    text.push_str(&format!("{indent}    {last}\n"));
                }
                if !other.is_empty() {
                    text.push_str(&format!("{indent}}} else {{\n"));
                    other.iter().for_each(|statement| statement.print(text, depth + 1));
                }
                text.push_str(&format!("{indent}}}\n"));
            }
        }
    }
}

/// A kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// Its seed.
    pub seed: u64,
    /// The elements of the buffers: one that is read, one that is written, and one of counters.
    pub(super) buffers: [ElemType; 3],
    /// Columns and rows of threads in a group, if it runs in groups.
    pub(super) local: Option<[usize; 2]>,
    pub(super) body: Vec<Statement>,
    /// The registers whose bytes are written at the end.
    pub(super) seen: Vec<(String, Type)>,
    /// How many ways to make it smaller were tried in vain.
    pub(super) kept: usize,
}

/// Columns and rows of threads.
pub(super) const GRID: (usize, usize) = (3, 2);
/// Registers that are written at the end, at most.
pub(super) const SEEN: usize = 6;
/// Bytes and rows that each thread writes.
pub(super) const TILE: (usize, usize) = (64, 4 * SEEN);
/// Bytes of a thread in the buffer that is written.
pub(super) const PART: usize = 256;
/// Counters of a thread.
pub(super) const COUNTERS: usize = 32;
/// Dwords of shared memory of a thread.
pub(super) const SHARED: usize = 16;
/// Bytes of the buffer that is read.
pub(super) const TABLE: usize = 1024;

impl Program {
    /// The kernel in the language, under this name.
    pub fn source(&self, name: &str) -> String {
        let [read, written, counters] = self.buffers;
        let mut text = format!(
            "#[kernel]\npub fn {name}(\n    input: &Surface2D,\n    output: &mut Surface2D,\n    table: &Buffer<{read}>,\n    \
             part: &mut Buffer<{written}>,\n    counters: &mut Buffer<{counters}>,\n    count: u32,\n    number: i32,\n) {{\n"
        );
        let (width, height) = TILE;
        let columns = GRID.0;
        text.push_str(&format!(
            "    let (x, y) = (thread_origin_x() * {width}u32, thread_origin_y() * {height}u32);\n    \
             let thread = thread_origin_y() * {columns}u32 + thread_origin_x();\n    \
             let own = thread * {PART}u32;\n    let first = thread * {COUNTERS}u32;\n"
        ));
        if let Some([columns, rows]) = self.local {
            let elements = SHARED * columns * rows;
            text.push_str(&format!(
                "    let shared = slm::<u32, {elements}>();\n    let place = linear_local_id();\n"
            ));
        }
        self.body.iter().for_each(|statement| statement.print(&mut text, 1));
        for (n, (value, ty)) in self.seen.iter().enumerate() {
            text.push_str(&seen(n, value, *ty));
        }
        text.push_str("}\n");
        text
    }
}

/// Statements that write the bytes of a register to rows of the output.
fn seen(n: usize, value: &str, ty: Type) -> String {
    let (bytes, row) = (ty.bytes(), 4 * n);
    let mut text = String::new();
    let value = if ty.elem.is_float() {
        // The payloads of NaNs are not defined.
        text.push_str(&format!(
            "    let mut plain{n}: {ty} = Matrix::splat(0u8);\n    plain{n}.merge({value}, {value} == {value});\n"
        ));
        format!("plain{n}")
    } else {
        value.to_owned()
    };
    text.push_str(&format!(
        "    let bytes{n} = {value}.format::<u8, 1, {bytes}>();\n    let mut block{n} = Matrix::<u8, 4, 64>::splat(0u8);\n"
    ));
    for (r, start) in (0..bytes).step_by(64).enumerate() {
        let width = (bytes - start).min(64);
        text.push_str(&format!(
            "    block{n}.select_mut::<1, 1, {width}, 1>({r}, 0).assign(bytes{n}.select::<1, 1, {width}, 1>(0, {start}));\n"
        ));
    }
    text.push_str(&format!("    output.write(x, y + {row}u32, &block{n});\n"));
    text
}
