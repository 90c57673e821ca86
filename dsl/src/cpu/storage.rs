//! The storage of matrices and vectors that stay in their surface or buffer.
#![allow(unsafe_code)]

use std::marker::PhantomData;

use cm_macros::inlined;

use super::arrays::Lanes;
use super::environment::{Cpu, Environment};
use super::in_place::InPlace;
use super::readable::Kept;
use super::views::{Lane, ViewInPlace};
use super::{concat, regions, strided};
use crate::backend::{Bounds, Region, Storage, convert};
use crate::elem::{Elem, is_long};

/// The rows of regions are parts of rows: the macros take blocks of which others are taken to registers.
impl<'a, E: Environment, K: Kept, const N: usize> Storage<Cpu<E, N>> for InPlace<'a, K, N> {
    type Reg<T: Elem, const R: usize, const C: usize> = Self;
    type View<'b, T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize> =
        ViewInPlace<'a, E, K, T, N, C, R2, C2>;

    #[inlined]
    fn load<T: Elem, const R: usize, const C: usize>(block: &Self) -> Self {
        *block
    }

    #[inlined]
    fn region<T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        block: &Self,
        region: Region<Cpu<E, N>>,
    ) -> Lanes<T, N, R2, C2> {
        let Region { offset, row_stride, width, column_stride } = region;
        assert!(
            width == C2 && (R2 == 1 || row_stride.is_multiple_of(C)),
            "blocks read in place have regions whose rows are parts of theirs"
        );
        let (blocks, rows) =
            (block.from(regions::positions(offset), C, size_of::<T>()).readable(), row_stride / C);
        if column_stride == 1 {
            return concat::windowed::<E, T, N, R2, C2>(blocks, rows);
        }
        macro_rules! strided {
            ($word:ty) => {
                if const { strided::fit::<$word, T>(C2, C) }
                    && column_stride * size_of::<T>() == size_of::<$word>()
                    && let Some(lanes) = strided::windowed::<E, $word, T, N, R2, C2>(&blocks, rows)
                {
                    return lanes;
                }
            };
        }
        strided!(u16);
        strided!(u32);
        strided!(u64);
        strided::picked(&blocks, rows, column_stride)
    }

    #[inlined]
    fn view<'b, T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        block: &'b Self,
        region: Region<Cpu<E, N>>,
    ) -> ViewInPlace<'a, E, K, T, N, C, R2, C2> {
        ViewInPlace { block: *block, region, elements: PhantomData }
    }

    #[inlined]
    fn viewed<T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        view: ViewInPlace<'a, E, K, T, N, C, R2, C2>,
    ) -> Lanes<T, N, R2, C2> {
        <Self as Storage<Cpu<E, N>>>::region::<T, R, C, R2, C2>(&view.block, view.region)
    }

    #[inlined]
    fn begin_view<T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        view: &ViewInPlace<'a, E, K, T, N, C, R2, C2>,
    ) {
        view.begin();
    }

    #[inlined]
    fn view_is_apart<T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        view: &ViewInPlace<'a, E, K, T, N, C, R2, C2>,
        columns: usize,
    ) -> bool {
        view.is_apart(columns)
    }

    #[inlined]
    fn bounds_of_view<T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        view: &ViewInPlace<'a, E, K, T, N, C, R2, C2>,
    ) -> Bounds {
        view.block.bounds().converted::<T>()
    }

    #[inlined]
    fn element_of_view<T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        view: &ViewInPlace<'a, E, K, T, N, C, R2, C2>,
        lane: Lane<N, R2, C2>,
    ) -> T {
        // SAFETY: only `trees` and `strips` have lanes, and give them to operands, which are sealed, right after `begin_view`.
        // Where blocks are in surfaces, lanes are made of rows, threads and columns, or are in the rows of all threads, after
        // `view_is_apart`.
        unsafe { view.element(lane) }
    }

    #[inlined]
    fn part<T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        block: &Self,
        region: Region<Cpu<E, N>>,
    ) -> Self {
        let Region { offset, row_stride, width, column_stride } = region;
        assert!(
            width == C2 && column_stride == 1 && (R2 == 1 || row_stride == C),
            "a part of a block has neighbouring rows and columns"
        );
        block.from(regions::positions(offset), C, size_of::<T>())
    }

    #[inlined]
    fn whole<T: Elem, const R: usize, const C: usize>(block: &Self) -> ViewInPlace<'a, E, K, T, N, C, R, C> {
        <Self as Storage<Cpu<E, N>>>::view::<T, R, C, R, C>(block, Region::whole(C))
    }

    #[inlined]
    fn loaded<T: Elem, const R: usize, const C: usize>(block: &Self) -> Lanes<T, N, R, C> {
        <Self as Storage<Cpu<E, N>>>::region::<T, R, C, R, C>(block, Region::whole(C))
    }

    #[inlined]
    fn row<T: Elem, const R: usize, const C: usize>(block: &Self, row: Region<Cpu<E, N>>) -> Self {
        block.from(regions::positions(row.offset), C, size_of::<T>())
    }
}

/// Elements of type `V`, stored as `S` stores them, which are converted when regions are read: registers of
/// the wider type, whose rows seldom start where vectors do, would be written and read again for every region.
#[derive(Clone, Copy, Debug)]
pub struct Converted<S, V>(PhantomData<(S, V)>);

impl<E: Environment, V: Elem, const N: usize, S: Storage<Cpu<E, N>>> Storage<Cpu<E, N>> for Converted<S, V> {
    type Reg<T: Elem, const R: usize, const C: usize> = S::Reg<V, R, C>;
    type View<'b, T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize> =
        S::View<'b, V, R, C, R2, C2>;
    const IN_MEMORY: bool = S::IN_MEMORY;
    const FROM_SHORT: bool = !is_long::<V>() || S::FROM_SHORT;

    #[inlined]
    fn load<T: Elem, const R: usize, const C: usize>(x: &S::Reg<V, R, C>) -> S::Reg<V, R, C> {
        S::load::<V, R, C>(x)
    }

    #[inlined]
    fn region<T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        x: &S::Reg<V, R, C>,
        region: Region<Cpu<E, N>>,
    ) -> Lanes<T, N, R2, C2> {
        convert::<Cpu<E, N>, V, T, R2, C2>(S::region::<V, R, C, R2, C2>(x, region))
    }

    #[inlined]
    fn view<'a, T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        x: &'a S::Reg<V, R, C>,
        region: Region<Cpu<E, N>>,
    ) -> S::View<'a, V, R, C, R2, C2> {
        S::view::<V, R, C, R2, C2>(x, region)
    }

    #[inlined]
    fn viewed<T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        view: S::View<'_, V, R, C, R2, C2>,
    ) -> Lanes<T, N, R2, C2> {
        convert::<Cpu<E, N>, V, T, R2, C2>(S::viewed::<V, R, C, R2, C2>(view))
    }

    #[inlined]
    fn begin_view<T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        view: &S::View<'_, V, R, C, R2, C2>,
    ) {
        S::begin_view::<V, R, C, R2, C2>(view);
    }

    #[inlined]
    fn view_is_apart<T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        view: &S::View<'_, V, R, C, R2, C2>,
        columns: usize,
    ) -> bool {
        S::view_is_apart::<V, R, C, R2, C2>(view, columns)
    }

    #[inlined]
    fn bounds_of_view<T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        view: &S::View<'_, V, R, C, R2, C2>,
    ) -> Bounds {
        S::bounds_of_view::<V, R, C, R2, C2>(view).converted::<T>()
    }

    #[inlined]
    fn element_of_view<T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        view: &S::View<'_, V, R, C, R2, C2>,
        lane: Lane<N, R2, C2>,
    ) -> T {
        T::cast_from(S::element_of_view::<V, R, C, R2, C2>(view, lane))
    }

    #[inlined]
    fn part<T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        x: &S::Reg<V, R, C>,
        region: Region<Cpu<E, N>>,
    ) -> S::Reg<V, R2, C2> {
        S::part::<V, R, C, R2, C2>(x, region)
    }

    #[inlined]
    fn whole<T: Elem, const R: usize, const C: usize>(x: &S::Reg<V, R, C>) -> S::View<'_, V, R, C, R, C> {
        S::whole::<V, R, C>(x)
    }

    #[inlined]
    fn loaded<T: Elem, const R: usize, const C: usize>(x: &S::Reg<V, R, C>) -> Lanes<T, N, R, C> {
        convert::<Cpu<E, N>, V, T, R, C>(S::loaded::<V, R, C>(x))
    }

    #[inlined]
    fn row<T: Elem, const R: usize, const C: usize>(
        x: &S::Reg<V, R, C>,
        row: Region<Cpu<E, N>>,
    ) -> S::Reg<V, 1, C> {
        S::row::<V, R, C>(x, row)
    }
}
