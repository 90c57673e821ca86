//! The variables whose new values Intel's compiler may compute in the registers of other variables.
//!
//! Only such variables need the copies of [`control`](crate::spirv::emit::control) around a loop. A value shares the
//! registers of one that it is a part, another form or a changed copy of. So values are in one set with their
//! operands, and variables with what is stored in them. The exceptions are results that are never one of the
//! operands: comparisons, and sums and products, unless an operand may be known to change nothing.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::elem::ElemType;
use crate::ir::{Bits, Function, Inst, Op, Type, Value, Variable};
use crate::ops::Class;

/// What may share registers.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Owner {
    Value(Value),
    Variable(Variable),
}

/// Sets of owners, by a member that stands for each.
#[derive(Default)]
struct Sets(FxHashMap<Owner, Owner>);

impl Sets {
    fn of(&mut self, mut owner: Owner) -> Owner {
        while let Some(&next) = self.0.get(&owner) {
            // Shortens the way for later calls.
            if let Some(&further) = self.0.get(&next) {
                self.0.insert(owner, further);
            }
            owner = next;
        }
        owner
    }

    fn join(&mut self, a: Owner, b: Owner) {
        let (a, b) = (self.of(a), self.of(b));
        if a != b {
            self.0.insert(a, b);
        }
    }
}

/// The variables that may share the registers of another variable of the same size.
pub(crate) fn variables(function: &Function) -> FxHashSet<Variable> {
    let mut sets = Sets::default();
    let mut facts = Facts::default();
    let mut types: FxHashMap<Variable, Type> = FxHashMap::default();
    for inst in function.body.instructions() {
        if let Op::Declare(variable, _) = inst.op {
            types.insert(variable, inst.ty);
        }
        if let Op::Declare(variable, Some(x)) | Op::Store(variable, x) = inst.op
            && !facts.known.contains(&x)
        {
            sets.join(Owner::Variable(variable), Owner::Value(x));
        }
        let Some(result) = inst.result else { continue };
        if let Op::Load(variable) = inst.op {
            sets.join(Owner::Value(result), Owner::Variable(variable));
        }
        for x in facts.shared(inst) {
            sets.join(Owner::Value(result), Owner::Value(x));
        }
        facts.learn(inst, result);
    }
    let mut members: FxHashMap<(Owner, usize), Vec<Variable>> = FxHashMap::default();
    for (variable, ty) in types {
        members.entry((sets.of(Owner::Variable(variable)), ty.bytes())).or_default().push(variable);
    }
    members.into_values().filter(|members| members.len() > 1).flatten().collect()
}

/// What is known about the values so far.
#[derive(Default)]
struct Facts {
    /// Values that are computed of constants.
    known: FxHashSet<Value>,
    /// Integers that are the same in all elements.
    constants: FxHashMap<Value, u64>,
    /// Values of variables.
    loaded: FxHashSet<Value>,
    /// Values that come from elsewhere, of which the compiler knows nothing.
    plain: FxHashSet<Value>,
    /// Their sums and products with one constant, such as a coordinate times the size of a block.
    scaled: FxHashSet<Value>,
}

impl Facts {
    /// The operands whose registers the result may have.
    fn shared(&self, inst: &Inst) -> Vec<Value> {
        let operands = inst.op.operands();
        match inst.op {
            Op::Load(_) | Op::Access { .. } => vec![],
            // It may have the registers of the sums so far, but not those of the factors.
            Op::Dpas { operands, .. } => vec![operands[0]],
            Op::Map { kind, .. } if kind.class().is_comparison() => vec![],
            Op::Map { kind, common, saturate: false, .. }
                if matches!(kind.class(), Class::Sum | Class::Product) =>
            {
                // The compiler never finds out that a float changes nothing, unless it is a constant.
                let floats = common.is_float() && !operands.iter().any(|x| self.known.contains(x));
                if floats || !common.is_float() && self.are_effective(&operands, common) {
                    return vec![];
                }
                // If it finds out that an integer is 0 which is added to a variable, the sum is still the variable.
                let loaded: Vec<Value> =
                    operands.iter().copied().filter(|x| self.loaded.contains(x)).collect();
                let counted = !common.is_float() && kind.class() == Class::Sum && !loaded.is_empty();
                if counted { loaded } else { operands }
            }
            _ => operands,
        }
    }

    /// Whether the sum or product of these integers is another number than each of them, as far as the compiler knows.
    fn are_effective(&self, operands: &[Value], common: ElemType) -> bool {
        let all = u64::MAX >> (64 - 8 * common.bytes());
        let changes = |x: &Value| match self.constants.get(x) {
            Some(bits) => bits & all > 1,
            None => self.plain.contains(x) || self.scaled.contains(x),
        };
        operands.iter().all(changes) && operands[0] != operands[operands.len() - 1]
    }

    fn learn(&mut self, inst: &Inst, result: Value) {
        let operands = inst.op.operands();
        match &inst.op {
            Op::Constant(bits) => {
                self.known.insert(result);
                let integer = inst.ty.elem().is_some_and(|elem| !elem.is_float());
                if let Bits::Splat(bits) = bits
                    && integer
                {
                    self.constants.insert(result, *bits);
                }
            }
            Op::Load(_) | Op::Access { .. } | Op::Argument(_) | Op::Thread(_) => {
                self.plain.insert(result);
                if matches!(inst.op, Op::Load(_)) {
                    self.loaded.insert(result);
                }
            }
            _ if !operands.is_empty() && operands.iter().all(|x| self.known.contains(x)) => {
                self.known.insert(result);
            }
            Op::Map { kind, common, saturate: false, .. }
                if matches!(kind.class(), Class::Sum | Class::Product)
                    && !common.is_float()
                    && self.are_effective(&operands, *common)
                    && operands.iter().any(|x| self.constants.contains_key(x))
                    && operands.iter().any(|x| self.plain.contains(x)) =>
            {
                self.scaled.insert(result);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::parse;

    /// The variables of a loop with these instructions that share registers.
    fn found(body: &str) -> Vec<u32> {
        let text = format!(
            "file 0 \"k.rs\"\nkernel k(input: read surface, output: write surface) {{\n  \
             %0: i32 = constant 0 @0:1:1\n  %1: f32<1x8> = read #0 %0, %0 @0:1:1\n  \
             %2: f32<1x8> = read #0 %0, %0 @0:1:1\n  %3: i32<1x8> = read #0 %0, %0 @0:1:1\n  \
             var $0: f32<1x8> = %1 @0:1:1\n  var $1: f32<1x8> = %2 @0:1:1\n  var $2: i32<1x8> = %3 @0:1:1\n  \
             %4: f32<1x8> = load $0 @0:1:1\n  %5: f32<1x8> = load $1 @0:1:1\n  %6: i32<1x8> = load $2 @0:1:1\n{body}}}\n"
        );
        let function = parse(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        let mut found: Vec<u32> = variables(&function).into_iter().map(|Variable(number)| number).collect();
        found.sort_unstable();
        found
    }

    #[test]
    fn copies_and_changed_copies_share_registers() {
        assert_eq!(found("  store $0, %5: f32<1x8> @0:1:1\n"), [0, 1]);
        let changed = "  %7: f32<1x8> = insert %5[0; 4, 4, 1], %4 @0:1:1\n  store $1, %7: f32<1x8> @0:1:1\n";
        assert_eq!(found(changed), [0, 1]);
        let formatted = "  %7: i32<1x8> = format %5 @0:1:1\n  store $2, %7: i32<1x8> @0:1:1\n";
        assert_eq!(found(formatted), [1, 2]);
    }

    #[test]
    fn sums_and_products_have_registers_of_their_own() {
        let sum = "  %7: f32<1x8> = add.f32 %4, %5 @0:1:1\n  store $0, %7: f32<1x8> @0:1:1\n";
        assert_eq!(found(sum), [0; 0]);
        let product = "  %7: f32<1x8> = mul.f32 %4, %5 @0:1:1\n  store $1, %7: f32<1x8> @0:1:1\n";
        assert_eq!(found(product), [0; 0]);
        let counted = "  %7: i32<1x8> = format %5 @0:1:1\n  %8: i32<1x8> = add.i32 %6, %7 @0:1:1\n  \
                       store $2, %8: i32<1x8> @0:1:1\n";
        assert_eq!(found(counted), [0; 0]);
    }

    #[test]
    fn counters_and_positions_have_registers_of_their_own() {
        let positions = "  %7: i32<1x8> = constant 4 @0:1:1\n  %8: i32<1x8> = mul.i32 %6, %7 @0:1:1\n  \
                         var $3: i32<1x8> = %8 @0:1:1\n";
        assert_eq!(found(positions), [0; 0]);
        let same = "  %7: i32<1x8> = constant 1 @0:1:1\n  %8: i32<1x8> = mul.i32 %6, %7 @0:1:1\n  \
                    var $3: i32<1x8> = %8 @0:1:1\n";
        assert_eq!(found(same), [2, 3]);
    }

    #[test]
    fn sums_with_constants_may_be_copies() {
        let sum = "  %7: f32<1x8> = constant 0 @0:1:1\n  %8: f32<1x8> = add.f32 %5, %7 @0:1:1\n  \
                   store $0, %8: f32<1x8> @0:1:1\n";
        assert_eq!(found(sum), [0, 1]);
    }
}
