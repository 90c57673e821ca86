//! The types and constants of a module, each declared once.

use super::{Builder, Elements, Other, Val, refs};
use crate::spirv::binary::{Capability, Instruction, NONE, Op, Operand, Word};
use crate::spirv::types::{Scalar, Ty};

impl Builder {
    pub(super) fn declare(&mut self, op: Op, operands: Vec<Operand>) -> Word {
        let id = self.fresh();
        self.globals.push(Instruction::untyped(op, id, operands));
        id
    }

    pub(super) fn define(&mut self, op: Op, ty: Word, operands: Vec<Operand>) -> Word {
        let id = self.fresh();
        self.globals.push(Instruction::value(op, ty, id, operands));
        id
    }

    pub(in crate::spirv) fn ty(&mut self, ty: Ty) -> Word {
        if let Some(&id) = self.tys.get(&ty) {
            return id;
        }
        let id = if ty.count > 1 {
            match ty.count {
                // Lengths of SPIR-V itself. Other lengths than these and the next two need Intel's extension.
                2..=4 => {}
                8 | 16 => self.capability(Capability::Vector16),
                _ => self.capability(Capability::VectorAnyINTEL),
            }
            let one = self.ty(ty.one());
            self.declare(Op::TypeVector, vec![Operand::Id(one), Operand::Number(ty.count as u32)])
        } else {
            match ty.scalar {
                Scalar::Bool => self.declare(Op::TypeBool, vec![]),
                Scalar::Int(bits) => {
                    match bits {
                        8 => self.capability(Capability::Int8),
                        16 => self.capability(Capability::Int16),
                        64 => self.capability(Capability::Int64),
                        _ => {}
                    }
                    self.declare(Op::TypeInt, vec![Operand::Number(bits), Operand::Number(0)])
                }
                Scalar::Float(bits) => {
                    match bits {
                        16 => self.capability(Capability::Float16),
                        64 => self.capability(Capability::Float64),
                        _ => {}
                    }
                    self.declare(Op::TypeFloat, vec![Operand::Number(bits)])
                }
            }
        };
        self.tys.insert(ty, id);
        id
    }

    pub(super) fn other(&mut self, other: Other) -> Word {
        if let Some(&id) = self.others.get(&other) {
            return id;
        }
        let id = match &other {
            Other::Void => self.declare(Op::TypeVoid, vec![]),
            Other::Image(kind, access) => {
                self.capability(Capability::ImageBasic);
                let void = self.other(Other::Void);
                let none = Operand::Number(NONE);
                let [dim, array] = kind.dimensions().map(Operand::Number);
                // No depth, not multisampled, unknown whether sampled, no format.
                let mut operands = vec![Operand::Id(void), dim, Operand::Number(NONE), array];
                operands.resize(7, none);
                operands.push(access.qualifier().into());
                self.declare(Op::TypeImage, operands)
            }
            Other::Buffer(access) => {
                self.declare(Op::TypeBufferSurfaceINTEL, vec![access.qualifier().into()])
            }
            Other::Pointer(class, ty) => {
                let ty = self.ty(*ty);
                self.declare(Op::TypePointer, vec![Operand::from(*class), Operand::Id(ty)])
            }
            Other::Function(result, parameters) => {
                let ids: Vec<Word> = [*result].into_iter().chain(parameters.iter().copied()).collect();
                self.declare(Op::TypeFunction, refs(&ids))
            }
        };
        self.others.insert(other, id);
        id
    }

    // Constants.

    fn make_constant(&mut self, ty: Ty, elements: Elements) -> Val {
        let key = (ty, elements);
        if let Some(&id) = self.constants.get(&key) {
            return Val { id, ty };
        }
        let type_id = self.ty(ty);
        let id = match &key.1 {
            Elements::Undefined => self.define(Op::Undef, type_id, vec![]),
            Elements::Splat(bits) if ty.count == 1 => match ty.scalar {
                Scalar::Bool if *bits == 0 => self.define(Op::ConstantFalse, type_id, vec![]),
                Scalar::Bool => self.define(Op::ConstantTrue, type_id, vec![]),
                _ => {
                    let literal = match ty.bits() {
                        64 => Operand::Wide(*bits),
                        32 => Operand::Number(*bits as u32),
                        // The bits above a narrow literal of an unsigned type are 0.
                        narrow => Operand::Number(*bits as u32 & ((1 << narrow) - 1)),
                    };
                    self.define(Op::Constant, type_id, vec![literal])
                }
            },
            Elements::Splat(bits) => {
                let one = self.make_constant(ty.one(), Elements::Splat(*bits)).id;
                self.define(Op::ConstantComposite, type_id, refs(&vec![one; ty.count]))
            }
            Elements::Each(each) => {
                let ids: Vec<Word> =
                    each.iter().map(|&bits| self.make_constant(ty.one(), Elements::Splat(bits)).id).collect();
                self.define(Op::ConstantComposite, type_id, refs(&ids))
            }
        };
        if ty.scalar == Scalar::Int(32) && key.1.are_short() {
            self.extended.insert(id);
        }
        if ty.scalar == Scalar::Float(16) {
            self.halves.insert(id);
        }
        self.constants.insert(key, id);
        Val { id, ty }
    }

    /// A constant with all elements equal to these bits.
    pub(in crate::spirv) fn constant(&mut self, ty: Ty, bits: u64) -> Val {
        // Clear the bits above the type, so that equal constants are shared.
        let bits = if ty.bits() == 64 { bits } else { bits & ((1 << ty.bits()) - 1) };
        self.make_constant(ty, Elements::Splat(bits))
    }

    /// A constant with the bits of each element.
    pub(in crate::spirv) fn constants(&mut self, ty: Ty, bits: &[u64]) -> Val {
        match bits {
            [one] => self.constant(ty, *one),
            each => self.make_constant(ty, Elements::Each(each.to_vec())),
        }
    }

    /// A float constant of any float type.
    pub(in crate::spirv) fn float(&mut self, ty: Ty, x: f64) -> Val {
        let bits = match ty.bits() {
            16 => u64::from(half::f16::from_f64(x).to_bits()),
            32 => u64::from((x as f32).to_bits()),
            _ => x.to_bits(),
        };
        self.constant(ty, bits)
    }

    /// An `i32` constant.
    pub(in crate::spirv) fn i32(&mut self, x: usize) -> Val {
        self.constant(Ty::I32, x as u64)
    }

    /// An undefined value.
    pub(in crate::spirv) fn undefined(&mut self, ty: Ty) -> Val {
        self.make_constant(ty, Elements::Undefined)
    }
}
