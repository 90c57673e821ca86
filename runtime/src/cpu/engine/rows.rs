//! The operations that have a function for each instruction set. All instruction sets share this list, so
//! none lacks a function of another.

/// Bytes after each register that a round may read or write.
pub(super) const BEYOND: usize = 128;

/// Calls a macro with the binary operations that are one instruction: `name bytes instruction`.
#[cfg(target_arch = "x86_64")]
macro_rules! row_pairs {
    ($each:ident) => {
        $each! {
            add8 1 "paddb";
            add16 2 "paddw";
            add32 4 "paddd";
            add64 8 "paddq";
            add_f32 4 "addps";
            add_f64 8 "addpd";
            sub8 1 "psubb";
            sub16 2 "psubw";
            sub32 4 "psubd";
            sub64 8 "psubq";
            sub_f32 4 "subps";
            sub_f64 8 "subpd";
            mul16 2 "pmullw";
            mul_f32 4 "mulps";
            mul_f64 8 "mulpd";
            div_f32 4 "divps";
            div_f64 8 "divpd";
            and8 1 "pand";
            and16 2 "pand";
            and32 4 "pand";
            and64 8 "pand";
            or8 1 "por";
            or16 2 "por";
            or32 4 "por";
            or64 8 "por";
            xor8 1 "pxor";
            xor16 2 "pxor";
            xor32 4 "pxor";
            xor64 8 "pxor";
            min_u8 1 "pminub";
            max_u8 1 "pmaxub";
            min_i16 2 "pminsw";
            max_i16 2 "pmaxsw";
            add_sat_u8 1 "paddusb";
            add_sat_i8 1 "paddsb";
            add_sat_u16 2 "paddusw";
            add_sat_i16 2 "paddsw";
            sub_sat_u8 1 "psubusb";
            sub_sat_i8 1 "psubsb";
            sub_sat_u16 2 "psubusw";
            sub_sat_i16 2 "psubsw";
            avg_u8 1 "pavgb";
            avg_u16 2 "pavgw";
        }
    };
}

/// Calls a macro with each comparison of elements of a size:
/// `each: bytes of an operand, [load] -> [masks]; name [once] instructions;`. `load` loads both operands,
/// `masks` makes words of the results.
#[cfg(target_arch = "x86_64")]
macro_rules! comparisons {
    (
        $each:ident: $bytes:literal, $load:tt -> $masks:tt;
        $($name:ident $once:tt $($instruction:literal)*;)*
    ) => {
        comparisons! { @ $each: $bytes, $load, $masks; $($name $once [$($instruction)*])* }
    };
    (@ $each:ident: $bytes:literal, $load:tt, $masks:tt; $($name:ident $once:tt $instructions:tt)*) => {
        $($each! { $name $bytes, $load, $masks, $once, $instructions })*
    };
}

/// Declares the functions that look up operations.
#[cfg(target_arch = "x86_64")]
macro_rules! row_tables {
    () => {
        use cm_compiler::elem::ElemType::{self, F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};
        use cm_compiler::ops::MapKind;

        /// Element-wise operations. Bitwise operations are listed by element size.
        pub(super) fn map(kind: MapKind, elem: ElemType) -> Option<Compute> {
            use MapKind as K;
            let run: Compute = match (kind, elem) {
                (K::Add, U8 | I8) => add8,
                (K::Add, U16 | I16) => add16,
                (K::Add, U32 | I32) => add32,
                (K::Add, U64 | I64) => add64,
                (K::Add, F32) => add_f32,
                (K::Add, F64) => add_f64,
                (K::Sub, U8 | I8) => sub8,
                (K::Sub, U16 | I16) => sub16,
                (K::Sub, U32 | I32) => sub32,
                (K::Sub, U64 | I64) => sub64,
                (K::Sub, F32) => sub_f32,
                (K::Sub, F64) => sub_f64,
                (K::Mul, U16 | I16) => mul16,
                (K::Mul, U32 | I32) => mul32,
                (K::Mul, F32) => mul_f32,
                (K::Mul, F64) => mul_f64,
                (K::Div, F32) => div_f32,
                (K::Div, F64) => div_f64,
                (K::And, U8 | I8) => and8,
                (K::And, U16 | I16) => and16,
                (K::And, U32 | I32) => and32,
                (K::And, U64 | I64) => and64,
                (K::Or, U8 | I8) => or8,
                (K::Or, U16 | I16) => or16,
                (K::Or, U32 | I32) => or32,
                (K::Or, U64 | I64) => or64,
                (K::Xor, U8 | I8) => xor8,
                (K::Xor, U16 | I16) => xor16,
                (K::Xor, U32 | I32) => xor32,
                (K::Xor, U64 | I64) => xor64,
                (K::Min, U8) => min_u8,
                (K::Max, U8) => max_u8,
                (K::Min, I16) => min_i16,
                (K::Max, I16) => max_i16,
                (K::AddSat, U8) => add_sat_u8,
                (K::AddSat, I8) => add_sat_i8,
                (K::AddSat, U16) => add_sat_u16,
                (K::AddSat, I16) => add_sat_i16,
                (K::SubSat, U8) => sub_sat_u8,
                (K::SubSat, I8) => sub_sat_i8,
                (K::SubSat, U16) => sub_sat_u16,
                (K::SubSat, I16) => sub_sat_i16,
                (K::Avg, U8) => avg_u8,
                (K::Avg, U16) => avg_u16,
                (K::Neg, U8 | I8) => neg8,
                (K::Neg, U16 | I16) => neg16,
                (K::Neg, U32 | I32) => neg32,
                (K::Neg, U64 | I64) => neg64,
                (K::Neg, F32) => neg_f32,
                (K::Abs, I16) => abs_i16,
                (K::Abs, I32) => abs_i32,
                (K::Abs, F32) => abs_f32,
                (K::Not, U8 | I8) => not8,
                (K::Not, U16 | I16) => not16,
                (K::Not, U32 | I32) => not32,
                (K::Not, U64 | I64) => not64,
                (K::Lt, U8) => lt_u8,
                (K::Le, U8) => le_u8,
                (K::Gt, U8) => gt_u8,
                (K::Ge, U8) => ge_u8,
                (K::Lt, I8) => lt_i8,
                (K::Le, I8) => le_i8,
                (K::Gt, I8) => gt_i8,
                (K::Ge, I8) => ge_i8,
                (K::Eq, U8 | I8) => eq8,
                (K::Ne, U8 | I8) => ne8,
                (K::Lt, U16) => lt_u16,
                (K::Le, U16) => le_u16,
                (K::Gt, U16) => gt_u16,
                (K::Ge, U16) => ge_u16,
                (K::Lt, I16) => lt_i16,
                (K::Le, I16) => le_i16,
                (K::Gt, I16) => gt_i16,
                (K::Ge, I16) => ge_i16,
                (K::Eq, U16 | I16) => eq16,
                (K::Ne, U16 | I16) => ne16,
                (K::Lt, I32) => lt_i32,
                (K::Le, I32) => le_i32,
                (K::Gt, I32) => gt_i32,
                (K::Ge, I32) => ge_i32,
                (K::Lt, U32) => lt_u32,
                (K::Le, U32) => le_u32,
                (K::Gt, U32) => gt_u32,
                (K::Ge, U32) => ge_u32,
                (K::Eq, U32 | I32) => eq32,
                (K::Ne, U32 | I32) => ne32,
                (K::Lt, F32) => lt_f32,
                (K::Le, F32) => le_f32,
                (K::Gt, F32) => gt_f32,
                (K::Ge, F32) => ge_f32,
                (K::Eq, F32) => eq_f32,
                (K::Ne, F32) => ne_f32,
                (K::Merge, U8 | I8) => merge8,
                (K::Merge, U16 | I16 | F16) => merge16,
                (K::Merge, U32 | I32 | F32) => merge32,
                (K::Merge, U64 | I64 | F64) => merge64,
                _ => return None,
            };
            Some(run)
        }

        /// Shifts of all elements by the same count, which is less than the bits of an element.
        pub(super) fn shift(kind: MapKind, elem: ElemType) -> Option<Compute> {
            use MapKind as K;
            let run: Compute = match (kind, elem) {
                (K::Shl, U16 | I16) => shl16,
                (K::Shl, U32 | I32) => shl32,
                (K::Shl, U64 | I64) => shl64,
                (K::Shr, U16) => shr_u16,
                (K::Shr, U32) => shr_u32,
                (K::Shr, U64) => shr_u64,
                (K::Shr, I16) => shr_i16,
                (K::Shr, I32) => shr_i32,
                _ => return None,
            };
            Some(run)
        }

        /// Masked stores of elements of this size in bytes.
        pub(super) fn stored(size: usize) -> Option<Compute> {
            let run: Compute = match size {
                1 => store8,
                2 => store16,
                4 => store32,
                8 => store64,
                _ => return None,
            };
            Some(run)
        }

        /// Tests whether elements are nonzero.
        pub(super) fn some(elem: ElemType) -> Option<Compute> {
            let run: Compute = match elem {
                U8 | I8 => some8,
                U16 | I16 => some16,
                U32 | I32 => some32,
                F32 => some_f32,
                _ => return None,
            };
            Some(run)
        }

        /// The negation of conditions.
        pub(super) fn not() -> Option<Compute> {
            Some(other_condition)
        }

        /// Conversions.
        pub(super) fn convert(from: ElemType, to: ElemType, saturate: bool) -> Option<Compute> {
            let run: Compute = match (from, to, saturate) {
                // Conversions from floats always saturate.
                (F32, U8, _) => f32_u8,
                (F32, U16, _) => f32_u16,
                (F32, I16, _) => f32_i16,
                (F32, I32, _) => f32_i32,
                (I16, U8, true) => sat_i16_u8,
                (I16, I8, true) => sat_i16_i8,
                (I32, I16, true) => sat_i32_i16,
                (I32, U8, true) => sat_i32_u8,
                (I32, I8, true) => sat_i32_i8,
                // The target represents every source value.
                (U8, U16 | I16, _) => u8_16,
                (U8, U32 | I32, _) => u8_32,
                (I8, I16, _) => i8_16,
                (I8, I32, _) => i8_32,
                (U16, U32 | I32, _) => u16_32,
                (I16, I32, _) => i16_32,
                (U8, F32, false) => u8_f32,
                (I8, F32, false) => i8_f32,
                (U16, F32, false) => u16_f32,
                (I16, F32, false) => i16_f32,
                (I32, F32, false) => i32_f32,
                (I8, U16, false) => i8_16,
                (I8, U32, false) => i8_32,
                (I16, U32, false) => i16_32,
                (U16 | I16, U8 | I8, false) => from16_8,
                (U32 | I32, U16 | I16, false) => from32_16,
                (U32 | I32, U8 | I8, false) => from32_8,
                _ => return None,
            };
            Some(run)
        }
    };
}

#[cfg(target_arch = "x86_64")]
pub(super) use {comparisons, row_pairs, row_tables};
