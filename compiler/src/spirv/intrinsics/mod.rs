//! The intrinsics of Intel's compiler that modules may use, with their signatures. The same table is used to
//! emit and to validate modules: the compiler crashes on an unknown name, and does not check signatures.
mod rules;
mod signature;

use super::types::Ty;
use rules::{
    anything, cached_elements, cached_lanes, cached_rows, cached_texels, dword, factors, flags, float, lanes,
    lanes_of_dwords, media_block, offset, owords, prefetched_lanes, region, registers, rotated, single,
    single_element, texels, three, timestamp, truncation, two_registers, word_or_dword,
};
use signature::{Row, Slot};

pub(super) use rules::{FLAGS, reduces_whole};
pub(super) use signature::Param;

macro_rules! intrinsics {
    ($(
        $(#[$doc:meta])*
        $intrinsic:ident $(of $family:literal)? $name:literal [$($spelt:expr),*] ($($argument:expr),*) -> $result:expr, $rule:expr;
    )*) => {
        /// An intrinsic.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(super) enum Intrinsic {
            $($(#[$doc])* $intrinsic,)*
        }

        impl Intrinsic {
            const ALL: &[Self] = &[$(Self::$intrinsic,)*];

            const fn row(self) -> Row {
                match self {
                    $(Self::$intrinsic => Row {
                        name: intrinsics!(@name $($family)? $name),
                        spelt: &[$($spelt),*],
                        arguments: &[$($argument),*],
                        result: $result,
                        rule: $rule,
                    },)*
                }
            }
        }
    };
    (@name $name:literal) => { concat!("llvm.genx.", $name) };
    (@name $family:literal $name:literal) => { concat!($family, $name) };
}

const A: Slot = Slot::Var(0);
const B: Slot = Slot::Var(1);
const C: Slot = Slot::Var(2);
const I32: Slot = Slot::Fixed(Ty::I32);
const I16: Slot = Slot::Fixed(Ty::I16);
const I8: Slot = Slot::Fixed(Ty::I8);
const BOOL: Slot = Slot::Fixed(Ty::BOOL);
/// The codes of the L1 and the L3 cache.
const CACHES: Slot = Slot::Fixed(Ty::I8.times(2));

intrinsics! {
    /// The column of the thread's group.
    GroupIdX "group.id.x" [] () -> Some(I32), anything;
    /// The row of the thread's group.
    GroupIdY "group.id.y" [] () -> Some(I32), anything;
    /// The plane of the thread's group.
    GroupIdZ "group.id.z" [] () -> Some(I32), anything;
    /// The coordinates of the thread in its group.
    LocalId "local.id" [A] () -> Some(A), three;
    /// The threads of a group.
    LocalSize "local.size" [A] () -> Some(A), three;
    /// The groups of the launch.
    GroupCount "group.count" [A] () -> Some(A), three;
    /// Waits until all threads of the group have come here.
    Barrier "barrier" [] () -> None, anything;
    /// Half of a barrier: 1 signals, 0 waits.
    SplitBarrier "sbarrier" [] (I8) -> None, anything;
    /// Half of a named barrier, by its number: 1 signals in both roles, for this number of threads; 0 waits.
    NamedBarrier "nbarrier" [] (I8, I8, I8) -> None, anything;
    /// Signals a named barrier: its number, the role, producers and consumers.
    NamedBarrierSignal "nbarrier.arrive" [] (I8, I8, I8, I8) -> None, anything;
    /// A memory fence; the argument is a mask of the memory to fence.
    Fence "fence" [] (I8) -> None, anything;
    /// The timestamp.
    Timestamp "timestamp" [A] () -> Some(A), timestamp;
    /// The surface index of an image.
    ImageIndex "address.convert" [I32, Slot::Image] (Slot::Image) -> Some(I32), anything;
    /// The surface index of a buffer.
    BufferIndex "address.convert" [I32, Slot::Buffer] (Slot::Buffer) -> Some(I32), anything;
    /// Whether any truth value is true.
    Any "any" [A] (A) -> Some(BOOL), flags;
    /// Whether all truth values are true.
    All "all" [A] (A) -> Some(BOOL), flags;
    /// Reads a region of integers: vector, row stride, width, column stride, offset in bytes, length of the
    /// row that the region stays in.
    ReadRegionInt "rdregioni" [B, A, C] (A, I32, I32, I32, C, I32) -> Some(B),
        |vars| region(vars) && !float(vars) && offset(vars);
    /// A region of floats.
    ReadRegionFloat "rdregionf" [B, A, C] (A, I32, I32, I32, C, I32) -> Some(B),
        |vars| region(vars) && float(vars) && offset(vars);
    /// Replaces a region of integers: vector, data, region, condition.
    WriteRegionInt "wrregioni" [A, B, I16, BOOL] (A, B, I32, I32, I32, I16, I32, BOOL) -> Some(A),
        |vars| region(vars) && !float(vars);
    /// Replaces a region of floats.
    WriteRegionFloat "wrregionf" [A, B, I16, BOOL] (A, B, I32, I32, I32, I16, I32, BOOL) -> Some(A),
        |vars| region(vars) && float(vars);
    /// The minimum of floats; NaN operands are ignored.
    Min "fmin" [A, A] (A, A) -> Some(A), float;
    /// The maximum of floats; NaN operands are ignored.
    Max "fmax" [A, A] (A, A) -> Some(A), float;
    /// The product of two floats plus a third, rounded once.
    Fma of "llvm." "fma" [A] (A, A, A) -> Some(A), float;
    /// An approximation of the reciprocal.
    Inverse "inv" [A] (A) -> Some(A), single;
    /// The absolute value of signed integers.
    Size "absi" [A] (A) -> Some(A), word_or_dword;
    /// The number of zeros above the highest set bit.
    LeadingZeros "lzd" [A] (A) -> Some(A), dword;
    /// The number of set bits.
    CountBits "cbit" [A, A] (A) -> Some(A), dword;
    /// The position of the lowest set bit.
    LowestBit "fbl" [A] (A) -> Some(A), dword;
    /// The number of bits above the highest set bit.
    HighestBit "ufbh" [A] (A) -> Some(A), dword;
    /// The number of bits above the highest bit that differs from the sign.
    HighestSignBit "sfbh" [A] (A) -> Some(A), dword;
    /// The bits in reverse order.
    ReverseBits "bfrev" [A] (A) -> Some(A), dword;
    /// Rotates bits to the left.
    RotateLeft "rol" [A, A] (A, A) -> Some(A), rotated;
    /// Rotates bits to the right.
    RotateRight "ror" [A, A] (A, A) -> Some(A), rotated;
    /// A number plus the products of the unsigned bytes of two others.
    DotOfUnsigned "uudp4a" [A, A, A, A] (A, A, A) -> Some(A), dword;
    /// A number plus the products of the signed bytes of two others.
    DotOfSigned "ssdp4a" [A, A, A, A] (A, A, A) -> Some(A), dword;
    /// A bitwise function of three numbers, given as a truth table whose lowest bit is the result for three
    /// zeros.
    Boolean "bfn" [A, A] (A, A, A, I8) -> Some(A), word_or_dword;
    /// An approximation of 2 to the power of the operand.
    Exp "exp" [A] (A) -> Some(A), single;
    /// An approximation of the logarithm to base 2.
    Log "log" [A] (A) -> Some(A), single;
    /// An approximation of the square root.
    Sqrt "sqrt" [A] (A) -> Some(A), single;
    /// An approximation of the reciprocal of the square root.
    Rsqrt "rsqrt" [A] (A) -> Some(A), single;
    /// An approximation of the sine.
    Sin "sin" [A] (A) -> Some(A), single;
    /// An approximation of the cosine.
    Cos "cos" [A] (A) -> Some(A), single;
    /// An approximation of the absolute value of the first operand to the power of the second.
    Pow "pow" [A, A] (A, A) -> Some(A), single;
    /// Rounds down.
    RoundDown "rndd" [A] (A) -> Some(A), single;
    /// Rounds up.
    RoundUp "rndu" [A] (A) -> Some(A), single;
    /// Rounds towards zero.
    RoundToZero "rndz" [A] (A) -> Some(A), single;
    /// Rounds to nearest, ties to even.
    RoundEven "rnde" [A] (A) -> Some(A), single;
    /// Converts a float to a signed integer, saturating.
    FloatToSigned "fptosi.sat" [B, A] (A) -> Some(B), truncation;
    /// Converts a float to an unsigned integer, saturating.
    FloatToUnsigned "fptoui.sat" [B, A] (A) -> Some(B), truncation;
    /// Matrix multiply-add: sums, factors of columns and rows, their types, depth, rows, signedness of the
    /// sums.
    Dpas "dpas2" [A, A, B, C] (A, B, C, I32, I32, I32, I32, I32, I32) -> Some(A), factors;
    /// Reads a media block: modifiers, surface, plane, width of a row, column, row.
    MediaRead "media.ld" [A] (I32, I32, I32, I32, I32, I32) -> Some(A), media_block;
    /// Writes a media block.
    MediaWrite "media.st" [A] (I32, I32, I32, I32, I32, I32, A) -> None, media_block;
    /// Reads owords: modifiers, buffer, offset in owords.
    OwordRead "oword.ld" [A] (I32, I32, I32) -> Some(A), owords;
    /// Reads owords at any dword: modifiers, buffer, offset in bytes.
    OwordReadUnaligned "oword.ld.unaligned" [A] (I32, I32, I32) -> Some(A), owords;
    /// Writes owords: buffer, offset in owords.
    OwordWrite "oword.st" [A] (I32, I32, A) -> None, owords;
    /// Reads elements: log2 of the bytes, scale, buffer, base, offsets in bytes, lane mask.
    Gather "gather.masked.scaled2" [A, A, B] (I32, I16, I32, I32, A, B) -> Some(A), lanes;
    /// The same with the result of disabled lanes at the end: lane mask, log2 of the bytes, scale, buffer,
    /// base, offsets in bytes.
    GatherApart "gather.scaled" [A, B, A] (B, I32, I16, I32, I32, A, A) -> Some(A), lanes;
    /// Writes elements: lane mask, log2 of the bytes, scale, buffer, base, offsets in bytes, data.
    Scatter "scatter.scaled" [B, A, A] (B, I32, I16, I32, I32, A, A) -> None, lanes;
    /// Reads one to four dwords for each lane, first the first dwords of all lanes: channels, scale, buffer, base, offsets in
    /// bytes, lane mask.
    GatherDwords "gather4.masked.scaled2" [A, B, C] (I32, I16, I32, I32, B, C) -> Some(A), lanes_of_dwords;
    /// Writes one to four dwords for each lane: lane mask, channels, scale, buffer, base, offsets in bytes, data.
    ScatterDwords "scatter4.scaled" [C, B, A] (C, I32, I16, I32, I32, B, A) -> None, lanes_of_dwords;
    /// Reads channels of texels: channels, lane mask, surface, columns, rows, layers, result of disabled
    /// lanes.
    TypedRead "gather4.typed" [A, B, C] (I32, B, I32, C, C, C, A) -> Some(A), texels;
    /// Writes channels of texels: channels, lane mask, surface, columns, rows, layers, data.
    TypedWrite "scatter4.typed" [B, C, A] (I32, B, I32, C, C, C, A) -> None, texels;
    /// Atomically updates texels of one dword: lane mask, surface, sources, columns, rows, layers, levels. The
    /// next ones are alike.
    TypedInc "typed.atomic.inc" [A, B, C] (B, I32, C, C, C, C) -> Some(A), texels;
    TypedDec "typed.atomic.dec" [A, B, C] (B, I32, C, C, C, C) -> Some(A), texels;
    TypedAdd "typed.atomic.add" [A, B, C] (B, I32, A, C, C, C, C) -> Some(A), texels;
    TypedSub "typed.atomic.sub" [A, B, C] (B, I32, A, C, C, C, C) -> Some(A), texels;
    TypedMinUnsigned "typed.atomic.min" [A, B, C] (B, I32, A, C, C, C, C) -> Some(A), texels;
    TypedMaxUnsigned "typed.atomic.max" [A, B, C] (B, I32, A, C, C, C, C) -> Some(A), texels;
    TypedMinSigned "typed.atomic.imin" [A, B, C] (B, I32, A, C, C, C, C) -> Some(A), texels;
    TypedMaxSigned "typed.atomic.imax" [A, B, C] (B, I32, A, C, C, C, C) -> Some(A), texels;
    TypedAnd "typed.atomic.and" [A, B, C] (B, I32, A, C, C, C, C) -> Some(A), texels;
    TypedOr "typed.atomic.or" [A, B, C] (B, I32, A, C, C, C, C) -> Some(A), texels;
    TypedXor "typed.atomic.xor" [A, B, C] (B, I32, A, C, C, C, C) -> Some(A), texels;
    TypedExchange "typed.atomic.xchg" [A, B, C] (B, I32, A, C, C, C, C) -> Some(A), texels;
    TypedCompareExchange "typed.atomic.cmpxchg" [A, B, C] (B, I32, A, A, C, C, C, C) -> Some(A), texels;
    /// Atomically updates elements: lane mask, buffer, offsets in bytes, sources. The next ones are alike.
    AtomicInc "dword.atomic2.inc" [A, B, A] (B, I32, A) -> Some(A), lanes;
    AtomicDec "dword.atomic2.dec" [A, B, A] (B, I32, A) -> Some(A), lanes;
    AtomicAdd "dword.atomic2.add" [A, B, A] (B, I32, A, A) -> Some(A), lanes;
    AtomicSub "dword.atomic2.sub" [A, B, A] (B, I32, A, A) -> Some(A), lanes;
    AtomicMinUnsigned "dword.atomic2.min" [A, B, A] (B, I32, A, A) -> Some(A), lanes;
    AtomicMaxUnsigned "dword.atomic2.max" [A, B, A] (B, I32, A, A) -> Some(A), lanes;
    AtomicMinSigned "dword.atomic2.imin" [A, B, A] (B, I32, A, A) -> Some(A), lanes;
    AtomicMaxSigned "dword.atomic2.imax" [A, B, A] (B, I32, A, A) -> Some(A), lanes;
    AtomicAnd "dword.atomic2.and" [A, B, A] (B, I32, A, A) -> Some(A), lanes;
    AtomicOr "dword.atomic2.or" [A, B, A] (B, I32, A, A) -> Some(A), lanes;
    AtomicXor "dword.atomic2.xor" [A, B, A] (B, I32, A, A) -> Some(A), lanes;
    AtomicExchange "dword.atomic2.xchg" [A, B, A] (B, I32, A, A) -> Some(A), lanes;
    /// Reads channels of texels through the load/store cache: lane mask, L1 and L3 caching, channels,
    /// surface, columns, rows, layers, levels, result of disabled lanes.
    CachedTypedRead "lsc.load.merge.quad.typed.bti" [A, B, C] (B, I8, I8, I8, I32, C, C, C, C, A) -> Some(A),
        cached_texels;
    /// Writes channels of texels through the load/store cache: the same, with the data at the end.
    CachedTypedWrite "lsc.store.quad.typed.bti" [B, C, A] (B, I8, I8, I8, I32, C, C, C, C, A) -> None, cached_texels;
    /// Reads dwords or qwords through the load/store cache: condition, operation, L1 and L3 caching, scale, base,
    /// element size, elements, order, channels, offset in bytes, buffer.
    CachedLoad "lsc.load.bti" [A, BOOL, I32] (BOOL, I8, I8, I8, I16, I32, I8, I8, I8, I8, I32, I32) -> Some(A),
        cached_elements;
    /// Writes dwords or qwords through the load/store cache: the same, with the data before the buffer.
    CachedStore "lsc.store.bti" [BOOL, I32, A] (BOOL, I8, I8, I8, I16, I32, I8, I8, I8, I8, I32, A, I32) -> None,
        cached_elements;
    /// Reads elements through the load/store cache: the same, with a lane mask and an offset for each lane.
    CachedGather "lsc.load.bti" [A, B, C] (B, I8, I8, I8, I16, I32, I8, I8, I8, I8, C, I32) -> Some(A), cached_rows;
    /// Writes elements through the load/store cache: the same, with the data before the buffer.
    CachedScatter "lsc.store.bti" [B, C, A] (B, I8, I8, I8, I16, I32, I8, I8, I8, I8, C, A, I32) -> None, cached_rows;
    /// Reads elements of shared memory through the load/store cache: the same, without a buffer.
    SharedGather "lsc.load.slm" [A, B, C] (B, I8, I8, I8, I16, I32, I8, I8, I8, I8, C, I32) -> Some(A), cached_rows;
    /// Writes elements of shared memory through the load/store cache: the same.
    SharedScatter "lsc.store.slm" [B, C, A] (B, I8, I8, I8, I16, I32, I8, I8, I8, I8, C, A, I32) -> None, cached_rows;
    /// Prefetches elements.
    CachedGatherPrefetch "lsc.prefetch.bti" [B, C] (B, I8, I8, I8, I16, I32, I8, I8, I8, I8, C, I32) -> None,
        prefetched_lanes;
    /// Prefetches dwords.
    CachedPrefetch "lsc.prefetch.bti" [BOOL, I32] (BOOL, I8, I8, I8, I16, I32, I8, I8, I8, I8, I32, I32) -> None,
        anything;
    /// Sends a message and waits for its result: modifiers, log2 of the channels, condition, registers of the payload and
    /// of the result, unit, extended descriptor, descriptor, payload, result of disabled channels.
    Send "raw.send2" [A, BOOL, B] (I8, I8, BOOL, I8, I8, I8, I32, I32, B, A) -> Some(A), registers;
    /// Sends a message without a result: the same without the result and its registers.
    SendOnly "raw.send2.noresult" [BOOL, A] (I8, I8, BOOL, I8, I8, I32, I32, A) -> None, registers;
    /// Sends a message with data and without a result: the same with the registers of the data, and the data at the end.
    SendTwo "raw.sends2.noresult" [BOOL, A, B] (I8, I8, BOOL, I8, I8, I8, I32, I32, A, B) -> None, two_registers;
    /// Loads a 2-D block by a payload: condition, L1 and L3 caching, blocks, columns, rows, payload, distances to
    /// the column and the row in the payload, result if the condition is false.
    Load2d "lsc.load.2d.ugm.desc" [A, CACHES] (BOOL, CACHES, I8, I16, I16, B, I32, I32, A) -> Some(A), two_registers;
    /// The same, transposed.
    Load2dTransposed "lsc.load.2d.ugm.desc.transpose" [A, CACHES]
        (BOOL, CACHES, I8, I16, I16, B, I32, I32, A) -> Some(A), two_registers;
    /// The same, with rows packed into dwords.
    Load2dPacked "lsc.load.2d.ugm.desc.vnni" [A, CACHES]
        (BOOL, CACHES, I8, I16, I16, B, I32, I32, A) -> Some(A), two_registers;
    /// Stores a 2-D block: the same, with the data at the end.
    Store2d "lsc.store.2d.ugm.desc" [CACHES, A] (BOOL, CACHES, I8, I16, I16, B, I32, I32, A) -> None, two_registers;
    /// Prefetches a 2-D block: the same, with a number of the type of the elements at the end.
    Prefetch2d "lsc.prefetch.2d.ugm.desc" [CACHES, A] (BOOL, CACHES, I8, I16, I16, B, I32, I32, A) -> None,
        single_element;
    /// Atomically updates elements through the load/store cache: lane mask, operation, two caching codes,
    /// scale, base, element size, elements of a lane, order, channels, offsets in bytes, two sources, buffer,
    /// result of disabled lanes.
    AtomicCached "lsc.xatomic.bti" [A, B, C] (B, I8, I8, I8, I16, I32, I8, I8, I8, I8, C, A, A, I32, A) -> Some(A),
        cached_lanes;
    /// Atomically updates elements of shared memory through the load/store cache: the same, without a buffer.
    AtomicShared "lsc.xatomic.slm" [A, B, C] (B, I8, I8, I8, I16, I32, I8, I8, I8, I8, C, A, A, I32, A) -> Some(A),
        cached_lanes;
    AtomicCompareExchange "dword.atomic2.cmpxchg" [A, B, A] (B, I32, A, A, A) -> Some(A), lanes;
}

impl Intrinsic {
    /// The full name, with type suffixes.
    pub(super) fn name(self, result: Option<Ty>, parameters: &[Param]) -> String {
        self.row().name(result, parameters)
    }

    /// The intrinsic that reads a region of this type.
    pub(super) const fn read_region(ty: Ty) -> Self {
        if ty.scalar.is_float() { Self::ReadRegionFloat } else { Self::ReadRegionInt }
    }

    /// The intrinsic that replaces a region of this type.
    pub(super) const fn write_region(ty: Ty) -> Self {
        if ty.scalar.is_float() { Self::WriteRegionFloat } else { Self::WriteRegionInt }
    }

    /// The intrinsic that converts a float to an integer, saturating.
    pub(super) const fn truncation(signed: bool) -> Self {
        if signed { Self::FloatToSigned } else { Self::FloatToUnsigned }
    }
}

/// Whether an intrinsic with this name and signature exists. The type suffixes must match the signature.
pub(super) fn is_known(name: &str, result: Option<Ty>, parameters: &[Param]) -> bool {
    let mut rows = Intrinsic::ALL.iter().map(|intrinsic| intrinsic.row());
    rows.any(|row| {
        name.starts_with(row.name) && row.fits(result, parameters) && row.name(result, parameters) == name
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spirv::types::{ImageKind, ParameterAccess};

    fn ints(count: usize) -> Ty {
        Ty::I32.times(count)
    }

    /// The names that the compiler knows.
    #[test]
    fn names_say_the_types() {
        let value = Param::Value;
        let i32s = [value(Ty::I32); 6];
        let (bytes, floats) = (Ty::I16.int(8).times(16), ints(8).float(32));
        let lanes = [value(ints(16).bool()), value(Ty::I32), value(ints(16)), value(ints(16))];
        let read = [value(floats), i32s[0], i32s[0], i32s[0], value(Ty::I16), i32s[0]];
        for (intrinsic, result, parameters, name) in [
            (Intrinsic::GroupIdZ, Some(Ty::I32), &[][..], "group.id.z"),
            (Intrinsic::MediaRead, Some(bytes), &i32s, "media.ld.v16i8"),
            (Intrinsic::read_region(floats), Some(floats.times(4)), &read, "rdregionf.v4f32.v8f32.i16"),
            (Intrinsic::truncation(false), Some(bytes.times(8)), &[value(floats)], "fptoui.sat.v8i8.v8f32"),
            (
                Intrinsic::ImageIndex,
                Some(Ty::I32),
                &[Param::Image(ImageKind::Blocks, ParameterAccess::ReadWrite)],
                "address.convert.i32.p1opencl.image2d_rw_t",
            ),
            (
                Intrinsic::ImageIndex,
                Some(Ty::I32),
                &[Param::Image(ImageKind::Texels, ParameterAccess::Read)],
                "address.convert.i32.p1opencl.image2d_array_ro_t",
            ),
            (Intrinsic::AtomicMaxSigned, Some(ints(16)), &lanes, "dword.atomic2.imax.v16i32.v16i1.v16i32"),
        ] {
            let name = format!("llvm.genx.{name}");
            assert_eq!(intrinsic.name(result, parameters), name);
            assert!(is_known(&name, result, parameters), "{name}");
            assert!(!is_known(&name, Some(Ty::BOOL), parameters), "{name} of another type");
            assert!(!is_known(&name[..name.len() - 1], result, parameters), "a part of {name}");
        }
    }

    #[test]
    fn rows_have_names_of_their_own() {
        for (n, a) in Intrinsic::ALL.iter().enumerate() {
            for b in &Intrinsic::ALL[..n] {
                let (a, b) = (a.row(), b.row());
                assert!(a.name != b.name || a.spelt != b.spelt, "{}", a.name);
            }
        }
    }
}
