//! A kernel without stores to variables that are stored again before anybody loads them.

use rustc_hash::FxHashSet;

use crate::ir::{Block, Function, Op, Variable};

/// The kernel without these stores.
pub(crate) fn without_dead_stores(function: &Function) -> Function {
    Function { body: block(&function.body), ..function.clone() }
}

fn block(of: &Block) -> Block {
    // Variables that are stored later in this block, before anything else happens to them.
    let mut stored: FxHashSet<Variable> = FxHashSet::default();
    let mut insts = vec![];
    for inst in of.insts.iter().rev() {
        let mut inst = inst.clone();
        match &inst.op {
            Op::Store(variable, _) if !stored.insert(*variable) => continue,
            Op::Load(variable) | Op::Declare(variable, _) => _ = stored.remove(variable),
            // A block may load anything, or be left before the end.
            op if op.is_control_flow() => stored.clear(),
            _ => {}
        }
        for inner in inst.op.blocks_mut() {
            *inner = block(inner);
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
            if %3 { store $0, %2: u32; store $0, %1: u32; } else { } store $0, %0: u32; %4: u32 = load $0;";
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
    }
}
