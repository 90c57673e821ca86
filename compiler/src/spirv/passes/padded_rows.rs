//! Reads blocks whose rows have other lengths than powers of two with longer rows. Registers have such rows in any case, and
//! a kernel that takes regions of the block ignores the elements behind the row.
//!
//! A block of 10 x 18 bytes is recorded as four messages, of 16 and of 2 columns. Here it becomes one of 8 x 32 bytes and one
//! of 2 x 32, or with surfaces in buffers a single one. Its regions then start at whole registers, and their rows are not
//! spread over two of them.

use rustc_hash::FxHashMap;

use crate::elem::ElemType;
use crate::ir::{Function, Inst, Op, Region, Type, Value, Variable};
use crate::limits::{self, BLOCK_2D_LOADED_ROWS, MEDIA_BYTES, MEDIA_WIDTH};
use crate::ops::{AccessKind, Effect, MapKind};
use crate::pressure::RegisterReport;
use crate::simplify::forwarded;

use super::expand::{Expansion, expanded};
use super::media_rows::Blocks;
use crate::spirv::facts::defs::Defs;
use crate::spirv::facts::odd_shapes::{self, COLUMNS};
use crate::spirv::facts::sums::Sums;

/// The kernel with longer rows; `None` if there are none, or if registers might become scarce.
pub(crate) fn padded(function: &Function, blocks: Blocks, budget: usize) -> Option<Function> {
    let is_read = |inst: &Inst| matches!(&inst.op, Op::Access { kind: AccessKind::MediaRead, .. });
    if !function.body.instructions().any(is_read) {
        return None;
    }
    let function = forwarded(function);
    let mut loads: FxHashMap<Variable, Vec<Value>> = FxHashMap::default();
    for inst in function.body.instructions() {
        if let (Op::Load(variable), Some(result)) = (&inst.op, inst.result) {
            loads.entry(*variable).or_default().push(result);
        }
    }
    let finder = Finder { defs: Defs::of(&function), sums: Sums::of(&function), loads, blocks };
    let found = finder.all(&function);
    if found.is_empty() {
        return None;
    }
    let mut made: FxHashMap<Value, Value> = FxHashMap::default();
    let body = expanded(&function, |inst, insts| {
        // Of the variable in which the block was put together.
        if let Op::Store(_, x) = &inst.op {
            return found.iter().any(|block| block.whole == *x || block.parts.contains(x));
        }
        let Some(result) = inst.result else { return false };
        if let Op::Region(x, region) = &inst.op
            && let (Some(block), Some(padded)) = (found.iter().find(|block| block.whole == *x), made.get(x))
            && let Some(region) = block.moved(*region, inst.ty.count())
        {
            insts.push(Op::Region(*padded, region), Some(result), inst.ty);
            return true;
        }
        if let Some(block) = found.iter().find(|block| block.whole == result) {
            let padded = block.read(insts, blocks);
            made.insert(result, padded);
            if block.computed {
                insts.push(Op::Region(padded, block.all()), Some(result), inst.ty);
            }
            return true;
        }
        found.iter().any(|block| block.parts.contains(&result))
    });
    let padded = Function { body: body.unwrap_or_default(), ..function.clone() };
    (RegisterReport::of_verified(&padded).peak().bytes <= budget / 4 * 3).then_some(padded)
}

/// A block that is read in one or several messages.
struct Found {
    /// The register with all of it.
    whole: Value,
    ty: Type,
    elem: ElemType,
    /// The results of the messages, and the registers that have some of them, without the last one.
    parts: Vec<Value>,
    param: usize,
    /// Its column and its row.
    place: [Value; 2],
    /// Whether operations take all of it.
    computed: bool,
}

impl Found {
    /// The columns of the longer rows.
    fn columns(&self) -> usize {
        self.ty.columns.next_power_of_two()
    }

    /// The rows of each message.
    fn rows(&self, blocks: Blocks) -> usize {
        match blocks {
            Blocks::Media => MEDIA_BYTES / limits::media_pitch(self.columns() * self.elem.bytes()),
            Blocks::InBuffers => BLOCK_2D_LOADED_ROWS,
        }
    }

    /// All of its elements in the longer rows.
    fn all(&self) -> Region {
        let Type { columns, .. } = self.ty;
        Region { offset: 0, dynamic: None, row_stride: self.columns(), width: columns, column_stride: 1 }
    }

    /// The same elements of the longer rows.
    fn moved(&self, region: Region, count: usize) -> Option<Region> {
        in_longer_rows(region, count, [self.ty.columns, self.columns()])
    }

    fn read(&self, insts: &mut Expansion, blocks: Blocks) -> Value {
        let ty = Type { columns: self.columns(), ..self.ty };
        let mut all = None;
        for first in (0..ty.rows).step_by(self.rows(blocks)) {
            let part = Type { rows: self.rows(blocks).min(ty.rows - first), ..ty };
            let mut place = self.place.to_vec();
            if first > 0 {
                let down = insts.i32(first as i64);
                place[1] = insts.emit(
                    Op::map(MapKind::Add, ElemType::I32, &[place[1], down]),
                    Type::scalar(ElemType::I32),
                );
            }
            let access = Op::Access { kind: AccessKind::MediaRead, param: self.param, operands: place };
            let read = insts.emit(access, part);
            if part == ty {
                return read;
            }
            let before = all.unwrap_or_else(|| {
                let variable = insts.variable();
                insts.push(Op::Declare(variable, None), None, ty);
                insts.emit(Op::Load(variable), ty)
            });
            let region = Region::contiguous(first * ty.columns, part.count());
            all = Some(insts.emit(Op::Insert(before, region, read), ty));
        }
        all.unwrap_or(self.whole)
    }
}

/// The same elements of a register whose rows have become longer, from the first to the second number of columns.
pub(super) fn in_longer_rows(region: Region, count: usize, [from, to]: [usize; 2]) -> Option<Region> {
    let rows = count.div_ceil(region.width);
    let last = (region.width.min(count) - 1) * region.column_stride;
    let in_row = |row: usize| {
        let first = region.offset + row * region.row_stride;
        first / from == (first + last) / from
    };
    let whole_rows = rows == 1 || region.row_stride.is_multiple_of(from);
    (region.dynamic.is_none() && whole_rows && (0..rows).all(in_row)).then(|| Region {
        offset: region.offset / from * to + region.offset % from,
        row_stride: if rows == 1 { region.width } else { region.row_stride / from * to },
        ..region
    })
}

struct Finder<'a> {
    defs: Defs<'a>,
    sums: Sums,
    loads: FxHashMap<Variable, Vec<Value>>,
    blocks: Blocks,
}

impl<'a> Finder<'a> {
    fn all(&self, function: &'a Function) -> Vec<Found> {
        let mut found = vec![];
        self.block(&function.body.insts, &mut found);
        found
    }

    fn block(&self, insts: &'a [Inst], found: &mut Vec<Found>) {
        for (n, inst) in insts.iter().enumerate() {
            for inner in inst.op.blocks() {
                self.block(&inner.insts, found);
            }
            found.extend(self.found(insts, n));
        }
    }

    /// The block that this instruction completes.
    fn found(&self, insts: &'a [Inst], n: usize) -> Option<Found> {
        let (inst, whole) = (&insts[n], insts[n].result?);
        let (ty, elem) = (inst.ty, inst.ty.elem()?);
        let mut messages = vec![];
        let mut parts = vec![];
        let (mut of, mut root) = (inst, None);
        let mut covered = vec![false; ty.count()];
        if let Some((param, place)) = media_read(inst) {
            messages.push((param, place, [0, 0]));
            covered.clear();
        }
        while covered.contains(&false) {
            let Op::Insert(before, region, part) = &of.op else { return None };
            let read = self.defs.get(*part)?;
            let (param, place) = media_read(read)?;
            let [row, column] = [region.offset / ty.columns, region.offset % ty.columns];
            let row_stride = if read.ty.rows > 1 { ty.columns } else { region.row_stride };
            let rectangle = Region { row_stride, ..Region::contiguous(region.offset, read.ty.columns) };
            let inside = *region == rectangle && column + read.ty.columns <= ty.columns;
            if !inside || read.ty.with_elem(elem) != read.ty {
                return None;
            }
            region.positions(read.ty.count()).for_each(|position| covered[position] = true);
            messages.push((param, place, [column * elem.bytes(), row]));
            parts.push(*part);
            root = Some(*before);
            if covered.contains(&false) {
                of = self.defs.get(*before)?;
                parts.push(*before);
            }
        }
        let &(param, place, _) = messages.iter().find(|(_, _, at)| *at == [0, 0])?;
        // Nobody loads these, except the load before all of them.
        let is_lost = |user: &&&Inst| match user.op {
            Op::Store(variable, _) => {
                self.loads.get(&variable).is_none_or(|loads| loads.iter().all(|load| Some(*load) == root))
            }
            _ => false,
        };
        let users = |x: Value| self.defs.users(x).iter().filter(|user| !is_lost(user));
        let takes_before = |root: Value| self.defs.user(root).is_none();
        if parts.iter().any(|x| users(*x).count() != 1) || root.is_some_and(takes_before) {
            return None;
        }
        // Rows of odd lengths that are computed are copied in any case, and `padded_columns` may save the copy.
        let is_computed = |user: &Inst| matches!(user.op, Op::Map { .. }) && odd_shapes::is_row(ty);
        let computed = users(whole).any(|user| is_computed(user));
        let block = Found { whole, ty, elem, parts, param, place, computed };
        let fits = |user: &Inst| match &user.op {
            Op::Region(x, region) => *x == whole && block.moved(*region, user.ty.count()).is_some(),
            _ => is_computed(user),
        };
        let longer = block.columns() * elem.bytes();
        // Of rows that are too long, a message has none.
        let count = ty.rows.div_ceil(block.rows(self.blocks).max(1));
        let shorter = match self.blocks {
            Blocks::Media => block.columns() != ty.columns && count <= messages.len(),
            // Another block may be read byte by byte, which takes longer for longer rows.
            Blocks::InBuffers => count == 1 && (!ty.columns.is_multiple_of(COLUMNS) || messages.len() > 1),
        };
        let legal = longer <= MEDIA_WIDTH
            && shorter
            && users(whole).count() > 0
            && users(whole).all(|user| fits(user));
        (legal && self.is_one(&block, &messages) && self.at_once(insts, n, &block)).then_some(block)
    }

    /// Whether the messages read one block.
    fn is_one(&self, block: &Found, messages: &[(usize, [Value; 2], [usize; 2])]) -> bool {
        // A sum that wraps is the first column or row of the surface.
        let near = || block.place.iter().all(|x| self.sums.is_near_threads(*x));
        let follows = |(param, place, at): &(usize, [Value; 2], [usize; 2])| {
            let distance =
                |axis: usize| self.sums.get(block.place[axis])?.distance(self.sums.get(place[axis])?);
            let both = (0..2).all(|axis| distance(axis) == Some(at[axis] as u32));
            *param == block.param && both
        };
        messages.len() == 1 || near() && messages.iter().all(follows)
    }

    /// Whether nothing is written between the messages, which are instructions of the same list.
    fn at_once(&self, insts: &[Inst], n: usize, block: &Found) -> bool {
        let is_part = |inst: &Inst| inst.result.is_some_and(|result| block.parts.contains(&result));
        let first = insts[..n].iter().position(is_part).unwrap_or(n);
        let parts = insts[first..n].iter().filter(|inst| is_part(inst)).count();
        let keeps = |inst: &Inst| match &inst.op {
            Op::Access { kind, .. } => kind.spec().effect == Effect::Read,
            Op::Sync(..) | Op::Print { .. } | Op::Clock | Op::Break(_) => false,
            op => op.blocks().next().is_none(),
        };
        parts == block.parts.len() && insts[first..n].iter().all(keeps)
    }
}

/// The surface and the place of a block that is read.
fn media_read(inst: &Inst) -> Option<(usize, [Value; 2])> {
    match &inst.op {
        Op::Access { kind: AccessKind::MediaRead, param, operands } => {
            let &[x, y] = &operands[..] else { return None };
            Some((*param, [x, y]))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spirv::alike::{assert_alike, kernel};
    use crate::spirv::{RegisterFile, Target};

    const START: &str = "%90: u32 = thread x; %91: i32 = convert %90; %92: u32 = thread y; %93: i32 = convert %92;
        %94: i32 = constant 8; %95: i32 = constant 16; %96: i32 = add.i32 %91, %95; %97: i32 = add.i32 %93, %94;
        %98: i32 = add.i32 %97, %94; ";

    /// The rows and columns of the blocks that a kernel of these lines reads.
    fn read(blocks: Blocks, lines: &str) -> Vec<[usize; 2]> {
        let function = kernel(&format!("{START}{lines}"));
        let budget = RegisterFile::Standard.registers() * Target::Gen9.register_bytes();
        let padded = padded(&function, blocks, budget).unwrap_or_else(|| function.clone());
        let legal = |inst: &Inst| limits::media_block(inst.ty.rows, inst.ty.columns).is_ok();
        let larger = padded.body.instructions().any(|inst| media_read(inst).is_some() && !legal(inst));
        // No kernel has the larger blocks of buffers.
        if blocks == Blocks::Media || !larger {
            assert_alike(&function, &padded);
        }
        let reads = padded.body.instructions().filter(|inst| media_read(inst).is_some());
        reads.map(|inst| [inst.ty.rows, inst.ty.columns]).collect()
    }

    /// Ten rows of 18 bytes, in four messages.
    const BLOCK: &str = "var $0: u8<10x18>; %0: u8<10x18> = load $0; %1: u8<8x16> = read #0 %91, %93;
        %2: u8<10x18> = insert %0[0| 18, 16, 1], %1; %3: u8<2x16> = read #0 %91, %97;
        %4: u8<10x18> = insert %2[144| 18, 16, 1], %3; %5: u8<8x2> = read #0 %96, %93;
        %6: u8<10x18> = insert %4[16| 18, 2, 1], %5; %7: u8<2x2> = read #0 %96, %97;
        %8: u8<10x18> = insert %6[160| 18, 2, 1], %7; ";
    const USES: &str = "%10: u8<8x16> = region %8[20| 18, 16, 1]; %11: u8<8x16> = region %8[37| 18, 16, 1];
        %12: u8<8x16> = add.u8 %10, %11; write #1 %91, %93, %12: u8<8x16>;
        %13: u8<1x16> = region %8[163| 1, 16, 1]; write #1 %93, %91, %13: u8<1x16>;
        %14: u8<4x4> = region %8[19| 36, 4, 4]; write #1 %93, %97, %14: u8<4x4>;\n";

    #[test]
    fn a_block_in_columns_is_read_in_longer_rows() {
        let lines = format!("{BLOCK}{USES}");
        assert_eq!(read(Blocks::Media, &lines), [[8, 32], [2, 32]]);
        assert_eq!(read(Blocks::InBuffers, &lines), [[10, 32]]);
    }

    /// As the language records it.
    #[test]
    fn a_variable_that_is_stored_again_is_no_obstacle() {
        let stores = BLOCK.replace("%3: u8<2x16>", "store $0, %2: u8<10x18>; %3: u8<2x16>");
        let lines = format!("{stores} store $0, %8: u8<10x18>; ");
        assert_eq!(read(Blocks::Media, &format!("{lines}{USES}")), [[8, 32], [2, 32]]);
    }

    /// What a loop reads in one round is used in the next one.
    #[test]
    fn a_register_that_is_used_before_it_is_replaced_stays() {
        let used = BLOCK.replace(
            "%1: u8<8x16>",
            "%30: u8<1x16> = region %0[0| 16, 16, 1]; write #1 %93, %91, %30: u8<1x16>; %1: u8<8x16>",
        );
        let lines = format!(
            "{} store $0, %8: u8<10x18>; ",
            used.replace("var $0: u8<10x18>;", "%29: u8<10x18> = constant 7; var $0: u8<10x18> = %29;")
        );
        assert_eq!(read(Blocks::Media, &format!("{lines}{USES}")).len(), 4);
    }

    #[test]
    fn one_message_has_longer_rows() {
        let lines = "%0: u16<3x18> = read #0 %91, %93; %1: u16<2x16> = region %0[19| 18, 16, 1]; write #1 %91, %93, %1: u16<2x16>;\n";
        assert_eq!(read(Blocks::Media, lines), [[3, 32]]);
        assert_eq!(read(Blocks::InBuffers, lines), [[3, 32]]);
        let rows_of_powers = "%0: u16<3x16> = read #0 %91, %93; write #1 %91, %93, %0: u16<3x16>;\n";
        assert_eq!(read(Blocks::Media, rows_of_powers), [[3, 16]]);
    }

    #[test]
    fn blocks_that_are_computed_are_taken_from_longer_rows() {
        let whole = "%20: u8<10x18> = add.u8 %8, %8; %21: u8<8x16> = region %20[1| 18, 16, 1]; write #1 %91, %93, %21: u8<8x16>;\n";
        assert_eq!(read(Blocks::Media, &format!("{BLOCK}{whole}")), [[8, 32], [2, 32]]);
    }

    #[test]
    fn blocks_that_are_used_as_a_whole_stay() {
        let whole = "%20: u8<1x180> = format %8; %21: u8<1x128> = region %20[1| 128, 128, 1]; %22: u8<8x16> = format %21; write #1 %91, %93, %22: u8<8x16>;\n";
        assert_eq!(read(Blocks::Media, &format!("{BLOCK}{whole}")).len(), 4);
        // From the end of a row to the next one.
        let across = "%20: u8<8x16> = region %8[3| 18, 16, 1]; write #1 %91, %93, %20: u8<8x16>;\n";
        assert_eq!(read(Blocks::Media, &format!("{BLOCK}{across}")).len(), 4);
        let steps = "%20: u8<8x16> = region %8[0| 17, 16, 1]; write #1 %91, %93, %20: u8<8x16>;\n";
        assert_eq!(read(Blocks::Media, &format!("{BLOCK}{steps}")).len(), 4);
    }

    #[test]
    fn parts_of_other_places_stay() {
        for (part, other) in
            [("#0 %96, %93", "#0 %95, %93"), ("#0 %91, %97", "#0 %91, %98"), ("#0 %96, %97", "#1 %96, %97")]
        {
            assert_eq!(
                read(Blocks::Media, &format!("{}{USES}", BLOCK.replace(part, other))).len(),
                4,
                "{other}"
            );
        }
        // A part that is missing.
        let missing = BLOCK.replace("insert %6[160", "insert %6[144");
        assert_eq!(read(Blocks::Media, &format!("{missing}{USES}")).len(), 4);
    }

    #[test]
    fn nothing_is_read_before_a_write() {
        let write = "%30: u8<1x16> = read #1 %91, %93; write #1 %91, %93, %30: u8<1x16>; ";
        let lines = format!("{}{USES}", BLOCK.replace("%5: u8<8x2>", &format!("{write}%5: u8<8x2>")));
        assert_eq!(read(Blocks::Media, &lines).len(), 5);
    }
}
