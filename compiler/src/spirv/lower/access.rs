//! Memory accesses, each lowered to the messages of the target.

use crate::elem::ElemType;
use crate::ir::{Inst, ParamKind, SharedArray, Type, Value};
use crate::limits;
use crate::ops::{AccessKind, Address, Alignment, Caching, Carries, ChannelMask, Dims};

use super::lowering::{Lowering, Result};
use super::vectors::Scattered;
use crate::spirv::emit::buffer::{Cache, CacheMemory};
use crate::spirv::emit::cached::Cached;
use crate::spirv::emit::media::MediaBlock;
use crate::spirv::emit::typed::Texels;
use crate::spirv::error::LowerError;
use crate::spirv::facts::cached_params::has_hints;
use crate::spirv::facts::hazard::Hazard;
use crate::spirv::module::Val;
use crate::spirv::passes::atomic::{self, Form};
use crate::spirv::types::Ty;

/// An access with the values of its operands.
struct Accessed<'a> {
    kind: AccessKind,
    param: usize,
    /// The surface or the buffer.
    memory: Val,
    /// The shared array, if the memory is one.
    array: Option<SharedArray>,
    operands: &'a [Value],
    vals: Vec<Val>,
    inst: &'a Inst,
}

impl Lowering<'_> {
    /// Lowers an access to memory. Returns its result, if it has one.
    pub(crate) fn access(
        &mut self,
        kind: AccessKind,
        param: usize,
        operands: &[Value],
        inst: &Inst,
    ) -> Result<Option<Val>> {
        let spec = kind.spec();
        if self.order.needs_fence(self.builder.current(), param, kind) {
            self.memory_fence();
        }
        if spec.address == Address::Pitched {
            return self.block_2d(inst);
        }
        let memory = self.memory(param, spec.memory)?;
        let array = self.function.shared().find(|array| array.param == param);
        let mut vals = operands.iter().map(|x| self.val(*x)).collect::<Result<Vec<_>>>()?;
        for (val, _) in vals.iter_mut().zip(operands).filter(|(_, x)| self.overwritten.rows(**x)) {
            *val = self.builder.copied_rows(*val);
        }
        let access = &Accessed { kind, param, memory, array, operands, vals, inst };
        match spec.carries {
            Carries::MediaBlock => self.media_access(access),
            Carries::Owords => self.oword_access(access),
            Carries::Dwords => self.dword_access(access),
            Carries::Lanes | Carries::Vectors => self.element_access(access),
            Carries::AtomicLanes => self.atomic_access(access),
            Carries::Texels(_) => self.texel_access(access),
            Carries::Block2d(_) => Err(self.misfit(access)),
        }
    }

    /// The error for an access with operands of another one.
    fn misfit(&self, access: &Accessed<'_>) -> LowerError {
        self.malformed(format!("{} operands of `{}`", access.vals.len(), access.kind.spec().name))
    }

    /// A block of a surface.
    fn media_access(&mut self, access: &Accessed<'_>) -> Result<Option<Val>> {
        let Accessed { memory, .. } = *access;
        let ty = Ty::from(access.inst.ty);
        Ok(match access.kind {
            AccessKind::MediaRead => {
                let [x, y] = access.vals[..] else { return Err(self.misfit(access)) };
                let block = self.media(access.inst.ty)?;
                let read = self.builder.media_read(memory, x, y, block, ty);
                self.builder.read.insert(read.id);
                Some(read)
            }
            AccessKind::MediaWrite => {
                let [x, y, data] = access.vals[..] else { return Err(self.misfit(access)) };
                let block = self.media(access.inst.ty)?;
                if data.ty.count != access.inst.ty.count() && !block.is_padded(data.ty) {
                    return Err(self.malformed("a block that is not what is written"));
                }
                let apart = self.moved_bytes.contains(access.operands[2], None);
                self.builder.media_write(memory, (x, y), (block, apart), data);
                None
            }
            _ => return Err(self.misfit(access)),
        })
    }

    /// A block of owords of a buffer.
    fn oword_access(&mut self, access: &Accessed<'_>) -> Result<Option<Val>> {
        let Accessed { param, memory, array, .. } = *access;
        let ty = Ty::from(access.inst.ty);
        Ok(match access.kind {
            AccessKind::OwordRead | AccessKind::OwordReadDwaligned => {
                let (&[offset], Address::Bytes { alignment }) =
                    (&access.vals[..], access.kind.spec().address)
                else {
                    return Err(self.misfit(access));
                };
                let aligned = self.is_multiple(access.operands[0], alignment.bytes())?;
                Some(match array {
                    Some(array) => self.shared_read(access.operands[0], (alignment, aligned), array, ty)?,
                    None if self.loads_owords(param, ty) => {
                        let block = self.plain(memory, offset, (alignment, aligned));
                        self.builder.cached_load(block, ty, Hazard::default())
                    }
                    None => self.builder.oword_read(memory, alignment, (offset, aligned), ty),
                })
            }
            AccessKind::OwordWrite => {
                let [offset, block] = access.vals[..] else { return Err(self.misfit(access)) };
                match array {
                    Some(array) => {
                        self.shared_write(access.operands[0], (Alignment::Oword, true), array, block)?;
                    }
                    None if self.loads_owords(param, block.ty) => {
                        let aligned = self.is_multiple(access.operands[0], limits::OWORD)?;
                        let place = self.plain(memory, offset, (Alignment::Oword, aligned));
                        self.builder.cached_store(place, block, Hazard::default());
                    }
                    None => self.builder.oword_write(memory, offset, block),
                }
                None
            }
            _ => return Err(self.misfit(access)),
        })
    }

    /// A block of dwords of a buffer.
    fn dword_access(&mut self, access: &Accessed<'_>) -> Result<Option<Val>> {
        let Accessed { param, memory, array, .. } = *access;
        let ty = Ty::from(access.inst.ty);
        Ok(match access.kind {
            AccessKind::Load(_)
                if access.inst.result.is_some_and(|result| self.long_blocks.contains(result)) =>
            {
                let [offset] = access.vals[..] else { return Err(self.misfit(access)) };
                let addresses = self.long_blocks.addresses(&mut self.builder, access.operands[0], offset);
                let read = self.builder.read_long_block(memory, addresses, ty);
                self.builder.read.insert(read.id);
                Some(read)
            }
            AccessKind::Store(_)
                if access.operands.last().is_some_and(|data| self.long_blocks.contains(*data)) =>
            {
                let [offset, data] = access.vals[..] else { return Err(self.misfit(access)) };
                let addresses = self.long_blocks.addresses(&mut self.builder, access.operands[0], offset);
                self.builder.write_long_block(memory, addresses, data);
                None
            }
            AccessKind::Load(hints) => {
                let [offset] = access.vals[..] else { return Err(self.misfit(access)) };
                let (block, hazard) =
                    self.dword_block((memory, param), (access.operands[0], offset), hints.caches())?;
                let place = (Alignment::Dword, block.aligned);
                Some(match array {
                    Some(array) => self.shared_read(access.operands[0], place, array, ty)?,
                    None if self.has_message(ty) => self.builder.cached_load(block, ty, hazard),
                    None => self.builder.load_owords(block, ty, hazard),
                })
            }
            AccessKind::Store(hints) => {
                let [offset, data] = access.vals[..] else { return Err(self.misfit(access)) };
                let (block, hazard) =
                    self.dword_block((memory, param), (access.operands[0], offset), hints.caches())?;
                match array {
                    Some(array) => {
                        self.shared_write(
                            access.operands[0],
                            (Alignment::Dword, block.aligned),
                            array,
                            data,
                        )?;
                    }
                    None if self.has_message(data.ty) => self.builder.cached_store(block, data, hazard),
                    None => self.builder.store_scattered(block, data, hazard),
                }
                None
            }
            AccessKind::Prefetch(hints) => {
                let [offset] = access.vals[..] else { return Err(self.misfit(access)) };
                if array.is_none() && self.has_message(ty) {
                    let (block, hazard) =
                        self.dword_block((memory, param), (access.operands[0], offset), hints.caches())?;
                    self.builder.cached_prefetch(block, ty.bytes(), hazard);
                }
                None
            }
            _ => return Err(self.misfit(access)),
        })
    }

    /// Elements of a buffer, or vectors of them.
    fn element_access(&mut self, access: &Accessed<'_>) -> Result<Option<Val>> {
        let Accessed { kind, param, memory, array, .. } = *access;
        let ty = Ty::from(access.inst.ty);
        Ok(match access.kind {
            AccessKind::Gather(hints) => {
                let [_] = access.vals[..] else { return Err(self.misfit(access)) };
                let elements = self.elements(access.operands[0], ty.elem_bytes(), array)?;
                let form = self.scattered(kind, param, ty.elem_bytes());
                Some(self.gather((memory, array), form, elements, hints.caches(), ty))
            }
            AccessKind::Scatter(hints) => {
                let [_, values] = access.vals[..] else { return Err(self.misfit(access)) };
                let elements = self.elements(access.operands[0], ty.elem_bytes(), array)?;
                let form = self.scattered(kind, param, ty.elem_bytes());
                self.scatter((memory, array), form, elements, hints.caches(), values);
                None
            }
            AccessKind::GatherVectors(hints) => {
                let [_] = access.vals[..] else { return Err(self.misfit(access)) };
                let form = self.scattered(kind, param, ty.elem_bytes());
                Some(self.gather_vectors(
                    (memory, array),
                    form,
                    access.operands[0],
                    hints.caches(),
                    access.inst.ty,
                )?)
            }
            AccessKind::ScatterVectors(hints) => {
                let [_, values] = access.vals[..] else { return Err(self.misfit(access)) };
                let form = self.scattered(kind, param, ty.elem_bytes());
                let data = (values, access.inst.ty);
                self.scatter_vectors((memory, array), form, access.operands[0], hints.caches(), data)?;
                None
            }
            AccessKind::PrefetchElements(hints) => {
                let [_] = access.vals[..] else { return Err(self.misfit(access)) };
                if array.is_none() && self.target.has_cache() {
                    let elements = self.elements(access.operands[0], ty.elem_bytes(), array)?;
                    let of = (ty.count, ty.elem_bytes());
                    self.builder.cached_gather_prefetch(memory, elements, hints.caches(), of);
                }
                None
            }
            _ => return Err(self.misfit(access)),
        })
    }

    /// An atomic operation on elements of a buffer.
    fn atomic_access(&mut self, access: &Accessed<'_>) -> Result<Option<Val>> {
        let Accessed { kind, param, memory, array, .. } = *access;
        let ty = Ty::from(access.inst.ty);
        let AccessKind::Atomic(operation, hints) = kind else { return Err(self.misfit(access)) };
        let (&[_, ref sources @ ..], Some(elem)) = (&access.vals[..], access.inst.ty.elem()) else {
            return Err(self.misfit(access));
        };
        let elements = self.elements(access.operands[0], elem.bytes(), array)?;
        let hinted = self.scattered(kind, param, elem.bytes()) == Scattered::Cached;
        let caches = if hinted { hints.caches() } else { [Caching::Default; 2] };
        Ok(Some(match atomic::form(operation, elem, array.is_some(), self.target) {
            Form::Dword(message) if !hinted => {
                self.builder.atomic_dwords(message, memory, elements, sources, ty)
            }
            Form::Dword(_) => {
                let cache = Cache { operation: atomic::cache(operation, elem), caches };
                self.builder.atomic_cached(cache, CacheMemory::Buffer(memory), elements, sources, ty)
            }
            Form::Cache(operation) => {
                let cache = Cache { operation, caches };
                let place = array.map_or(CacheMemory::Buffer(memory), |_| CacheMemory::Shared);
                self.builder.atomic_cached(cache, place, elements, sources, ty)
            }
            Form::Missing => return Err(self.missing(atomic::missing(elem, array.is_some()))),
            Form::Repeated => return Err(self.malformed("an atomic operation that is not spelt out")),
        }))
    }

    /// Texels of a surface.
    fn texel_access(&mut self, access: &Accessed<'_>) -> Result<Option<Val>> {
        let Accessed { memory, .. } = *access;
        let ty = Ty::from(access.inst.ty);
        Ok(match access.kind {
            AccessKind::TypedRead(dims, channels) => {
                let Some((texels, [])) = self.texels(memory, dims, channels, &access.vals) else {
                    return Err(self.misfit(access));
                };
                Some(self.builder.typed_read(texels, ty))
            }
            AccessKind::TypedWrite(dims, channels) => {
                let Some((texels, &[values])) = self.texels(memory, dims, channels, &access.vals) else {
                    return Err(self.misfit(access));
                };
                self.builder.typed_write(texels, values);
                None
            }
            AccessKind::TypedAtomic(dims, kind) => {
                let texels = self.texels(memory, dims, ChannelMask::RED, &access.vals);
                let (Some((texels, sources)), Some(elem)) = (texels, access.inst.ty.elem()) else {
                    return Err(self.misfit(access));
                };
                let message = atomic::typed(kind, elem, self.target)
                    .ok_or_else(|| self.missing(atomic::missing_typed()))?;
                Some(self.builder.typed_atomic(message, texels, sources, ty))
            }
            _ => return Err(self.misfit(access)),
        })
    }

    /// How elements of so many bytes are accessed.
    fn scattered(&self, kind: AccessKind, param: usize, bytes: usize) -> Scattered {
        let long = bytes > limits::DWORD || kind.spec().carries == Carries::Vectors;
        if self.target.has_cache() && self.cached_params.contains(&param) && (long || has_hints(kind)) {
            Scattered::Cached
        } else if bytes > limits::DWORD {
            Scattered::Halves
        } else {
            Scattered::Plain
        }
    }

    /// The texels that an access addresses, and its other operands.
    fn texels<'v>(
        &self,
        surface: Val,
        dims: Dims,
        channels: ChannelMask,
        vals: &'v [Val],
    ) -> Option<(Texels, &'v [Val])> {
        let (place, slices, rest) = match (dims, vals) {
            (Dims::Two, &[u, v, ref rest @ ..]) => ([u, v], None, rest),
            (Dims::Three, &[u, v, r, ref rest @ ..]) => ([u, v], Some(r), rest),
            _ => return None,
        };
        Some((Texels { surface, channels, place, slices, target: self.target }, rest))
    }

    /// Whether a number is known to be a multiple of another.
    pub(crate) fn is_multiple(&self, x: Value, of: usize) -> Result<bool> {
        let def = self.def(x)?;
        // A known number is a multiple of itself.
        Ok(def.known.map_or(def.multiple, |bits| bits as usize).is_multiple_of(of))
    }

    /// Whether the target accesses blocks of this type through its load/store cache. A block of one dword is
    /// gathered instead.
    fn has_message(&self, ty: Ty) -> bool {
        self.target.has_cache() && ty.bytes() > limits::DWORD
    }

    /// Whether oword blocks of this buffer go through the load/store cache, whose messages have no header.
    fn loads_owords(&self, param: usize, ty: Ty) -> bool {
        self.has_message(ty) && ty.bytes().is_power_of_two() && self.cached_params.contains(&param)
    }

    /// The place of a block of dwords, from its offset.
    fn dword_block(
        &self,
        (buffer, param): (Val, usize),
        (start, offset): (Value, Val),
        caches: [Caching; 2],
    ) -> Result<(Cached, Hazard)> {
        let aligned = self.is_multiple(start, limits::DWORD)?;
        let own = match self.function.params.get(param).map(|param| &param.kind) {
            Some(ParamKind::Buffer { elem, .. }) => elem.bytes(),
            _ => 1,
        };
        // Intel's compiler refuses so many registers of 32 bytes.
        let qwords = self.target.register_bytes() == 64
            && own == limits::QWORD
            && self.is_multiple(start, limits::QWORD)?;
        Ok((Cached { buffer, offset, aligned, qwords, caches }, self.hazards.value(start)))
    }

    /// A block without cache hints.
    fn plain(&mut self, buffer: Val, offset: Val, alignment: (Alignment, bool)) -> Cached {
        let offset = self.builder.rounded(offset, alignment);
        Cached { buffer, offset, aligned: true, qwords: false, caches: [Caching::Default; 2] }
    }

    fn media(&self, ty: Type) -> Result<MediaBlock> {
        let size = ty.elem().map_or(1, ElemType::bytes);
        let block = MediaBlock { rows: ty.rows, columns: ty.columns, size };
        limits::media_block(block.rows, block.width())
            .map(|()| block)
            .map_err(|violation| self.broken(violation))
    }
}
