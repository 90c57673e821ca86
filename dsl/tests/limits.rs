//! The limits as trait bounds are those of `cm_compiler::limits`: both are asked about the same sizes, on
//! both sides of every border.

use std::marker::PhantomData;

use cm_compiler::limits::{self, BlockForm, load_2d, store_2d};
use cm_dsl::address::ByteOffset;
use cm_dsl::cpu::Cpu;
use cm_dsl::elem::{Elem, f16};
use cm_dsl::limits::{
    AtomicElem, DwordBlock, Fits, FormatMatrix, Groups, IntegerMask, Len, LitBytes, Load2d, MediaRead,
    MediaWrite, NamedBarrierCount, OwordRead, OwordWrite, Pack, Plain, RegionHeight, RegionWidth, Replicate,
    ScatteredLanes, SelectElements, Shape, SimdLanes, Store2d, SubGroup, Transpose, TransposedElem,
    TransposedSide, VectorElem, VectorRows, Violation,
};
use cm_dsl::registers::{BarrierNumber, Lit, Offset, SelectOffset};

/// What a probe says where its bounds do not hold: a constant of the inherent `impl`, which has them, would
/// hide this one.
trait Otherwise {
    const HOLDS: bool = false;
}

/// Types with a constant `HOLDS`, which says whether bounds hold.
macro_rules! probes {
    ($($name:ident<$($param:ident)*; $($n:ident)*> where [$($bounds:tt)*];)*) => {$(
        struct $name<$($param,)* $(const $n: usize),*>(PhantomData<($($param,)*)>);

        impl<$($param,)* $(const $n: usize),*> Otherwise for $name<$($param,)* $($n),*> {}

        impl<$($param,)* $(const $n: usize),*> $name<$($param,)* $($n),*>
        where
            $($bounds)*
        {
            const HOLDS: bool = true;
        }
    )*};
}

probes! {
    Read<T; R C> where [T: Elem, Shape<R, C>: MediaRead<T>];
    Write<T; R C> where [T: Elem, Shape<R, C>: MediaWrite<T>];
    Region<T; R C> where [T: Elem, Len<C>: RegionWidth<T>, Len<R>: RegionHeight<T, C>];
    Transposed<T; R C> where [T: TransposedElem, Len<R>: TransposedSide, Len<C>: TransposedSide];
    Group<; N> where [Len<N>: SubGroup];
    Barriers<; N> where [Len<N>: NamedBarrierCount];
    Barrier<; I N> where [Lit<I>: Offset<BarrierNumber<N>, Cpu>];
    Lanes<; R C> where [Shape<R, C>: SimdLanes];
    BlockRead<T; N> where [T: Elem, Shape<1, N>: OwordRead<T>];
    BlockWrite<T; R C> where [T: Elem, Shape<R, C>: OwordWrite<T>];
    DwordBlockOf<T; R C> where [T: Elem, Shape<R, C>: DwordBlock<T>];
    Loaded2d<T F; R C> where [T: Elem, Shape<R, C>: Load2d<T, F>];
    Stored2d<T; R C> where [T: Elem, Shape<R, C>: Store2d<T>];
    BlockOffset<; I LOW ALIGNMENT> where [LitBytes<I, LOW>: Offset<ByteOffset<ALIGNMENT>, Cpu>];
    Scattered<; N> where [Shape<1, N>: ScatteredLanes];
    VectorsOf<; R N> where [Len<R>: VectorRows, Shape<1, N>: ScatteredLanes];
    VectorOf<T;> where [T: VectorElem];
    AtomicOf<T;> where [T: AtomicElem];
    Object<T; R C> where [T: Elem, Shape<R, C>: Fits<T>];
    Larger<T; FILE R C> where [T: Elem, Shape<R, C>: Fits<T, FILE>];
    Mask<; R C> where [Shape<R, C>: IntegerMask];
    Format<T V; R C R2 C2> where [T: Elem, V: Elem, Shape<R, C>: FormatMatrix<T, V, R2, C2>];
    Select<; N SIZE STRIDE> where [Shape<1, N>: SelectElements<SIZE, STRIDE>];
    SelectAt<; I N SIZE STRIDE> where [Lit<I>: Offset<SelectOffset<N, SIZE, STRIDE>, Cpu>];
    Grouped<; R C W> where [Shape<R, C>: Groups<W>];
    Repeat<; N REP VS W HS> where [Shape<1, N>: Replicate<REP, VS, W, HS>];
}

/// `$check` of all combinations of numbers, as `((() 1) 2)`.
macro_rules! all {
    ($check:ident $($numbers:tt)*) => { all!(@next $check () { $($numbers)* }) };
    (@next $check:ident $chosen:tt {}) => { $check! { $chosen } };
    (@next $check:ident $chosen:tt { $numbers:tt $($rest:tt)* }) => {
        all!(@each $check $chosen $numbers { $($rest)* })
    };
    (@each $check:ident $chosen:tt [$($number:literal)*] $rest:tt) => {
        $(all!(@next $check ($chosen $number) $rest);)*
    };
}

#[track_caller]
fn same(holds: bool, limit: Result<(), Violation>, sizes: &[usize]) {
    assert_eq!(holds, limit.is_ok(), "{sizes:?}: {limit:?}");
}

/// Whether blocks of `$r` x `$c` elements can be read and written, and are regions of the extension.
macro_rules! blocks {
    ($name:ident of $bytes:literal bytes, $t:ident: $rows:tt $columns:tt) => {
        mod $name {
            use super::*;

            type Block = (usize, usize, [bool; 3]);

            const BLOCKS: &[&[Block]] = blocks!(@rows $t $rows $columns);

            #[test]
            fn blocks() {
                for &(rows, columns, [read, write, region]) in BLOCKS.iter().copied().flatten() {
                    let width = columns * $bytes;
                    same(read, limits::media_block(rows, width), &[rows, columns]);
                    if rows > 0 {
                        // What is empty is reported where it is made.
                        same(write, limits::media_write(rows, width), &[rows, columns]);
                    }
                    same(region, limits::media_block_io(rows, width), &[rows, columns]);
                }
            }
        }
    };
    (@rows $t:ident [$($r:literal)*] $columns:tt) => { &[$(blocks!(@row $t $r $columns)),*] };
    (@row $t:ident $r:literal [$($c:literal)*]) => {
        &[$(($r, $c, [Read::<$t, $r, $c>::HOLDS, Write::<$t, $r, $c>::HOLDS, Region::<$t, $r, $c>::HOLDS])),*]
    };
}

blocks! {
    bytes of 1 bytes, u8: [
        0 1 4 5 8 9 16 17 32 33 64 65
    ] [
        1 2 3 4 5 7 8 9 12 15 16 17 20 28 31 32 33 36 60 63 64 65 68
    ]
}

blocks! {
    words of 2 bytes, u16: [
        0 1 4 5 8 9 16 17 32 33 64 65
    ] [
        1 2 3 4 5 6 7 8 9 10 15 16 17 18 31 32 33 34
    ]
}

blocks! {
    dwords of 4 bytes, f32: [
        0 1 4 5 8 9 16 17 32 33 64 65
    ] [
        1 2 3 4 5 7 8 9 15 16 17
    ]
}

blocks! {
    qwords of 8 bytes, i64: [
        0 1 4 5 8 9 16 17 32 33 64 65
    ] [
        1 2 3 4 5 6 7 8 9 10
    ]
}

#[test]
fn transposing_reads() {
    macro_rules! check {
        (((() $rows:literal) $columns:literal)) => {
            check!(@of u16 $rows $columns; f32 $rows $columns; i32 $rows $columns; u64 $rows $columns);
        };
        (@of $($t:ident $rows:literal $columns:literal);*) => {$(
            same(
                Transposed::<$t, $rows, $columns>::HOLDS,
                limits::transposed($rows, $columns, size_of::<$t>()),
                &[$rows, $columns, size_of::<$t>()],
            );
        )*};
    }
    all! { check [0 1 2 3 4 5 6 7 8 9 16] [0 1 2 3 4 5 6 7 8 9 16] }
}

#[test]
fn named_barriers() {
    macro_rules! check {
        ($n:tt) => {{
            same(Barriers::<$n>::HOLDS, limits::named_barriers($n, false), &[$n]);
            macro_rules! number {
                ($i:tt) => {
                    // Without barriers, only their number is reported.
                    if $n > 0 {
                        same(Barrier::<$i, $n>::HOLDS, limits::named_barrier($i, $n), &[$i, $n]);
                    }
                };
            }
            number!(0);
            number!(1);
            number!(3);
            number!(4);
            number!(31);
            number!(32);
        }};
    }
    check!(0);
    check!(1);
    check!(2);
    check!(4);
    check!(31);
    check!(32);
    check!(33);
    check!(64);
    assert!(limits::named_barriers(31, true).is_ok() && limits::named_barriers(32, true).is_err());
}

#[test]
fn sub_groups() {
    macro_rules! check {
        ((() $n:literal)) => {
            same(Group::<$n>::HOLDS, limits::sub_group($n), &[$n]);
        };
    }
    all! { check [
        0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36
        37 38 39 40
    ] }
}

#[test]
fn simd_lanes() {
    macro_rules! check {
        (((() $r:literal) $c:literal)) => {
            same(Lanes::<$r, $c>::HOLDS, limits::simd_lanes($r * $c), &[$r, $c]);
        };
    }
    all! { check [0 1 2 3 4 5 6 7 8 9 15 16 17 24 31 32 33] [0 1 2 3 4 5 6 7 8 9 15 16 17 24 31 32 33 64] }
}

#[test]
fn blocks_2d() {
    macro_rules! load {
        ($t:ident $form:ty, $name:ident, $r:literal $c:literal) => {
            let bytes = size_of::<$t>();
            let limit = load_2d(BlockForm::$name, bytes, $r, $c);
            same(Loaded2d::<$t, $form, $r, $c>::HOLDS, limit, &[$r, $c, bytes]);
        };
    }
    macro_rules! of_all {
        ($form:ty, $name:ident, $r:literal $c:literal) => {
            load!(u8 $form, $name, $r $c);
            load!(f16 $form, $name, $r $c);
            load!(u32 $form, $name, $r $c);
            load!(f64 $form, $name, $r $c);
        };
    }
    macro_rules! store {
        ($t:ident, $r:literal $c:literal) => {
            let bytes = size_of::<$t>();
            same(Stored2d::<$t, $r, $c>::HOLDS, store_2d(bytes, $r, $c), &[$r, $c, bytes]);
        };
    }
    macro_rules! check {
        (((() $r:literal) $c:literal)) => {
            of_all!(Plain<1>, Normal, $r $c);
            of_all!(Plain<2>, Normal2, $r $c);
            of_all!(Plain<4>, Normal4, $r $c);
            load!(u32 Transpose, Transposed, $r $c);
            load!(f64 Transpose, Transposed, $r $c);
            load!(u8 Pack<1>, Packed, $r $c);
            load!(f16 Pack<1>, Packed, $r $c);
            load!(u8 Pack<2>, Packed2, $r $c);
            load!(f16 Pack<2>, Packed2, $r $c);
            load!(u8 Pack<4>, Packed4, $r $c);
            load!(f16 Pack<4>, Packed4, $r $c);
            store!(u8, $r $c);
            store!(f16, $r $c);
            store!(f32, $r $c);
            store!(u64, $r $c);
        };
    }
    // All rows with some columns, and all columns with some rows: the limits of the two are apart, but for a product.
    all! { check [0 1 2 8 9 32 33 64] [4 8 64] }
    all! { check [1 2 8] [0 1 2 3 4 8 16 17 32 64 65] }

    // Other borders, each on both sides.
    load!(f64 Transpose, Transposed, 3 8);
    load!(f64 Transpose, Transposed, 4 8);
    load!(u32 Transpose, Transposed, 8 33);
    load!(f16 Pack<1>, Packed, 16 16);
    load!(f16 Pack<1>, Packed, 17 16);
    load!(u8 Pack<2>, Packed2, 16 16);
    load!(u8 Pack<2>, Packed2, 18 16);
    load!(u8 Plain<1>, Normal, 1 68);
    load!(f16 Plain<1>, Normal, 1 34);
    load!(f64 Plain<1>, Normal, 1 9);
    load!(u8 Plain<2>, Normal2, 66 4);

    // Not of elements of these sizes.
    of_all!(Transpose, Transposed, 8 8);
    of_all!(Pack<1>, Packed, 8 8);
    of_all!(Pack<2>, Packed2, 8 8);
    of_all!(Pack<4>, Packed4, 8 8);
}

#[test]
fn blocks_of_buffers() {
    macro_rules! check {
        ((() $n:literal)) => {
            same(BlockRead::<u8, $n>::HOLDS, limits::oword_read($n), &[$n]);
            same(BlockRead::<f16, $n>::HOLDS, limits::oword_read($n * 2), &[$n]);
            same(BlockRead::<f64, $n>::HOLDS, limits::oword_read($n * 8), &[$n]);
            same(BlockWrite::<u8, 1, $n>::HOLDS, limits::oword_write($n), &[$n]);
            same(BlockWrite::<i32, 2, $n>::HOLDS, limits::oword_write($n * 8), &[$n]);
            same(DwordBlockOf::<u8, 1, $n>::HOLDS, limits::dword_block(1, $n), &[$n]);
            same(DwordBlockOf::<f16, 2, $n>::HOLDS, limits::dword_block(2, $n * 4), &[$n]);
            same(DwordBlockOf::<u64, 1, $n>::HOLDS, limits::dword_block(8, $n * 8), &[$n]);
        };
    }
    all! { check [
        0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36
        37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69 70
        71 72 73 74 75 76 77 78 79 80 81 82 83 84 85 86 87 88 89 90 91 92 93 94 95 96 97 98 99 100 101 102 103
        104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128
        129 130 131 132 133 134 135 136 137 138 139 140
        255 256 257 512
    ] }
}

#[test]
fn offsets_of_oword_blocks() {
    macro_rules! check {
        ((() $i:literal)) => {
            same(BlockOffset::<$i, { $i % 16 }, 16>::HOLDS, limits::block_offset($i, 16), &[$i]);
            same(BlockOffset::<$i, { $i % 16 }, 4>::HOLDS, limits::block_offset($i, 4), &[$i]);
        };
    }
    all! { check [
        0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36
        37 38 39 40
        4095 4096 4097
    ] }
}

#[test]
fn scattered_messages() {
    macro_rules! check {
        ((() $n:literal)) => {
            same(Scattered::<$n>::HOLDS, limits::scattered($n), &[$n]);
        };
    }
    all! { check [
        0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36
        37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69 70
    ] }
}

#[test]
fn scattered_vectors() {
    macro_rules! check {
        (((() $r:literal) $n:literal)) => {
            same(VectorsOf::<$r, $n>::HOLDS, limits::vectors($r, $n), &[$r, $n]);
        };
    }
    all! { check [0 1 2 3 4 5 6 7 8 9 15 16 17 32 64] [0 1 2 3 8 16 24 31 32 33 64] }
}

#[test]
fn elements_of_vectors_and_of_atomic_operations() {
    macro_rules! elements {
        ($($t:ident)*) => {$(
            assert_eq!(VectorOf::<$t>::HOLDS, limits::is_vector($t::TYPE));
            assert_eq!(AtomicOf::<$t>::HOLDS, limits::is_atomic($t::TYPE));
        )*};
    }
    cm_compiler::for_each_element!(elements);
}

#[test]
fn objects() {
    macro_rules! check {
        (((() $r:literal) $c:literal)) => {
            same(Object::<u8, $r, $c>::HOLDS, limits::object($r * $c, limits::REGISTER_FILE), &[$r, $c]);
            same(Object::<f16, $r, $c>::HOLDS, limits::object($r * $c * 2, limits::REGISTER_FILE), &[$r, $c]);
            same(Object::<u32, $r, $c>::HOLDS, limits::object($r * $c * 4, limits::REGISTER_FILE), &[$r, $c]);
            same(Object::<f64, $r, $c>::HOLDS, limits::object($r * $c * 8, limits::REGISTER_FILE), &[$r, $c]);
            assert_eq!(Mask::<$r, $c>::HOLDS, $r * $c <= limits::MASK_BITS, "{} x {}", $r, $c);
        };
    }
    all! { check
        [0 1 2 3 5 8 16 64]
        [0 1 2 3 4 5 6 7 8 10 11 15 16 17 31 32 33 63 64 127 128 255 256 511 512 585 819 1023 1024 2048 4088 4096]
    }
}

#[test]
fn objects_in_larger_register_files() {
    macro_rules! check {
        (((() $r:literal) $c:literal)) => {
            check!(@in 4096 $r $c);
            check!(@in 8192 $r $c);
            check!(@in 16384 $r $c);
        };
        (@in $file:literal $r:literal $c:literal) => {
            same(Larger::<u8, $file, $r, $c>::HOLDS, limits::object($r * $c, $file), &[$file, $r, $c]);
            same(Larger::<f16, $file, $r, $c>::HOLDS, limits::object($r * $c * 2, $file), &[$file, $r, $c]);
            same(Larger::<f32, $file, $r, $c>::HOLDS, limits::object($r * $c * 4, $file), &[$file, $r, $c]);
            same(Larger::<i64, $file, $r, $c>::HOLDS, limits::object($r * $c * 8, $file), &[$file, $r, $c]);
        };
    }
    all! { check
        [0 1 2 3 4 5 8 13 16 31 32 64]
        [0 1 16 31 32 63 64 127 128 255 256 511 512 1023 1024 2048 4096 8128 16320]
    }
    for file in [0, 1, 4095, 6000, 8191, 16385] {
        assert_eq!(limits::register_file(file), Err(Violation::RegisterFile { bytes: file }));
    }
    for file in limits::REGISTER_FILES {
        assert_eq!(limits::register_file(file), Ok(()));
    }
}

#[test]
fn formats() {
    macro_rules! check {
        (((((() $r:literal) $c:literal) $r2:literal) $c2:literal)) => {
            let (bytes, wanted) = ($r * $c * 2, $r2 * $c2 * 4);
            same(
                Format::<i16, f32, $r, $c, $r2, $c2>::HOLDS,
                limits::format(bytes, wanted),
                &[$r, $c, $r2, $c2],
            );
        };
    }
    all! { check [1 2 3] [1 2 4 6 8] [1 2 3] [1 2 3 4] }
}

#[test]
fn groups() {
    macro_rules! check {
        ((((() $r:literal) $c:literal) $width:literal)) => {
            same(Grouped::<$r, $c, $width>::HOLDS, limits::groups($r * $c, $width), &[$r, $c, $width]);
        };
    }
    all! { check [1 2 3 4 5 8 64] [1 2 3 4 5 6 7 8 9 10 11 12 15 16 17 31 32 33 512 1023] [2 4] }
}

#[test]
fn selects() {
    macro_rules! check {
        ((((() $n:literal) $size:literal) $stride:literal)) => {
            let limit = match limits::region($size, $stride) {
                Ok(()) => limits::elements(0, $n, $size, $stride),
                violation => violation,
            };
            same(Select::<$n, $size, $stride>::HOLDS, limit, &[$n, $size, $stride]);
        };
    }
    all! { check [1 2 3 5 7 8] [0 1 2 3 4 5 8 9] [0 1 2 3 4 6 7] }
}

#[test]
fn offsets_of_selects() {
    macro_rules! check {
        (((((() $i:literal) $n:literal) $size:literal) $stride:literal)) => {
            // Where it fits nowhere the bound of `select` says so.
            if limits::last_start($n, $size, $stride).is_some() {
                let limit = limits::elements($i, $n, $size, $stride);
                same(SelectAt::<$i, $n, $size, $stride>::HOLDS, limit, &[$i, $n, $size, $stride]);
            }
        };
    }
    all! { check [0 1 2 3 4 5 6] [1 3 6] [1 2 3] [1 2 3] }
}

#[test]
fn replicates() {
    macro_rules! check {
        ((((((() $n:literal) $rep:literal) $vs:literal) $w:literal) $hs:literal)) => {
            let limit = limits::replicate(0, limits::reach($rep, $vs, $w, $hs), $n);
            same(Repeat::<$n, $rep, $vs, $w, $hs>::HOLDS, limit, &[$n, $rep, $vs, $w, $hs]);
        };
    }
    all! { check [1 3 5 7] [1 2 3] [0 1 3] [1 2 3] [0 1 2] }
}
