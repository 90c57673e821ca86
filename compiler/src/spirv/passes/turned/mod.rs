//! Holds matrices whose columns are computed with each column as a row.
//!
//! The hardware reads a region from two neighbouring registers, and an instruction computes a power of two of elements. The
//! columns of a matrix of dwords are spread over all registers, and its rows without the last element take an instruction
//! for each power of two. With columns as rows, both are rows of whole registers. The price is a transposition where the
//! matrix comes from, or goes to, something else.
//!
//! ```text
//! part (evenly spaced rows and columns) <- shapes (vectors as matrices) <- memory (matrices that are parts of buffers)
//! cut (the cheapest labels), memory <- layouts (which matrices are turned) <- rewritten
//! ```

mod cut;
mod layouts;
mod memory;
mod part;
mod rewritten;
mod shapes;

use crate::ir::{Function, Inst, Region, Value};

use super::expand::has_room;
use super::region_chains::{origins, with_regions};
use super::setting::Setting;
use crate::spirv::facts::defs::Defs;
use layouts::Layouts;
use part::{Part, is_matrix, is_vector};
use shapes::Shapes;

/// The kernel with turned matrices; `None` if none is worth it, or if registers might become scarce.
pub(crate) fn turned(function: &Function, setting: &Setting) -> Option<Function> {
    // Intel's compiler takes parts of parts from the whole matrix.
    let direct = with_regions(function, direct);
    let kernel = direct.as_ref().unwrap_or(function);
    let defs = Defs::of(kernel);
    let shapes = Shapes::taken(kernel, &defs);
    let layouts = Layouts::of(kernel, &defs, &shapes, setting)?;
    let turned = rewritten::rewritten(kernel, &defs, &shapes, &layouts)?;
    has_room(function, &turned, setting.budget()).then_some(turned)
}

/// The vector of a matrix that a vector of a part of it is.
fn direct(defs: &Defs<'_>, inst: &Inst) -> Option<(Value, Region)> {
    if !is_vector(inst.ty) {
        return None;
    }
    let parts = origins(defs, inst).take_while(|(_, [part, _], _)| is_matrix(*part));
    let vectors = parts.filter_map(|(of, [_, matrix], region)| {
        let is_part = |region: &Region| is_matrix(matrix) && Part::of(*region, inst.ty, matrix).is_some();
        region.filter(is_part).map(|region| (of, region))
    });
    vectors.last()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Op;
    use crate::spirv::alike::{assert_alike, kernel};
    use crate::spirv::passes::Options;
    use crate::spirv::target::Target;

    const START: &str = "%90: i32 = constant 3; %0: u32<8x8> = read #0 %90, %90; ";
    const END: &str = "write #1 %90, %90, %99: u32<8x8>;\n";

    /// The kernel of these lines with turned matrices, which writes the same bytes.
    fn turned_lines(lines: &str) -> Option<Function> {
        turned_after(START, lines)
    }

    fn turned_after(start: &str, lines: &str) -> Option<Function> {
        let function = kernel(&format!("{start}{lines}{END}"));
        let setting = Setting { options: Options::default(), form: Target::Gen9, target: Target::Gen9 };
        let turned = turned(&function, &setting)?;
        assert_alike(&function, &turned);
        Some(turned)
    }

    /// How many transpositions are in the kernel of these lines with turned matrices.
    fn transpositions(lines: &str) -> Option<usize> {
        let of = |inst: &&Inst| matches!(inst.op, Op::Region(_, region) if region.row_stride == 1 && region.width == 8);
        turned_lines(lines).map(|turned| turned.body.instructions().filter(of).count())
    }

    /// Adds each column of `from`, or each row, to the next one, with results from the number `first` on.
    fn sums(first: usize, [from, to]: [usize; 2], [next, step]: [usize; 2]) -> String {
        let mut whole = from;
        let mut one = |n: usize| {
            let (own, a, b) = (first + 4 * n, (n - 1) * next, n * next);
            let result = if n == 7 { to } else { own + 3 };
            let line = format!(
                "%{own}: u32<1x8> = region %{whole}[{a}| 64, 8, {step}]; %{}: u32<1x8> = region %{whole}[{b}| 64, 8, {step}];
                 %{}: u32<1x8> = add.u32 %{own}, %{}; %{result}: u32<8x8> = insert %{whole}[{b}| 64, 8, {step}], %{}; ",
                own + 1,
                own + 2,
                own + 1,
                own + 2
            );
            whole = result;
            line
        };
        (1..8).map(&mut one).collect()
    }

    const COLUMNS: [usize; 2] = [1, 8];
    const ROWS: [usize; 2] = [8, 1];

    #[test]
    fn columns_are_rows() {
        assert_eq!(transpositions(&sums(100, [0, 99], COLUMNS)), Some(2), "once, and back");
    }

    #[test]
    fn rows_stay() {
        assert_eq!(transpositions(&sums(100, [0, 99], ROWS)), None);
    }

    #[test]
    fn matrices_are_turned_between_columns_and_rows() {
        let [columns, rows] = [COLUMNS, ROWS];
        let both = sums(100, [0, 1], columns) + &sums(200, [1, 99], rows);
        assert_eq!(transpositions(&both), Some(2));
        assert_eq!(transpositions(&(sums(100, [0, 1], rows) + &sums(200, [1, 99], columns))), Some(2));
        let twice = sums(100, [0, 1], columns) + &sums(200, [1, 2], rows) + &sums(300, [2, 99], columns);
        assert_eq!(transpositions(&twice), Some(4));
    }

    #[test]
    fn rows_without_the_last_elements_are_rows_of_columns() {
        let step = |whole: usize, result: usize, count: usize| {
            let (own, left) = (10 * result, 8 - count);
            format!(
                "%{own}: u32<8x{count}> = region %{whole}[0| 8, {count}, 1]; %{}: u32<8x{count}> = region %{whole}[{left}| 8, {count}, 1];
                 %{}: u32<8x{count}> = add.u32 %{own}, %{}; %{result}: u32<8x8> = insert %{whole}[{left}| 8, {count}, 1], %{}; ",
                own + 1, own + 2, own + 1, own + 2
            )
        };
        let three = [7, 6, 7, 6, 7].iter().enumerate();
        let lines: String = three
            .map(|(n, count)| {
                step(if n == 0 { 0 } else { 20 + n - 1 }, if n == 4 { 99 } else { 20 + n }, *count)
            })
            .collect();
        assert_eq!(transpositions(&lines), Some(2));
    }

    #[test]
    fn constants_and_variables_have_columns_as_rows() {
        let each: Vec<String> = (0..64).map(|n| (n * n).to_string()).collect();
        let added = "%2: u32<8x8> = add.u32 %0, %3; %5: u32 = constant 7; %6: u32<8x8> = splat %5; %7: u32<8x8> = mul.u32 %2, %6;
                     var $0: u32<8x8> = %7; %8: condition = any %5; ";
        let lines = format!(
            "%3: u32<8x8> = constant [{}]; {added} if %8 @0:1:1 {{ {} store $0, %9: u32<8x8>; }} else {{ }}
             %10: u32<8x8> = load $0; {}",
            each.join(", "),
            sums(100, [7, 9], COLUMNS),
            sums(200, [10, 99], COLUMNS)
        );
        let turned = turned_lines(&lines).unwrap();
        let is_declared = |inst: &Inst| matches!(inst.op, Op::Declare(..));
        assert_eq!(turned.body.instructions().filter(|inst| is_declared(inst)).count(), 1);
        assert_eq!(transpositions(&lines), Some(2));
    }

    /// In a part they would be closer to each other.
    #[test]
    fn columns_of_parts_are_columns_of_the_whole() {
        let one = |n: usize| {
            let (own, before) = (100 + 2 * n, if n == 0 { 100 } else { 99 + 2 * n });
            format!(
                "%{own}: u16<1x8> = region %{}[{}| 64, 8, 8]; %{}: u16<1x8> = add.u16 %{own}, %{before}; ",
                2 + n / 8,
                n % 8,
                own + 1
            )
        };
        let lines = format!(
            "%1: u16<8x16> = read #0 %90, %90; %2: u16<8x8> = region %1[0| 16, 8, 1]; %3: u16<8x8> = region %1[8| 16, 8, 1];
             {} %98: u32<1x8> = convert %131; %99: u32<8x8> = insert %0[0| 64, 8, 1], %98; ",
            (0..16).map(one).collect::<String>()
        );
        assert_eq!(transpositions(&lines), Some(1));
    }

    /// A recursive filter along 8 x 8 bytes of a register of 8 x `columns`, every `step`th of them.
    fn filter_of_bytes(columns: usize, step: usize) -> String {
        let mut lines = format!(
            "%1: u8<8x{columns}> = read #0 %90, %90; %100: u8<8x1> = region %1[0| {columns}, 1, 1]; "
        );
        let mut whole = 1;
        for n in 1..8 {
            let (own, at) = (100 + 4 * n, n * step);
            lines += &format!(
                "%{}: u8<8x1> = region %{whole}[{at}| {columns}, 1, 1]; %{}: u8<8x1> = avg.u8 %{}, %{};
                 %{}: u8<8x{columns}> = insert %{whole}[{at}| {columns}, 1, 1], %{}; ",
                own - 3,
                own,
                own - 4,
                own - 3,
                own - 1,
                own
            );
            whole = own - 1;
        }
        lines +=
            &format!("%91: u8<8x8> = region %{whole}[0| {columns}, 8, 1]; %99: u32<8x8> = convert %91; ");
        lines
    }

    #[test]
    fn bytes_of_even_matrices_have_columns_as_rows() {
        let turned = turned_after("%90: i32 = constant 3; ", &filter_of_bytes(8, 1)).unwrap();
        let of = |inst: &&Inst| matches!(inst.op, Op::Region(_, region) if region.row_stride == 1 && region.width == 8);
        assert_eq!(turned.body.instructions().filter(of).count(), 2, "once, and back");
        assert!(turned_after("%90: i32 = constant 3; ", &filter_of_bytes(24, 3)).is_none(), "packed RGB");
    }

    /// Whether the columns of 16 x `columns` elements that are inserted in reverse order become rows.
    fn is_mirrored_in_rows(elem: &str, columns: usize) -> bool {
        let mirrored = |n: usize| {
            let (own, whole) = (100 + 2 * n, if n == 0 { 1 } else { 99 + 2 * n });
            format!(
                "%{own}: {elem}<16x1> = region %1[{}| {columns}, 1, 1];
                 %{}: {elem}<16x{columns}> = insert %{whole}[{n}| {columns}, 1, 1], %{own}; ",
                columns - 1 - n,
                own + 1
            )
        };
        let start = format!("%90: i32 = constant 3; %1: {elem}<16x{columns}> = read #0 %90, %90; ");
        let end = format!(
            "%91: {elem}<8x{columns}> = region %{}[0| {columns}, {columns}, 1]; %92: {elem}<1x{columns}> = region %91[0| {columns}, {columns}, 1];
             write #1 %90, %90, %92: {elem}<1x{columns}>; %93: i32<8x8> = splat %90; %99: u32<8x8> = convert %93; ",
            99 + 2 * columns
        );
        let columns: String = (0..columns).map(mirrored).collect();
        turned_after(&start, &(columns + &end)).is_some()
    }

    #[test]
    fn copies_are_not_divided() {
        assert!(is_mirrored_in_rows("u8", 16));
        assert!(!is_mirrored_in_rows("u32", 4), "four elements of a column are in two registers");
    }

    #[test]
    fn bytes_are_converted_in_rows() {
        let read = START.replace(
            "%0: u32<8x8> = read #0 %90, %90; ",
            "%1: u8<8x8> = read #0 %90, %90; %0: u32<8x8> = convert %1; ",
        );
        assert!(turned_after(&read, &sums(100, [0, 99], COLUMNS)).is_some());
    }

    #[test]
    fn what_is_needed_in_rows_is_held_in_both_ways() {
        let columns = sums(100, [0, 99], COLUMNS);
        let needed = "%70: u32<1x16> = region %0[3| 16, 16, 1]; %71: u32<2x8> = format %70; write #1 %90, %90, %71: u32<2x8>; ";
        assert_eq!(transpositions(&(needed.to_owned() + &columns)), Some(2));
        let other = "%72: u32<4x16> = format %0; %73: u32<4x16> = add.u32 %72, %72; write #1 %90, %90, %73: u32<4x16>; ";
        assert_eq!(transpositions(&(other.to_owned() + &columns)), Some(2));
    }
}
