//! The operations on arrays.

use super::{Cpu, Environment, Place, SurfaceAccess, buffer};
use crate::backend::{Alignment, Axis, Backend, Offset, Region};
use crate::elem::{Elem, Int};
use crate::limits::Violation;
use crate::ops::{AtomicKind, BinaryOp, UnaryOp};
use crate::stage::Stored;

type Rows<T, const R: usize, const C: usize> = [[T; C]; R];

/// Element by element, by a loop that the compiler sees whole: closures would stay functions of their own,
/// compiled for the baseline instruction set.
macro_rules! map {
    ($rows:expr, |$($x:ident of $source:ident),+| $value:expr) => {{
        let mut rows = [[Default::default(); C]; R];
        for r in 0..R {
            for c in 0..C {
                $(let $x = $source[r][c];)+
                rows[r][c] = $value;
            }
        }
        rows
    }};
}

#[inline(always)]
fn position<E: Environment>(offset: Offset<Cpu<E>>) -> usize {
    match offset {
        Offset::Host(at) => at,
        Offset::Staged([[at]]) => at as usize,
    }
}

impl<E: Environment> Backend for Cpu<E> {
    type Reg<T: Elem, const R: usize, const C: usize> = Rows<T, R, C>;
    type Cond = bool;
    type Place<'a> = Place<'a>;
    type Surface = E::Surface;
    type Buffer = E::Buffer;
    type Branch = Option<bool>;
    type Loop = ();

    #[inline(always)]
    fn constant<T: Elem, const R: usize, const C: usize>(x: Rows<T, R, C>) -> Rows<T, R, C> {
        x
    }

    #[inline(always)]
    fn splat<T: Elem, const R: usize, const C: usize>([[x]]: Rows<T, 1, 1>) -> Rows<T, R, C> {
        [[x; C]; R]
    }

    #[inline(always)]
    fn unary<O: UnaryOp<T>, T: Elem, const R: usize, const C: usize>(
        x: Rows<T, R, C>,
    ) -> Rows<O::Output, R, C> {
        map!(R, |e of x| O::apply(e))
    }

    #[inline(always)]
    fn binary<O: BinaryOp<P>, P: Elem, T: Elem, V: Elem, const R: usize, const C: usize>(
        a: Rows<T, R, C>,
        b: Rows<V, R, C>,
    ) -> Rows<O::Output, R, C> {
        map!(R, |x of a, y of b| O::apply(P::cast_from(x), P::cast_from(y)))
    }

    #[inline(always)]
    fn convert<T: Elem, V: Elem, const R: usize, const C: usize>(x: Rows<T, R, C>) -> Rows<V, R, C> {
        map!(R, |e of x| V::cast_from(e))
    }

    #[inline(always)]
    fn saturate<T: Elem, V: Elem, const R: usize, const C: usize>(x: Rows<T, R, C>) -> Rows<V, R, C> {
        map!(R, |e of x| V::saturate_from(e))
    }

    #[inline(always)]
    fn region<T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        x: &Rows<T, R, C>,
        region: Region<Self>,
    ) -> Rows<T, R2, C2> {
        let elements = x.as_flattened();
        let at = position(region.offset);
        let mut rows = [[T::default(); C2]; R2];
        if region.width == C2 {
            for (r, row) in rows.iter_mut().enumerate() {
                let start = at + r * region.row_stride;
                if region.column_stride == 1 {
                    row.copy_from_slice(&elements[start..start + C2]);
                } else {
                    for (c, e) in row.iter_mut().enumerate() {
                        *e = elements[start + c * region.column_stride];
                    }
                }
            }
        } else {
            for (n, e) in rows.as_flattened_mut().iter_mut().enumerate() {
                *e = elements
                    [at + n / region.width * region.row_stride + n % region.width * region.column_stride];
            }
        }
        rows
    }

    #[inline(always)]
    fn iselect<T: Elem, const R: usize, const C: usize, const N: usize>(
        x: &Rows<T, R, C>,
        [index]: Rows<u32, 1, N>,
    ) -> Rows<T, 1, N> {
        let elements = x.as_flattened();
        let mut picked = [T::default(); N];
        for (e, i) in picked.iter_mut().zip(index) {
            *e = elements[(i as usize).min(elements.len() - 1)];
        }
        [picked]
    }

    #[inline(always)]
    fn format<T: Elem, V: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        x: &Rows<T, R, C>,
    ) -> Rows<V, R2, C2> {
        let mut rows = [[V::default(); C2]; R2];
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(rows.as_flattened_mut());
        let source: &[u8] = bytemuck::cast_slice(x.as_flattened());
        let len = bytes.len().min(source.len());
        bytes[..len].copy_from_slice(&source[..len]);
        rows
    }

    #[inline(always)]
    fn merge<M: Int, T: Elem, const R: usize, const C: usize>(
        mask: Rows<M, R, C>,
        x: Rows<T, R, C>,
        y: Rows<T, R, C>,
    ) -> Rows<T, R, C> {
        let one = M::cast_from(1u8);
        map!(R, |m of mask, a of x, b of y| if M::and(m, one) == one { a } else { b })
    }

    #[inline(always)]
    fn unpack_mask<const R: usize, const C: usize>([[bits]]: Rows<u32, 1, 1>) -> Rows<u16, R, C> {
        let mut rows = [[0; C]; R];
        for (k, e) in rows.as_flattened_mut().iter_mut().enumerate().take(32) {
            *e = (bits >> k & 1) as u16;
        }
        rows
    }

    #[inline(always)]
    fn any<T: Elem, const R: usize, const C: usize>(x: Rows<T, R, C>) -> bool {
        x.as_flattened().iter().any(|&e| e != T::default())
    }

    #[inline(always)]
    fn all<T: Elem, const R: usize, const C: usize>(x: Rows<T, R, C>) -> bool {
        x.as_flattened().iter().all(|&e| e != T::default())
    }

    #[inline(always)]
    fn undefined<T: Elem, const R: usize, const C: usize>() -> Rows<T, R, C> {
        [[T::default(); C]; R]
    }

    #[inline(always)]
    fn variable<T: Elem, const R: usize, const C: usize>(init: Rows<T, R, C>) -> Rows<T, R, C> {
        init
    }

    #[inline(always)]
    fn load<T: Elem, const R: usize, const C: usize>(x: &Rows<T, R, C>) -> Rows<T, R, C> {
        *x
    }

    #[inline(always)]
    fn store<T: Elem, const R: usize, const C: usize>(x: &mut Rows<T, R, C>, value: Rows<T, R, C>) {
        *x = value;
    }

    #[inline(always)]
    fn place<T: Elem, const R: usize, const C: usize>(x: &mut Rows<T, R, C>) -> Place<'_> {
        Place::whole(x)
    }

    #[inline(always)]
    fn narrow<'a, T: Elem>(place: Self::Place<'a>, columns: usize, region: Region<Self>) -> Self::Place<'a> {
        place.narrow(columns, position(region.offset), region.row_stride, region.column_stride)
    }

    #[inline(always)]
    fn format_place<'a, T: Elem>(place: Self::Place<'a>, columns: usize) -> Self::Place<'a> {
        place.format::<T>(columns)
    }

    #[inline(always)]
    fn load_place<T: Elem, const R: usize, const C: usize>(place: &Place<'_>) -> Rows<T, R, C> {
        place.load()
    }

    #[inline(always)]
    fn store_place<T: Elem, const R: usize, const C: usize>(place: &mut Place<'_>, value: Rows<T, R, C>) {
        place.store(&value);
    }

    #[inline(always)]
    fn branch(condition: bool) -> Option<bool> {
        Some(condition)
    }

    #[inline(always)]
    fn arm(branch: &mut Option<bool>) -> Option<bool> {
        branch.take()
    }

    #[inline(always)]
    fn begin_loop() {}

    #[inline(always)]
    fn enter_loop((): &mut ()) -> bool {
        true
    }

    #[inline(always)]
    fn test_loop((): &mut (), condition: bool) -> bool {
        condition
    }

    #[inline(always)]
    fn thread_origin(axis: Axis) -> Rows<u32, 1, 1> {
        let [x, y] = E::thread_origin();
        match axis {
            Axis::X => [[x]],
            Axis::Y => [[y]],
        }
    }

    #[inline(always)]
    fn media_read<T: Elem, const R: usize, const C: usize>(
        surface: &E::Surface,
        [[x]]: Rows<i32, 1, 1>,
        [[y]]: Rows<i32, 1, 1>,
    ) -> Rows<T, R, C> {
        surface.enter_block(x, y, C * T::TYPE.bytes(), R, false);
        let mut rows = [[T::default(); C]; R];
        for (r, row) in rows.iter_mut().enumerate() {
            surface.read_row(x, y.saturating_add(r as i32), bytemuck::cast_slice_mut(row));
        }
        rows
    }

    #[inline(always)]
    fn media_write<T: Elem, const R: usize, const C: usize>(
        surface: &mut E::Surface,
        [[x]]: Rows<i32, 1, 1>,
        [[y]]: Rows<i32, 1, 1>,
        block: Rows<T, R, C>,
    ) {
        surface.enter_block(x, y, C * T::TYPE.bytes(), R, true);
        for (r, row) in block.iter().enumerate() {
            surface.write_row(x, y.saturating_add(r as i32), bytemuck::cast_slice(row));
        }
    }

    #[inline(always)]
    fn oword_read<T: Elem, const N: usize>(
        memory: &E::Buffer,
        alignment: Alignment,
        [[offset]]: Rows<u32, 1, 1>,
    ) -> Rows<T, 1, N> {
        [buffer::read_block(memory, alignment, offset)]
    }

    #[inline(always)]
    fn oword_write<T: Elem, const R: usize, const C: usize>(
        memory: &mut E::Buffer,
        [[offset]]: Rows<u32, 1, 1>,
        block: Rows<T, R, C>,
    ) {
        buffer::write_block(memory, offset, block.as_flattened());
    }

    #[inline(always)]
    fn gather<T: Elem, const N: usize>(memory: &E::Buffer, [elements]: Rows<u32, 1, N>) -> Rows<T, 1, N> {
        [buffer::gather(memory, elements)]
    }

    #[inline(always)]
    fn scatter<T: Elem, const N: usize>(
        memory: &mut E::Buffer,
        [elements]: Rows<u32, 1, N>,
        [values]: Rows<T, 1, N>,
    ) {
        buffer::scatter(memory, elements, values);
    }

    #[inline(always)]
    fn atomic<T: Int, const N: usize>(
        memory: &mut E::Buffer,
        kind: AtomicKind,
        [elements]: Rows<u32, 1, N>,
        sources: [Option<Rows<T, 1, N>>; 2],
    ) -> Rows<T, 1, N> {
        let [source, compare] = sources.map(|source| source.map_or([T::default(); N], |[source]| source));
        [buffer::atomic(memory, kind, elements, source, compare)]
    }

    #[track_caller]
    fn violation(violation: Violation) {
        panic!("{violation}");
    }
}

impl<E: Environment> Stored<Cpu<E>> for bool {
    type Name = bool;

    #[inline(always)]
    fn declare(self) -> bool {
        self
    }

    #[inline(always)]
    fn undefined() -> bool {
        false
    }

    #[inline(always)]
    fn load(&self) -> bool {
        *self
    }

    #[inline(always)]
    fn put(&mut self, value: bool) {
        *self = value;
    }
}
