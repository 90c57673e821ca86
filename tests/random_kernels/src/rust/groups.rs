//! The statements of programs that run in thread groups: ids, shared memory and barriers.
//!
//! Every exchange first writes the thread's own part of the shared memory, and ends with a barrier. So no thread reads
//! what was not written, and no two exchanges race.

use cm::compiler::elem::ElemType;

use super::generate::Generator;
use super::program::{SHARED, Type};

impl Generator {
    /// A statement that uses the group of this number of threads. All threads must reach barriers.
    pub(super) fn group(&mut self, members: usize, depth: usize) {
        if depth > 0 || self.random.once_in(4) {
            return self.ids();
        }
        match self.random.below(3) {
            0 => {
                let columns = self.random.pick(&[4, 8, 16]);
                let Some(value) = self.exactly(ElemType::U32, columns) else { return };
                let other = self.other(members);
                let write = format!("shared.write(place * {}u32, &{value});", SHARED * 4);
                let read = format!("shared.read::<{columns}>({other} * {}u32)", SHARED * 4);
                self.exchange(columns, &[&write], &read);
            }
            1 => {
                let Some(value) = self.exactly(ElemType::U32, SHARED) else { return };
                let lanes = self.random.pick(&[1, 2, 4, 8, 16, 32]);
                let Some(index) = self.exactly(ElemType::U32, lanes) else { return };
                let (places, other) = (self.places(SHARED), self.other(members));
                let write = format!("shared.write_scattered(place * {SHARED}u32, &{places}, &{value});");
                let last = SHARED - 1;
                let read = format!("shared.read_scattered({other} * {SHARED}u32, &({index} & {last}u32))");
                self.exchange(lanes, &[&write], &read);
            }
            _ => {
                let lanes = self.random.pick(&[1, 2, 4, 8, 16, 32]);
                let Some(source) = self.exactly(ElemType::U32, lanes) else { return };
                let Some(index) = self.exactly(ElemType::U32, lanes) else { return };
                let operation = self.commutative(&source);
                let other = self.other(members);
                let clear = format!(
                    "shared.write(place * {}u32, &Vector::<u32, {SHARED}>::splat(3u32));",
                    SHARED * 4
                );
                let last = 2 * SHARED - 1;
                let update = format!("shared.write_atomic(atomic::{operation}, &({index} & {last}u32));");
                let read = format!("shared.read::<{SHARED}>({other} * {}u32)", SHARED * 4);
                self.exchange(SHARED, &[&clear, &update], &read);
            }
        }
    }

    /// Statements with a barrier after each, then a read of a row, and another barrier.
    fn exchange(&mut self, columns: usize, statements: &[&str], read: &str) {
        let name = self.name('g');
        let ty = Type { elem: ElemType::U32, rows: 1, columns };
        self.say(format!("let mut {name}: {ty} = Matrix::splat(0u8);"));
        let mut line = String::new();
        for statement in statements {
            line += &format!("{statement} {} ", self.barrier());
        }
        let barrier = self.barrier();
        self.say(format!("{line}{name}.row_mut(0).assign({read}); {barrier}"));
        self.define(ty, name);
    }

    fn barrier(&mut self) -> &'static str {
        self.random.pick(&["barrier();", "signal(); wait();"])
    }

    /// The number of a thread of the group.
    fn other(&mut self, members: usize) -> String {
        match self.random.below(3) {
            0 => format!("{}u32", self.random.below(members)),
            _ => format!("((place + {}u32) % {members}u32)", self.random.below(members)),
        }
    }

    /// A row with the ids of the thread and its group.
    fn ids(&mut self) {
        let axis = self.random.below(2);
        let id = self.random.pick(&["local_id", "local_size", "group_id", "group_count"]);
        let other = self.random.pick(&[
            "linear_local_id()",
            "linear_group_id()",
            "linear_global_id()",
            "linear_local_size()",
        ]);
        self.row(ElemType::U32, 4, &format!("Vector::<u32, 4>::splat({id}({axis}) * 5u32 + {other})"));
    }
}
