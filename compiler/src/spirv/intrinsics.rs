//! The intrinsics of Intel's compiler that modules may name, with their signatures.
//!
//! A name that the compiler does not know ends its process, and of a signature it believes everything, so both are
//! checked before it sees them.

use super::module::Access;
use super::types::{Scalar, Ty};
use crate::limits;

/// The type of a parameter, as far as intrinsics have such parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Param {
    /// A value.
    Value(Ty),
    /// An image.
    Image(Access),
    /// A buffer.
    Buffer(Access),
}

/// Whether an intrinsic of this name exists with this signature, and its name says so.
pub(super) fn is_known(name: &str, result: Option<Ty>, parameters: &[Param]) -> bool {
    let Some(name) = name.strip_prefix("llvm.genx.") else { return false };
    if let [Param::Image(access)] = parameters {
        let letters = access.mangled();
        return name == format!("address.convert.i32.p1opencl.image2d_{letters}_t")
            && result == Some(Ty::I32);
    }
    if let [Param::Buffer(access)] = parameters {
        let letters = access.mangled();
        return name == format!("address.convert.i32.p1intel.buffer_{letters}_t") && result == Some(Ty::I32);
    }
    let types: Option<Vec<Ty>> = parameters
        .iter()
        .map(|p| match p {
            Param::Value(ty) => Some(*ty),
            Param::Image(_) | Param::Buffer(_) => None,
        })
        .collect();
    let Some(types) = types else { return false };
    if ["oword.", "gather.", "scatter.", "dword."].iter().any(|start| name.starts_with(start)) {
        return is_linear(name, result, &types);
    }
    let i32s = |types: &[Ty]| types.iter().all(|&ty| ty == Ty::I32);
    match (name, result, types.as_slice()) {
        ("group.id.x" | "group.id.y" | "group.id.z", Some(Ty::I32), []) => true,
        (_, None, [first @ .., data]) if first.len() == 6 && i32s(first) => {
            name == format!("media.st.{}", data.mangled()) && is_media(*data)
        }
        (_, Some(Ty::BOOL), [mask]) => {
            mask.scalar == Scalar::Bool
                && (2..=32).contains(&mask.count)
                && ["any", "all"].iter().any(|which| name == format!("{which}.{}", mask.mangled()))
        }
        (_, Some(data), all) if all.len() == 6 && i32s(all) => {
            name == format!("media.ld.{}", data.mangled()) && is_media(data)
        }
        (_, Some(part), [whole, a, b, c, offset, within]) => {
            let scalar_offset = *offset == Ty::I16;
            let offsets = *offset == Ty::I16.times(part.count);
            i32s(&[*a, *b, *c, *within])
                && part.scalar == whole.scalar
                && part.count > 1
                && whole.count > 1
                && (scalar_offset || offsets)
                && name
                    == format!(
                        "rdregion{}.{}.{}.{}",
                        letter(part),
                        part.mangled(),
                        whole.mangled(),
                        offset.mangled()
                    )
        }
        (_, Some(result), [whole, part, a, b, c, offset, within, mask]) => {
            i32s(&[*a, *b, *c, *within])
                && result == *whole
                && part.scalar == whole.scalar
                && part.count > 1
                && *offset == Ty::I16
                && *mask == Ty::BOOL
                && name
                    == format!("wrregion{}.{}.{}.i16.i1", letter(result), result.mangled(), part.mangled())
        }
        (_, Some(result), [a, b]) => {
            result == *a
                && a == b
                && a.scalar.is_float()
                && name == format!("fmax.{}.{}", result.mangled(), a.mangled())
        }
        (_, Some(result), [x]) if result == *x => {
            x.scalar == Scalar::Float(32)
                && ["inv", "rnde"].iter().any(|which| name == format!("{which}.{}", x.mangled()))
        }
        (_, Some(result), [x]) => {
            matches!(result.scalar, Scalar::Int(8 | 16 | 32))
                && matches!(x.scalar, Scalar::Float(32 | 64))
                && result.count == x.count
                && ["fptosi", "fptoui"]
                    .iter()
                    .any(|which| name == format!("{which}.sat.{}.{}", result.mangled(), x.mangled()))
        }
        _ => false,
    }
}

/// The messages to buffers.
fn is_linear(name: &str, result: Option<Ty>, types: &[Ty]) -> bool {
    let index = Ty::I32;
    // Scattered messages have a dword and a truth value for each lane.
    let lanes = |data: Ty, mask: Ty| {
        data.scalar == Scalar::Int(32) && matches!(data.count, 8 | 16) && mask == data.bool()
    };
    match (result, types) {
        (Some(data), [modified, buffer, offset]) if name.starts_with("oword.ld.") => {
            [*modified, *buffer, *offset] == [index; 3]
                && is_owords(data)
                && ["oword.ld", "oword.ld.unaligned"]
                    .iter()
                    .any(|which| name == format!("{which}.{}", data.mangled()))
        }
        (None, [buffer, offset, data]) => {
            [*buffer, *offset] == [index; 2]
                && is_owords(*data)
                && name == format!("oword.st.{}", data.mangled())
        }
        (Some(data), [blocks, scale, buffer, base, starts, mask]) => {
            let letters = (data.mangled(), mask.mangled());
            [*blocks, *buffer, *base] == [index; 3]
                && *scale == Ty::I16
                && *starts == data
                && lanes(data, *mask)
                && name == format!("gather.masked.scaled2.{0}.{0}.{1}", letters.0, letters.1)
        }
        (None, [mask, blocks, scale, buffer, base, starts, data]) => {
            let letters = (data.mangled(), mask.mangled());
            [*blocks, *buffer, *base] == [index; 3]
                && *scale == Ty::I16
                && starts == data
                && lanes(*data, *mask)
                && name == format!("scatter.scaled.{1}.{0}.{0}", letters.0, letters.1)
        }
        (Some(data), [mask, buffer, starts, sources @ ..]) => {
            let (letters, flags) = (data.mangled(), mask.mangled());
            let names: &[&str] = match sources.len() {
                0 => &["inc", "dec"],
                1 => &["add", "sub", "min", "max", "imin", "imax", "and", "or", "xor", "xchg"],
                2 => &["cmpxchg"],
                _ => &[],
            };
            *buffer == index
                && lanes(data, *mask)
                && *starts == data
                && sources.iter().all(|source| *source == data)
                && names.iter().any(|op| name == format!("dword.atomic2.{op}.{letters}.{flags}.{letters}"))
        }
        _ => false,
    }
}

/// What an oword block message carries: whole owords in dwords.
fn is_owords(data: Ty) -> bool {
    data.scalar == Scalar::Int(32) && limits::oword_write(data.bytes()).is_ok()
}

/// What a media message carries: rows at their pitch, padding and all.
fn is_media(data: Ty) -> bool {
    let bytes = data.bytes();
    data.count > 1
        && data.scalar != Scalar::Bool
        && bytes <= limits::MEDIA_BYTES
        && bytes.is_multiple_of(limits::DWORD)
}

fn letter(ty: Ty) -> char {
    if ty.scalar.is_float() { 'f' } else { 'i' }
}
