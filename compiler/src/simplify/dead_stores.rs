//! A kernel without stores of values that nobody loads: to variables that are stored again before, or at the end.
//!
//! Those of objects that fill a register file remain: Intel's compiler keeps such an object in one place only if it is in a
//! variable after each change.

use rustc_hash::FxHashSet;

use crate::ir::{Block, Function, Op, Variable};
use crate::limits::REGISTER_FILE;

/// The kernel without these stores.
pub(crate) fn without_dead_stores(function: &Function) -> Function {
    let declared = function.body.instructions().filter_map(|inst| match inst.op {
        Op::Declare(variable, _) => Some(variable),
        _ => None,
    });
    // At the end of the kernel, nobody loads any of them.
    Function { body: block(&function.body, declared.collect()), ..function.clone() }
}

/// The block without dead stores. `dead` are the variables that are not loaded after it before they are stored.
fn block(of: &Block, mut dead: FxHashSet<Variable>) -> Block {
    let mut insts = vec![];
    for inst in of.insts.iter().rev() {
        let mut inst = inst.clone();
        let is_large = inst.ty.bytes() >= REGISTER_FILE;
        match &mut inst.op {
            Op::Store(variable, _) if !is_large && !dead.insert(*variable) => continue,
            Op::Declare(variable, init) if dead.contains(variable) => *init = None,
            Op::Load(variable) => _ = dead.remove(variable),
            // A block may load anything, or be left before the end.
            op if op.is_control_flow() => dead.clear(),
            _ => {}
        }
        for inner in inst.op.blocks_mut() {
            *inner = block(inner, FxHashSet::default());
        }
        insts.push(inst);
    }
    insts.reverse();
    Block { insts }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::parse;

    #[test]
    fn the_last_store_before_a_load_is_left() {
        let lines = "%0: u32 = argument #0; %1: u32 = complement %0; var $0: u32 = %0; store $0, %1: u32; store $0, %0: u32;
            %2: u32 = load $0; store $0, %2: u32; %3: condition = any %2; store $0, %1: u32;
            if %3 { store $0, %2: u32; store $0, %1: u32; } else { } store $0, %0: u32; %4: u32 = load $0;
            store $0, %1: u32;";
        let lines = lines.replace(';', " @0:1:1\n").replace("%3 {", "%3 @0:1:1 {");
        let function = parse(&format!("file 0 \"k.rs\" kernel k(n: u32) {{ {lines} }}")).unwrap();
        let found = without_dead_stores(&function);
        let stores: Vec<u32> = found
            .body
            .instructions()
            .filter_map(|inst| match inst.op {
                Op::Store(_, value) => Some(value.0),
                _ => None,
            })
            .collect();
        assert_eq!(stores, [0, 1, 1, 0]);
        let mut insts = found.body.instructions();
        assert!(
            insts.any(|inst| matches!(inst.op, Op::Declare(_, None))),
            "what is declared is stored before it is loaded"
        );
    }

    #[test]
    fn stores_of_large_objects_are_left() {
        let stores = |rows: usize| {
            let lines = format!(
                "%0: u32<{rows}x16> = constant 0 @0:1:1\n var $0: u32<{rows}x16> @0:1:1\n store $0, %0: u32<{rows}x16> @0:1:1\n"
            );
            let function = parse(&format!("file 0 \"k.rs\" kernel k() {{ {lines} }}")).unwrap();
            without_dead_stores(&function)
                .body
                .instructions()
                .filter(|inst| matches!(inst.op, Op::Store(..)))
                .count()
        };
        assert_eq!([stores(32), stores(64)], [0, 1]);
    }
}
