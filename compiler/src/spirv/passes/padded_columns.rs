//! Computes rows of odd lengths as longer rows.
//!
//! A kernel that converts a block of 10 x 18 bytes before it takes regions of 8 x 16 from it computes rows of 18 elements. Of
//! such rows, an instruction computes 16 and another one computes 2, and every result is copied, see
//! [`odd_shapes`](crate::spirv::facts::odd_shapes). With rows of 32 elements, of which 14 have any bits, the instructions cross
//! the ends of rows, and nothing is copied.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{Bits, Function, Inst, Op, Region, Type, Value, Variable};
use crate::limits::REGISTER;

use super::expand::{Expansion, expanded, has_room};
use super::padded_rows::in_longer_rows;
use crate::spirv::facts::defs::Defs;
use crate::spirv::facts::odd_shapes::{self, COLUMNS};
use crate::spirv::target::Target;

/// The kernel with longer rows; `None` if it has no rows of odd lengths, if some would be left, or if registers might become
/// scarce. With registers of 64 bytes, Intel's compiler confuses rows of 16 bytes that start anywhere, unless they are copied.
pub(crate) fn padded(function: &Function, form: Target, budget: usize) -> Option<Function> {
    if form.register_bytes() > REGISTER || !odd_shapes::contains(function) {
        return None;
    }
    let rows = Rows::of(function)?;
    let mut longer = FxHashMap::default();
    let body = expanded(function, |inst, insts| rows.replace(inst, insts, &mut longer))?;
    let padded = Function { body, ..function.clone() };
    (!odd_shapes::contains(&padded) && has_room(function, &padded, budget)).then_some(padded)
}

/// The values and variables whose rows become longer.
struct Rows<'a> {
    defs: Defs<'a>,
    /// The columns of the longer rows, by the columns of the rows.
    columns: FxHashMap<usize, usize>,
    values: FxHashSet<Value>,
    variables: FxHashSet<Variable>,
    /// The registers whose regions reach beyond the end, because their rows became longer, and how many elements they need.
    ends: FxHashMap<Value, usize>,
}

impl<'a> Rows<'a> {
    /// Of a kernel; `None` if an instruction needs the rows as they are.
    fn of(function: &'a Function) -> Option<Self> {
        let mut rows = Self {
            defs: Defs::of(function),
            columns: columns(function),
            values: FxHashSet::default(),
            variables: FxHashSet::default(),
            ends: FxHashMap::default(),
        };
        let is_odd = |inst: &Inst| rows.columns.contains_key(&inst.ty.columns) && odd_shapes::is_row(inst.ty);
        for inst in function.body.instructions().filter(|inst| is_odd(inst)) {
            match inst.op {
                Op::Map { .. } | Op::Region(..) | Op::Splat(_) | Op::Constant(_) | Op::Load(_) => {}
                Op::Declare(variable, _) => _ = rows.variables.insert(variable),
                Op::Store(..) => continue,
                _ => return None,
            }
            rows.values.extend(inst.result);
        }
        for inst in function.body.instructions() {
            if !rows.takes(inst) {
                return None;
            }
            if let Op::Region(x, region) = &inst.op {
                let moved = rows.moved(*x, *region, inst)?;
                let end = moved.positions(rows.data(inst).count()).max().map_or(0, |last| last + 1);
                if end > rows.data(rows.defs.get(*x)?).count() {
                    let most = rows.ends.entry(*x).or_default();
                    *most = end.max(*most);
                }
            }
        }
        Some(rows)
    }

    /// Whether the longer rows are operands only where their other elements do not matter.
    fn takes(&self, inst: &Inst) -> bool {
        let own = inst.result.is_some_and(|result| self.values.contains(&result));
        let longer = |x: &Value| self.values.contains(x);
        match &inst.op {
            Op::Map { operands, .. } => operands.iter().all(|x| longer(x) == own),
            Op::Declare(variable, Some(x)) | Op::Store(variable, x) => {
                longer(x) == self.variables.contains(variable)
            }
            Op::Load(variable) => own == self.variables.contains(variable),
            Op::Region(..) => true,
            op => !op.operands().iter().any(longer),
        }
    }

    /// The type of the data of an instruction, with longer rows where they are.
    fn data(&self, inst: &Inst) -> Type {
        let longer = match inst.op {
            Op::Declare(variable, _) | Op::Store(variable, _) => self.variables.contains(&variable),
            _ => inst.result.is_some_and(|result| self.values.contains(&result)),
        };
        match self.columns.get(&inst.ty.columns) {
            Some(columns) if longer => Type { columns: *columns, ..inst.ty },
            _ => inst.ty,
        }
    }

    /// The region `inst` of `x`, with longer rows where they are.
    fn moved(&self, x: Value, region: Region, inst: &Inst) -> Option<Region> {
        let (of, to) = (self.defs.get(x)?, self.data(inst));
        let columns = [of.ty.columns, self.data(of).columns];
        let mut moved = match columns {
            [from, longer] if from == longer => region,
            columns => in_longer_rows(region, inst.ty.count(), columns)?,
        };
        if to != inst.ty {
            if region.dynamic.is_some() || region.width != inst.ty.columns {
                return None;
            }
            // The rows of one row have no distance.
            if inst.ty.rows == 1 {
                moved.row_stride = to.columns * moved.column_stride;
            }
            moved.width = to.columns;
        }
        Some(moved)
    }

    /// Writes the instruction with longer rows. `longer` are the registers that were made longer at their end.
    fn replace(&self, inst: &Inst, insts: &mut Expansion, longer: &mut FxHashMap<Value, Value>) -> bool {
        let ty = self.data(inst);
        let mut op = inst.op.clone();
        match &mut op {
            Op::Region(x, region) => {
                let Some(moved) = self.moved(*x, *region, inst) else { return false };
                (*x, *region) = (*longer.get(x).unwrap_or(x), moved);
            }
            Op::Constant(Bits::Each(each)) if ty != inst.ty => {
                let rows = each.chunks(inst.ty.columns);
                let others = std::iter::repeat_n(0, ty.columns - inst.ty.columns);
                *each = rows.flat_map(|row| row.iter().copied().chain(others.clone())).collect();
            }
            op if op.is_control_flow() => return false,
            _ => {}
        }
        insts.push(op, inst.result, ty);
        if let Some((x, end)) = inst.result.and_then(|x| Some((x, *self.ends.get(&x)?))) {
            let rows = Type { rows: end.div_ceil(ty.columns), ..ty };
            let any = insts.undefined(rows);
            let region = Region::contiguous(0, ty.count());
            longer.insert(x, insts.emit(Op::Insert(any, region, x), rows));
        }
        true
    }
}

/// For the columns of rows of odd lengths: the columns of the longer rows. If they come from a block whose rows are not much
/// longer, they get the length of these, so that the rows follow each other.
fn columns(function: &Function) -> FxHashMap<usize, usize> {
    let mut found = FxHashMap::default();
    for inst in function.body.instructions().filter(|inst| odd_shapes::is_row(inst.ty)) {
        let columns = inst.ty.columns;
        let longer = columns.next_multiple_of(COLUMNS);
        if longer > 2 * columns {
            continue;
        }
        let most = found.entry(columns).or_insert(longer);
        if let Op::Region(_, region) = inst.op {
            let stride = region.row_stride;
            let near = region.width == columns && region.column_stride == 1 && inst.ty.rows > 1;
            if near && stride.is_multiple_of(COLUMNS) && (longer..=2 * columns).contains(&stride) {
                *most = stride.max(*most);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spirv::RegisterFile;
    use crate::spirv::alike::{assert_alike, kernel};

    const START: &str =
        "%90: u32 = thread x; %91: i32 = convert %90; %92: u32 = thread y; %93: i32 = convert %92;
        %0: u8<8x16> = read #0 %91, %93; ";

    /// The rows and columns of the results with these numbers, in the kernel with longer rows; `None` if it stays as it is.
    fn rows(lines: &str, results: &[u32]) -> Option<Vec<[usize; 2]>> {
        let function = kernel(&format!("{START}{lines}"));
        let budget = RegisterFile::Standard.registers() * Target::Gen9.register_bytes();
        let padded = padded(&function, Target::Gen9, budget)?;
        assert_alike(&function, &padded);
        let defs = Defs::of(&padded);
        let ty = |number: &u32| defs.get(Value(*number)).map(|inst| [inst.ty.rows, inst.ty.columns]);
        results.iter().map(ty).collect()
    }

    /// A region of six rows of ten columns, its words, and a region of these.
    const WORDS: &str = "%1: u8<6x10> = region %0[16| 16, 10, 1]; %2: i16<6x10> = convert %1; %3: i16<6x10> = mul.i16 %2, %2; ";
    const REST: &str = "%8: i16<4x8> = region %7[11| 10, 8, 1]; %9: u8<4x16> = format %8; write #1 %91, %93, %9: u8<4x16>;\n";

    #[test]
    fn rows_get_the_length_of_the_rows_of_their_block() {
        let lines = format!("{WORDS}%7: i16<6x10> = sub.i16 %3, %2; {REST}");
        assert_eq!(rows(&lines, &[1, 2, 7, 8]).unwrap(), [[6, 16], [6, 16], [6, 16], [4, 8]]);
        // Regions that start in different columns, and in the last row; rows that have no stride of a block.
        let across = lines.replace("[16| 16, 10, 1]", "[38| 16, 10, 1]");
        assert_eq!(rows(&across, &[1, 7]).unwrap(), [[6, 16]; 2]);
        let strided = lines.replace("[16| 16, 10, 1]", "[0| 20, 10, 2]");
        assert_eq!(rows(&strided, &[1, 7]).unwrap(), [[6, 16]; 2]);
        let repeated = lines.replace("[16| 16, 10, 1]", "[3| 0, 10, 1]");
        assert_eq!(rows(&repeated, &[1, 7]).unwrap(), [[6, 16]; 2]);
    }

    #[test]
    fn constants_splats_and_variables() {
        let each: Vec<String> = (0..60).map(|n| n.to_string()).collect();
        let lines = format!(
            "{WORDS}%4: i16<6x10> = constant [{}]; %5: i16 = constant 3; %6: i16<6x10> = splat %5;
             %10: i16<6x10> = add.i16 %3, %4; var $0: i16<6x10> = %10; %11: condition = any %5;
             if %11 @0:1:1 {{ %12: i16<6x10> = mul.i16 %10, %6; store $0, %12: i16<6x10>; }} else {{ }}
             %7: i16<6x10> = load $0; {REST}",
            each.join(", ")
        );
        assert_eq!(rows(&lines, &[4, 6, 12, 7]).unwrap(), [[6, 16]; 4]);
    }

    #[test]
    fn rows_of_one_row() {
        let lines = "%1: u8<1x12> = region %0[120| 12, 12, 1]; ".replace("120", "116").to_owned()
            + "%2: i16<1x12> = convert %1; %7: i16<1x8> = region %2[4| 8, 8, 1]; %8: u8<1x16> = format %7; write #1 %91, %93, %8: u8<1x16>;\n";
        assert_eq!(rows(&lines, &[1, 2]).unwrap(), [[1, 16]; 2]);
    }

    #[test]
    fn rows_that_are_needed_as_they_are() {
        let lines = |last: &str| format!("{WORDS}%7: i16<6x10> = sub.i16 %3, %2; {last}{REST}");
        assert!(rows(&lines(""), &[]).is_some());
        for last in [
            "%20: i16 = reduce add.i16 %7; ",
            "%20: u8<6x20> = format %7; ",
            "%20: condition = any %7; ",
            "%20: i16<2x10> = region %7[5| 10, 10, 1]; ",
            "%20: i16<8x10> = constant 1; %21: i16<8x10> = insert %20[0| 10, 10, 1], %7; ",
        ] {
            assert_eq!(rows(&lines(last), &[]), None, "{last}");
        }
        let short = "%1: u8<6x3> = region %0[16| 16, 3, 1]; %2: i16<6x3> = convert %1; ";
        assert_eq!(
            rows(
                &format!("{short}{WORDS}%7: i16<6x10> = sub.i16 %3, %2; {REST}")
                    .replace("%1: u8<6x3>", "%30: u8<6x3>")
                    .replace("%2: i16<6x3> = convert %1", "%31: i16<6x3> = convert %30"),
                &[]
            ),
            None
        );
    }
}
