//! Translates the IR to SPIR-V, instruction by instruction.
//!
//! ```text
//! unaligned_floats, message_order <- lowering (the state of lowering a kernel)
//! lowering <- fused (one instruction for several operations) <- map, group <- reduce
//! lowering <- shared, thread, separated, barriers, dpas, inserted; block_2d, vectors <- access; effects (control flow, variables)
//! ```

mod access;
mod barriers;
mod block_2d;
mod dpas;
mod effects;
mod fused;
mod group;
mod inserted;
mod lowering;
mod map;
mod message_order;
mod reduce;
mod separated;
mod shared;
mod thread;
mod unaligned_floats;
mod vectors;

#[doc(hidden)]
pub use barriers::{BARRIERS_OF_PROBE, barrier_probe};

use crate::ir::{Bits, Block, Function, Inst, Op as Ir, ParamKind, Region, Value, Variable};
use crate::limits;
use crate::ops::Address;

use crate::spirv::binary::{Capability, ExecutionMode, Op, Operand, Word};
use crate::spirv::facts::denormals;
use crate::spirv::facts::even_steps;
use crate::spirv::fixed_region::{Dynamic, FixedRegion};
use crate::spirv::intrinsics::Intrinsic;
use crate::spirv::module::Val;
use crate::spirv::passes::Setting;
use crate::spirv::types::{ImageKind, ParameterAccess, Scalar, Ty};
use lowering::{Def, Lowering, Result};

/// The module of a kernel that the passes have rewritten.
pub(crate) fn module(function: &Function, setting: &Setting) -> Result<Vec<Word>> {
    let mut lowering = Lowering::new(function, setting);
    if setting.options.debug_info {
        lowering.builder.describe_sources(&function.name, &lowering.at);
        lowering.builder.at(&lowering.at);
    }
    lowering.finish()
}

impl<'a> Lowering<'a> {
    fn finish(mut self) -> Result<Vec<Word>> {
        self.builder.groups = self.function.uses_groups();
        // Products and sums are rounded separately, as on the CPU.
        self.builder.mode(ExecutionMode::ContractionOff, None);
        for bits in denormals::needed(self.function) {
            self.builder.capability(Capability::DenormPreserve);
            self.builder.extension("SPV_KHR_float_controls");
            self.builder.mode(ExecutionMode::DenormPreserve, Some(bits));
        }
        if self.function.shared_bytes() > 0 {
            let bytes = self.function.shared_bytes() as u32;
            self.builder.mode(ExecutionMode::SharedLocalMemorySizeINTEL, Some(bytes));
        }
        if self.function.named_barriers > 0 {
            self.named_barriers()?;
        }
        self.parameters()?;
        self.block(&self.function.body)?;
        self.builder.end_block(Op::Return, &[]);
        Ok(self.builder.finish(&self.function.name))
    }

    fn parameters(&mut self) -> Result<()> {
        let mut uses = vec![(false, false); self.function.params.len()];
        for inst in self.function.body.instructions() {
            if let Ir::Access { kind, param, .. } = &inst.op
                // 2-D blocks use a separate parameter.
                && kind.spec().address != Address::Pitched
                && let Some((read, written)) = uses.get_mut(*param)
            {
                let effect = kind.spec().effect;
                // A prefetch accesses its buffer like a read.
                (*read, *written) = (*read | effect.reads() | !effect.writes(), *written | effect.writes());
            }
        }
        for (n, (param, (read, written))) in self.function.params.iter().zip(uses).enumerate() {
            let is_value = matches!(param.kind, ParamKind::Uniform { .. } | ParamKind::Shared { .. });
            if !is_value && !read && !written && !self.target.takes_unused_surfaces() {
                // A pointer is bound as a buffer is, and launches on such GPUs have all surfaces in buffers.
                self.builder.unused_pointer();
                self.arguments.push(None);
                continue;
            }
            let argument = match param.kind {
                ParamKind::Surface { writable } | ParamKind::View { writable, .. } => {
                    let kind = if self.function.is_typed(n) { ImageKind::Texels } else { ImageKind::Blocks };
                    self.builder.image(kind, ParameterAccess::of(writable, read), read || written)
                }
                ParamKind::Surface3d { writable } => {
                    let access = ParameterAccess::of(writable, read);
                    self.builder.image(ImageKind::Texels3d, access, read || written)
                }
                ParamKind::Buffer { writable, .. } => {
                    self.builder.buffer(ParameterAccess::of(writable, read), read || written)
                }
                ParamKind::Uniform { elem, rows, columns } => {
                    self.legal(elem)?;
                    let count = rows * columns;
                    // The compiler corrupts the last byte of a byte vector that starts at an odd offset.
                    let odd = elem.bytes() == 1 && !count.is_multiple_of(2);
                    let next = self.function.params.get(n + 1).is_some_and(|next| is_bytes(&next.kind));
                    let taken = count + usize::from(odd && next);
                    let all = self.builder.parameter(Ty::new(elem.into(), taken));
                    Some(if taken == 1 { all } else { self.builder.part(all, 0, count) })
                }
                ParamKind::Shared { .. } => Some(self.builder.i32(shared::SURFACE)),
            };
            self.arguments.push(argument);
        }
        self.pointers();
        Ok(())
    }

    pub(crate) fn block(&mut self, block: &'a Block) -> Result<()> {
        let payloads = self.payloads.count();
        block.insts.iter().try_for_each(|inst| self.inst(inst))?;
        self.payloads.forget(payloads);
        Ok(())
    }

    pub(crate) fn inst(&mut self, inst: &'a Inst) -> Result<()> {
        self.at = inst.location.clone();
        self.builder.at(&self.at);
        if let Some(elem) = inst.ty.elem() {
            self.legal(elem)?;
        }
        let ty = Ty::from(inst.ty);
        let (mut known, mut multiple) = (None, 1);
        let val = match &inst.op {
            Ir::Constant(Bits::Splat(bits)) => {
                known = Some(*bits);
                self.builder.constant(ty, *bits)
            }
            Ir::Constant(Bits::Each(each)) => self.constants(inst, each)?,
            Ir::Argument(index) => self
                .arguments
                .get(*index)
                .copied()
                .flatten()
                .ok_or_else(|| self.malformed("an argument that is not a parameter"))?,
            Ir::Thread(id) => self.thread(*id),
            Ir::Splat(x) => {
                let x = self.def(*x)?;
                known = x.known;
                match known {
                    Some(bits) => self.builder.constant(ty, bits),
                    None if inst.result.is_some_and(|result| self.direct.contains(&result)) => {
                        self.builder.repeated_number(x.val, ty.count)
                    }
                    None => self.builder.splat(x.val, ty.count),
                }
            }
            Ir::Map { kind, common, saturate, operands } => {
                multiple = self.multiple(*kind, *common, operands)?;
                let made = self.map((*kind, *common, *saturate), operands, inst)?;
                known = made.1;
                made.0
            }
            Ir::Group { kind, common, operands } => {
                self.legal(*common)?;
                self.group(*kind, *common, operands)?
            }
            Ir::Dpas { b, a, operands } => self.dpas(*b, *a, operands, ty, inst.ty.rows)?,
            Ir::Reduce { kind, common, operand } => {
                self.legal(*common)?;
                self.reduction((*kind, *common), *operand, inst.result)?
            }
            Ir::Region(x, region) => self.region(inst, *x, region)?,
            Ir::Insert(x, region, part) => self.inserted(inst, *x, region, *part)?,
            Ir::Iselect(x, index) => self.selected_by_number(*x, *index, ty)?,
            Ir::Format(x) => self.format(*x, ty)?,
            Ir::UnpackMask(bits) => {
                let bits = self.val(*bits)?;
                self.unpack(bits, ty, inst.result)
            }
            Ir::PackMask(mask) => self.pack(*mask)?,
            Ir::Any(x) => self.reduce(*x, false, inst.result)?,
            Ir::All(x) => self.reduce(*x, true, inst.result)?,
            Ir::Known(truth) => self.builder.constant(Ty::BOOL, u64::from(*truth)),
            Ir::Not(x) => {
                let x = self.val(*x)?;
                self.builder.op(Op::LogicalNot, Ty::BOOL, &[x])
            }
            Ir::And(a, b) => {
                let operands = [self.val(*a)?, self.val(*b)?];
                self.builder.op(Op::LogicalAnd, Ty::BOOL, &operands)
            }
            Ir::Or(a, b) => {
                let operands = [self.val(*a)?, self.val(*b)?];
                self.builder.op(Op::LogicalOr, Ty::BOOL, &operands)
            }
            Ir::Load(variable) => self.load(*variable, ty)?,
            Ir::Access { kind, param, operands } => match self.access(*kind, *param, operands, inst)? {
                Some(val) => val,
                None => return Ok(()),
            },
            Ir::Clock => self.builder.value(Intrinsic::Timestamp, Ty::I32.times(4), &[]),
            Ir::Sync(kind, operands) => return self.sync(*kind, operands),
            // `printf::expand` has replaced it by accesses.
            Ir::Print { .. } => return Err(self.malformed("a line that is still to be printed")),
            Ir::Declare(..) | Ir::Store(..) | Ir::If(..) | Ir::Loop(..) | Ir::Labelled(..) | Ir::Break(_) => {
                return self.effect(inst);
            }
        };
        let val = if known.is_none() { self.separated(inst, val) } else { val };
        if val.ty != ty {
            return Err(self.malformed(format!("{:?} gives {:?}, not {ty:?}", inst.op, val.ty)));
        }
        if let Some(result) = inst.result {
            self.values.insert(result, Def { val, ty: inst.ty, known, multiple });
        }
        Ok(())
    }

    /// A constant with several numbers.
    fn constants(&mut self, inst: &'a Inst, each: &'a [u64]) -> Result<Val> {
        let ty = Ty::from(inst.ty);
        if each.len() != ty.count {
            return Err(self.malformed("a constant of the wrong length"));
        }
        let hides = inst.result.is_some_and(|result| self.hazards.hides(result));
        if let Some(result) = inst.result.filter(|_| !hides) {
            self.constants.insert(result, each);
        }
        Ok(if hides {
            let constant = self.builder.constants(ty, each);
            self.builder.hidden(constant)
        } else if Self::is_misloaded(inst.ty, each) {
            let dwords = each.iter().flat_map(|bits| [bits & u64::from(u32::MAX), bits >> 32]);
            let dwords: Vec<u64> = dwords.collect();
            let halves = self.builder.constants(ty.int(32).times(each.len() * 2), &dwords);
            let halves = self.builder.hidden(halves);
            self.builder.format(halves, ty)
        } else if self.builder.is_repeated_pair(ty, each) {
            self.builder.repeated_pair(ty, [each[0], each[1]])
        } else {
            let constant = self.builder.constants(ty, each);
            let added = inst.ty.elem().is_some_and(|elem| even_steps::added(each, elem));
            if added { self.builder.apart(constant) } else { constant }
        })
    }

    fn region(&mut self, inst: &Inst, x: Value, region: &Region) -> Result<Val> {
        let ty = Ty::from(inst.ty);
        let flags = self.hazards.value(x).flags;
        let mut x = self.val(x)?;
        let (shape, dynamic) = self.fixed_region(region, x.ty.count, ty.count)?;
        if flags && ty.count == 1 && x.ty.count > 1 && shape.offset > 0 && dynamic.is_none() {
            // If a single truth value is used several times, the compiler uses the first one instead.
            x = self.builder.apart(x);
        }
        let part = self.builder.region(x, shape, ty.count, dynamic);
        let late = inst.result.is_some_and(|result| self.large_objects.late(result));
        let unaligned = inst.result.is_some_and(|result| self.unaligned_floats.taken(result));
        Ok(if late {
            self.builder.copied_rows(part)
        } else if unaligned {
            self.builder.apart(part)
        } else {
            part
        })
    }

    fn format(&mut self, x: Value, ty: Ty) -> Result<Val> {
        let hazard = self.hazards.value(x);
        let x = self.val(x)?;
        if x.ty.bytes() < ty.bytes() {
            return Err(self.malformed("a format to more bytes"));
        }
        // The compiler extends parts of such elements as if they were whole elements.
        let parts = hazard.anywhere && ty.elem_bytes() < x.ty.elem_bytes()
            || x.ty.bits() == 64 && ty.bytes() < x.ty.bytes();
        // The optimiser makes constants of 64-bit elements of known short ones, see `is_misloaded`.
        let known = ty.bits() == 64 && x.ty.bits() < 64 && (hazard.folded || hazard.partly);
        let x = if known {
            self.builder.own(x, hazard)
        } else if parts {
            self.builder.apart(x)
        } else {
            x
        };
        let selected = hazard.chosen || hazard.flags;
        let formatted =
            if selected { self.builder.joined_selection(x, ty) } else { self.builder.format(x, ty) };
        // The compiler copies only the first power of two of these elements if the others are changed in place.
        let part = ty.bytes() < x.ty.bytes() && !ty.count.is_power_of_two() && ty.bits() < 64;
        Ok(if part { self.builder.separate(formatted) } else { formatted })
    }

    fn load(&mut self, variable: Variable, ty: Ty) -> Result<Val> {
        let (pointer, stored) = self.variable(variable)?;
        let loaded = self.builder.op_with(Op::Load, stored.into(), vec![Operand::Id(pointer)]);
        if self.builder.skewed.contains(&pointer) {
            self.builder.skewed.insert(loaded.id);
        }
        self.builder.follow_parts(loaded.id, pointer);
        self.builder.follow_cut(loaded.id, pointer);
        if self.branched.contains(&variable) {
            self.builder.branched.insert(loaded.id);
        }
        Ok(if ty == Ty::BOOL && loaded.ty != ty { self.builder.nonzero(loaded) } else { loaded })
    }

    fn reduce(&mut self, x: Value, all: bool, result: Option<Value>) -> Result<Val> {
        let combined = result.is_some_and(|result| self.combined.contains(&result));
        let hazard = self.hazards.value(x);
        let numbered = self.numbered.contains(&x);
        let mut x = self.val(x)?;
        if numbered && x.ty.count > 1 && self.truth(x).is_some() {
            x = self.builder.apart(x);
        }
        let long = x.ty.scalar != Scalar::Bool && x.ty.bits() == 64;
        // The compiler crashes on a vector whose parts the optimiser knows. Of a repeated byte, it tests only
        // the first element of each part and treats the others as 0.
        let repeated = self.builder.repeated.contains(&x.id);
        // The compiler tests low bits where it takes them, in two parts, of which flags for others may overwrite one.
        let cut = self.builder.cut.contains(&x.id) && x.ty.count > 16;
        if self.builder.long_registers && x.ty.bits() < 64 && self.builder.has_gaps(x) {
            x = self.builder.apart_twice(x);
        }
        if hazard.carried || hazard.constant && long || hazard.partly && x.ty.count > 1 || repeated || cut {
            x = self.builder.own(x, hazard);
        }
        let truth = match self.truth(x) {
            Some(truth) => truth,
            None if x.ty == Ty::BOOL => x,
            None => self.builder.nonzero(x),
        };
        Ok(self.builder.reduce(truth, all, !combined))
    }

    pub(crate) fn fixed_region(
        &mut self,
        region: &Region,
        object: usize,
        count: usize,
    ) -> Result<(FixedRegion, Option<Dynamic>)> {
        let Region { offset, row_stride, width, column_stride, .. } = *region;
        let shape = FixedRegion { offset, row_stride, width, column_stride };
        if width == 0 || shape.end(count) > object || !(count < width || count.is_multiple_of(width)) {
            return Err(self.malformed("a region that is not inside the object"));
        }
        let dynamic = match region.dynamic {
            None => None,
            Some(value) => {
                let def = self.def(value)?;
                let known = def.known.filter(|bits| *bits < object as u64);
                let known = known.map(|bits| FixedRegion { offset: offset + bits as usize, ..shape });
                if let Some(known) = known.filter(|known| known.end(count) <= object) {
                    return Ok((known, None));
                }
                // If the object has whole rows, the region stays within one row for every offset.
                let rows = def.multiple;
                let width = (width - 1) * column_stride + 1;
                let whole = rows > 1 && offset % rows + width <= rows && row_stride.is_multiple_of(rows);
                Some(Dynamic { elements: def.val, within: whole.then_some(rows) })
            }
        };
        Ok((shape, dynamic))
    }

    /// Bit `k` becomes element `k`; elements beyond the last bit are 0.
    fn unpack(&mut self, bits: Val, ty: Ty, mask: Option<Value>) -> Val {
        if matches!(ty.count, 16 | 32) {
            // Otherwise the compiler takes the bytes that the number was made of for truth values.
            let bits = self.builder.apart(bits);
            let flags = bits.ty.int(ty.count as u32);
            let bits = if flags == bits.ty { bits } else { self.builder.op(Op::UConvert, flags, &[bits]) };
            let truth = self.builder.op(Op::Bitcast, ty.bool(), &[bits]);
            return self.mask(truth, ty.scalar, mask);
        }
        let word = bits.ty.times(ty.count);
        let all = self.builder.splat(bits, ty.count);
        let places: Vec<u64> =
            (0..ty.count).map(|k| if k < limits::MASK_BITS { 1 << k } else { 0 }).collect();
        let places = self.builder.constants(word, &places);
        let there = self.builder.op(Op::BitwiseAnd, word, &[all, places]);
        let truth = self.builder.nonzero(there);
        self.mask(truth, ty.scalar, mask)
    }
}

/// Whether a parameter is a vector of bytes.
fn is_bytes(kind: &ParamKind) -> bool {
    matches!(kind, ParamKind::Uniform { elem, rows, columns } if elem.bytes() == 1 && rows * columns > 1)
}
