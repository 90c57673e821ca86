//! Random kernels as IR.

mod builder;
mod control;
mod memory;
mod odd;
mod steps;
mod style;

use cm::compiler::elem::ElemType;
use cm::ir::{Function, Param, ParamKind, Type};

use builder::Builder;

pub use odd::odd;

/// The kernel of a seed: the verifier accepts it, it ends, and what it writes is defined.
#[must_use]
pub fn function(seed: u64) -> Function {
    let mut builder = Builder::new(seed);
    builder.params = vec![
        Param { name: "input".into(), kind: ParamKind::Surface { writable: false } },
        Param { name: "output".into(), kind: ParamKind::Surface { writable: true } },
    ];
    for n in 0..builder.random.below(4) {
        let elem = builder.random.pick(ElemType::ALL);
        builder
            .params
            .push(Param { name: format!("b{n}"), kind: ParamKind::Buffer { elem, writable: n != 1 } });
    }
    for n in 0..builder.random.below(3) {
        let elem = builder.elem();
        let columns = if builder.random.flip() { 1 } else { builder.random.within(1..=32 / elem.bytes()) };
        let kind = ParamKind::Uniform { elem, rows: 1, columns };
        builder.params.push(Param { name: format!("u{n}"), kind });
    }
    let steps = builder.random.within(3..=24);
    let body = builder.block(|b| {
        for _ in 0..b.random.within(1..=3) {
            let ty = b.ty();
            b.read(ty);
        }
        (0..steps).for_each(|_| b.step(0));
        let mut seen: Vec<(_, Type)> = vec![];
        for (variable, ty) in b.variables.clone() {
            let value = b.hidden(cm::ir::Op::Load(variable), ty);
            seen.push((value, ty));
        }
        seen.extend(b.values.iter().rev().take(6).copied());
        for (value, ty) in seen {
            b.observe(value, ty);
        }
    });
    Function::new("random", builder.params, body)
}
