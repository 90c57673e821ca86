//! A kernel in which loads that surely give one value are that value.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::dataflow::loads;
use crate::ir::{Block, Function, Op, Value, Variable};

/// The kernel without these loads, and without the variables that nothing loads.
pub(crate) fn forwarded(function: &Function) -> Function {
    let known = loads(&function.body);
    let left = function.body.instructions().filter_map(|inst| match inst.op {
        Op::Load(variable) if inst.result.is_none_or(|result| !known.contains_key(&result)) => Some(variable),
        _ => None,
    });
    let left = left.collect();
    Function { body: block(&function.body, &known, &left), ..function.clone() }
}

fn block(of: &Block, known: &FxHashMap<Value, Value>, left: &BTreeSet<Variable>) -> Block {
    let insts = of.insts.iter().filter_map(|inst| {
        match &inst.op {
            Op::Load(_) if inst.result.is_some_and(|result| known.contains_key(&result)) => return None,
            Op::Declare(variable, _) | Op::Store(variable, _) if !left.contains(variable) => return None,
            _ => {}
        }
        let mut inst = inst.clone();
        for x in inst.op.operands_mut() {
            *x = *known.get(x).unwrap_or(x);
        }
        for inner in inst.op.blocks_mut() {
            *inner = block(inner, known, left);
        }
        Some(inst)
    });
    Block { insts: insts.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::parse;

    #[test]
    fn loads_where_ways_join_are_left() {
        let lines = "%0: u32 = argument #0; var $0: u32 = %0; var $1: u32 = %0; %1: u32 = load $1; %2: condition = any %1;
            if %2 { store $0, %1: u32; %3: u32 = load $0; %4: u32 = complement %3; } else { }
            %5: u32 = load $0; %6: u32 = complement %5;";
        let lines = lines.replace(';', " @0:1:1\n").replace("%2 {", "%2 @0:1:1 {");
        let function = parse(&format!("file 0 \"k.rs\" kernel k(n: u32) {{ {lines} }}")).unwrap();
        let text = forwarded(&function).to_string();
        let has = |line: &str| text.lines().any(|other| other.trim().trim_end_matches(" @0:1:1") == line);
        assert!(
            has("var $0: u32 = %0") && has("store $0, %0: u32") && has("%4: u32 = complement %0"),
            "{text}"
        );
        assert!(has("%5: u32 = load $0") && !text.contains("$1") && !text.contains("%3"), "{text}");
    }
}
