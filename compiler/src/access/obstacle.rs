//! Why kernel threads are not proven to access different bytes.

use std::fmt;

use rustc_hash::{FxHashMap, FxHashSet};

use super::numbers::{AffineFacts, known};
use crate::ir::{Function, Inst, Op, Value, Variable};

/// Why kernel threads are not proven to access different bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Obstacle {
    /// The positions of all accesses are known, and the threads may overlap.
    Overlap,
    /// A position depends on data.
    Data,
    /// A position is in a variable that changes in a way that is not followed.
    Variable,
    /// A position is computed in a way that is not followed.
    Computed,
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Overlap => "kernel threads are not proven to access different bytes",
            Self::Data => "the position of the access depends on data",
            Self::Variable => {
                "the position of the access is in a variable whose changes are not followed, for instance under a condition, or in \
                 a loop whose step or number of iterations is not known at launch"
            }
            Self::Computed => {
                "the position of the access is not a sum of multiples of coordinates, or may exceed 32 bits"
            }
        })
    }
}

/// The instructions of a function from which positions follow.
pub(super) struct Sources<'a> {
    insts: FxHashMap<Value, &'a Inst>,
    /// What is stored in variables.
    stored: FxHashMap<Variable, Vec<Value>>,
}

impl<'a> Sources<'a> {
    pub(super) fn of(function: &'a Function) -> Self {
        let (mut insts, mut stored) = (FxHashMap::default(), FxHashMap::<_, Vec<_>>::default());
        for inst in function.body.instructions() {
            insts.extend(inst.result.map(|result| (result, inst)));
            if let Op::Declare(variable, Some(x)) | Op::Store(variable, x) = &inst.op {
                stored.entry(*variable).or_default().push(*x);
            }
        }
        Self { insts, stored }
    }

    /// The obstacle for an access at positions that consist of these values.
    pub(super) fn obstacle(&self, positions: &[Value], numbers: &AffineFacts) -> Obstacle {
        let (mut seen, mut asked, mut obstacle) =
            (FxHashSet::default(), positions.to_vec(), Obstacle::Overlap);
        while let Some(value) = asked.pop() {
            if known(value, numbers).is_some() || !seen.insert(value) {
                continue;
            }
            let Some(inst) = self.insts.get(&value) else { continue };
            match &inst.op {
                Op::Access { .. } | Op::Clock => return Obstacle::Data,
                Op::Load(variable) => {
                    let stored = self.stored.get(variable).map_or(&[][..], Vec::as_slice);
                    asked.extend(stored);
                    if stored.len() != 1 {
                        obstacle = Obstacle::Variable;
                    }
                }
                op => asked.extend(op.operands()),
            }
            if obstacle == Obstacle::Overlap {
                obstacle = Obstacle::Computed;
            }
        }
        obstacle
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::summary_in;
    use crate::ir::Grid;
    use crate::text::parse;

    /// The obstacle of a kernel that writes the block at byte `%1` of a buffer.
    fn obstacle(lines: &str) -> Option<Obstacle> {
        let lines = lines
            .replace(';', " @0:1:1\n")
            .replace("} while", "}\nwhile")
            .replace("{ %", "{\n%")
            .replace('|', ";");
        let text = format!(
            "file 0 \"k.rs\" kernel k(b: write buffer u32, n: u32, a: read buffer u32) {{
                %90: u32 = thread x @0:1:1
                %91: u32 = constant 64 @0:1:1
                %92: u32 = mul.u32 %90, %91 @0:1:1
                %93: u32 = argument #1 @0:1:1
                %94: u32<1x16> = constant 0 @0:1:1
                %95: u32<1x16> = oword_read #2 %92 @0:1:1
                {lines} oword_write #0 %1, %94: u32<1x16> @0:1:1
            }}"
        );
        let function = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let grid = Grid::single([4, 1, 1]);
        let summary = summary_in(&function, grid, &[(1, 4)]);
        let proven = summary.segment(0, grid).is_some();
        (!proven).then(|| summary.obstacle(0).expect("a write").1)
    }

    #[test]
    fn obstacles_are_the_cause() {
        assert_eq!(obstacle("%1: u32 = add.u32 %92, %91;"), None);
        assert_eq!(obstacle("%1: u32 = add.u32 %91, %91;"), Some(Obstacle::Overlap));
        assert_eq!(obstacle("%1: u32 = region %95[0| 1, 1, 1];"), Some(Obstacle::Data));
        assert_eq!(obstacle("%1: u32 = mul.u32 %90, %90;"), Some(Obstacle::Computed));
        assert_eq!(
            obstacle("%2: u32 = constant 1073741824; %1: u32 = mul.u32 %90, %2;"),
            Some(Obstacle::Computed)
        );
        let condition = "%3: u16 = lt.u32 %90, %93; %4: condition = any %3;";
        let sometimes = format!(
            "var $0: u32 = %92; {condition} if %4 @0:1:1 {{ store $0, %91: u32; }} %1: u32 = load $0;"
        );
        assert_eq!(obstacle(&sometimes), Some(Obstacle::Variable));
    }
}
