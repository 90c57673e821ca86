//! Accesses to surfaces and buffers, by their descriptions.

use cm_compiler::elem::ElemType;
use cm_compiler::ir::{Bits, Op, Type, Value};
use cm_compiler::limits;
use cm_compiler::ops::{AccessKind, AccessOperand, AccessSpec, Carries, Effect, MapKind, MemoryKind};

use super::{BUFFERS, Builder, FIRST_BUFFER, FIRST_SLICES, FIRST_TEXELS};

impl Builder {
    /// An access to a surface: as often a media block as texels, one time in three those of a 3-D surface.
    pub(super) fn surface(&mut self, effect: Effect) {
        let blocks = self.flip();
        let memory = if blocks || self.below(3) > 0 { MemoryKind::Surface } else { MemoryKind::Surface3d };
        self.access(|spec| {
            let is_block = spec.carries == Carries::MediaBlock;
            spec.memory == memory && spec.effect == effect && is_block == blocks
        });
    }

    /// Any access, by its description.
    pub(super) fn access(&mut self, fits: impl Fn(&AccessSpec) -> bool) {
        let all: Vec<_> = AccessKind::all().filter(|kind| fits(&kind.spec())).collect();
        let kind = all[self.below(all.len())];
        let spec = kind.spec();
        let writes = spec.effect.writes();
        let surface = if writes { 1 } else { self.below(2) };
        let (param, ty) = match spec.memory {
            MemoryKind::Surface | MemoryKind::Surface3d if let Carries::Texels(channels) = spec.carries => {
                let elems = [ElemType::U32, ElemType::I32, ElemType::F32];
                let elems = elems.into_iter().filter(|elem| spec.takes(*elem)).collect::<Vec<_>>();
                let elem = elems[self.below(elems.len())];
                let first = match spec.memory {
                    MemoryKind::Surface3d => FIRST_SLICES,
                    _ => FIRST_TEXELS,
                };
                (first + surface, Type::new(elem, channels.count(), 1 << self.below(6)))
            }
            MemoryKind::Surface | MemoryKind::Surface3d => (surface, self.media_block(writes)),
            MemoryKind::Buffer => {
                let fits = |n: &usize| (!writes || *n > 0) && spec.takes(BUFFERS[*n]);
                let buffers: Vec<usize> = (0..BUFFERS.len()).filter(fits).collect();
                let n = buffers[self.below(buffers.len())];
                (FIRST_BUFFER + n, self.carried(spec.carries, writes, BUFFERS[n]))
            }
        };
        let mut operands = vec![];
        for operand in spec.types() {
            operands.push(match operand {
                AccessOperand::One(ElemType::U32) => self.near(Type::scalar(ElemType::U32)),
                AccessOperand::One(elem) => self.of(Type::scalar(elem)),
                AccessOperand::Each(elem) => self.near(ty.with_elem(elem)),
                AccessOperand::Column(elem) => self.near(Type::new(elem, 1, ty.columns)),
                AccessOperand::Data => self.of(ty),
            });
        }
        let op = Op::Access { kind, param, operands };
        if op.has_result() {
            self.value(op, ty);
        } else {
            self.effect(op, ty);
        }
    }

    /// A block that a media message takes; of one that is written rows are whole dwords.
    fn media_block(&mut self, writes: bool) -> Type {
        let elem = self.elem();
        let dwords = 1 + self.below(limits::MEDIA_WIDTH / limits::DWORD);
        let columns = (dwords * limits::DWORD / elem.bytes()).max(1);
        let rows = 1 + self.below(limits::MEDIA_BYTES / limits::media_pitch(columns * elem.bytes()));
        let narrower = usize::from(!writes && columns > 1 && self.flip());
        Type::new(elem, rows, columns - narrower)
    }

    /// What a message to a buffer carries.
    fn carried(&mut self, carries: Carries, writes: bool, elem: ElemType) -> Type {
        match carries {
            Carries::Owords => {
                let (least, most) = (limits::OWORD / elem.bytes(), limits::OWORD_BLOCK / elem.bytes());
                let all: Vec<usize> = (least..=most)
                    .filter(|columns| !writes || limits::oword_write(columns * elem.bytes()).is_ok())
                    .collect();
                Type::new(elem, 1, all[self.below(all.len())])
            }
            Carries::Dwords => Type::new(elem, 1, (limits::DWORD << self.below(7)) / elem.bytes()),
            Carries::Block2d(form) => {
                let fits = |rows: usize, columns: usize| {
                    let fits = limits::load_2d(form, elem.bytes(), rows, columns).is_ok();
                    fits && (!writes || limits::store_2d(elem.bytes(), rows, columns).is_ok())
                };
                let all = (1..=32).flat_map(|rows| (1..=32).map(move |columns| (rows, columns)));
                let all: Vec<_> = all.filter(|(rows, columns)| fits(*rows, *columns)).collect();
                let (rows, columns) = all[self.below(all.len())];
                Type::new(elem, rows, columns)
            }
            Carries::Vectors => Type::new(elem, [2, 3, 4, 8][self.below(4)], 1 << self.below(6)),
            Carries::MediaBlock | Carries::Texels(_) | Carries::Lanes | Carries::AtomicLanes => {
                self.lanes(elem)
            }
        }
    }

    /// An offset or element number that is inside more often than not.
    fn near(&mut self, ty: Type) -> Value {
        let x = self.of(ty);
        if self.below(4) == 0 {
            return x;
        }
        let most = self.value(Op::Constant(Bits::Splat(511)), ty);
        self.value(Op::map(MapKind::And, ty.elem().unwrap(), &[x, most]), ty)
    }

    /// A vector of a scattered message.
    fn lanes(&mut self, elem: ElemType) -> Type {
        let shapes = [(1, 1), (1, 2), (2, 2), (1, 8), (4, 4), (1, 32)];
        let (rows, columns) = shapes[self.below(shapes.len())];
        Type::new(elem, rows, columns)
    }
}
