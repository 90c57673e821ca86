//! The statements of a program that access buffers.

use cm::compiler::elem::ElemType;

use super::generate::Generator;
use super::program::{COUNTERS, PART};

impl Generator {
    /// A row of so many elements of a type.
    pub(super) fn exactly(&mut self, elem: ElemType, columns: usize) -> Option<String> {
        let a = self.find(|r| r.ty.columns >= columns)?;
        let row = self.random.below(a.ty.rows);
        let column = self.random.below(a.ty.columns - columns + 1);
        let part = format!("{}.row({row}).select::<{columns}, 1>({column})", a.name);
        let name = self.name('e');
        if a.ty.elem.is_float() && !elem.is_float() || a.ty.elem != elem {
            self.say(format!("let {name}: Vector<{elem}, {columns}> = {part}.convert();"));
        } else {
            self.say(format!("let {name}: Vector<{elem}, {columns}> = {part};"));
        }
        Some(name)
    }

    /// Reads and writes of buffers.
    pub(super) fn linear(&mut self) {
        let [table, written, _] = self.buffers;
        match self.random.below(4) {
            0 => {
                let columns = self.random.within(16_usize.div_ceil(table.bytes())..=128 / table.bytes());
                let dword = self.random.below(40) * 4;
                let value = self
                    .random
                    .pick(
                        &[
                            format!("table.read_dwaligned::<{columns}>({dword})"),
                            format!("table.read_dwaligned::<{columns}>(thread * 4u32 + {dword})"),
                            format!("table.read::<{columns}>(own)"),
                        ]
                        .each_ref(),
                    )
                    .clone();
                self.row(table, columns, &value);
            }
            1 => {
                let bytes = self.random.pick(&[16, 32, 64, 128]);
                let columns = bytes / written.bytes();
                let offset = self.random.below((PART - bytes) / 16 + 1) * 16;
                if let Some(value) = self.exactly(written, columns) {
                    self.say(format!("part.write(own + {offset}u32, &{value});"));
                }
            }
            2 if table.bytes() <= 4 => {
                let lanes = self.random.pick(&[1, 2, 4, 8, 16, 32]);
                let Some(index) = self.exactly(ElemType::U32, lanes) else { return };
                let most = self.random.pick(&[15u32, 63, 1023, u32::MAX]);
                self.row(table, lanes, &format!("table.read_scattered(3, &({index} & {most}u32))"));
            }
            _ if written.bytes() <= 4 => {
                let lanes = self.random.pick(&[1, 2, 4, 8, 16, 32]);
                let Some(value) = self.exactly(written, lanes) else { return };
                let places = self.places(lanes);
                let first = PART / written.bytes();
                self.say(format!("part.write_scattered(thread * {first}u32, &{places}, &{value});"));
            }
            _ => {}
        }
    }

    /// Element numbers, no two of them the same.
    pub(super) fn places(&mut self, lanes: usize) -> String {
        let mut all: Vec<usize> = (0..lanes).collect();
        for n in 1..all.len() {
            let other = self.random.below(n + 1);
            all.swap(n, other);
        }
        format!("Vector::<u32, {lanes}>::from_array({all:?})")
    }

    /// An atomic operation whose order does not matter.
    pub(super) fn commutative(&mut self, source: &str) -> String {
        match self.random.below(9) {
            0 => "Inc".to_owned(),
            1 => "Dec".to_owned(),
            n => {
                let name = ["Add", "Sub", "Min", "Max", "And", "Or", "Xor"][n - 2];
                format!("{name}(&{source})")
            }
        }
    }

    pub(super) fn atomic(&mut self) {
        let counters = self.buffers[2];
        let lanes = self.random.pick(&[1, 2, 4, 8, 16, 32]);
        let Some(source) = self.exactly(counters, lanes) else { return };
        let operation = self.commutative(&source);
        if self.random.flip() {
            let Some(index) = self.exactly(ElemType::U32, lanes) else { return };
            let last = COUNTERS - 1;
            self.say(format!(
                "counters.write_atomic(atomic::{operation}, &(({index} & {last}u32) + first));"
            ));
        } else {
            // What was there before is defined where no two lanes meet.
            let places = self.places(lanes);
            let at = self.name('a');
            self.say(format!("let {at} = {places} + first;"));
            self.row(counters, lanes, &format!("counters.fetch_atomic(atomic::{operation}, &{at})"));
        }
    }
}
