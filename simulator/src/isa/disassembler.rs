//! Intel's disassembler, a library that comes with the graphics compiler.

use std::collections::BTreeMap;
use std::ffi::{CStr, OsStr, OsString, c_char, c_int, c_void};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use libloading::Library;

use super::decode_error::DecodeError;
use crate::generation::Generation;

/// Names of the library, in the order in which they are tried after `CM_SIMULATOR_IGA`.
const NAMES: [&str; 3] = ["libiga64.so.1", "libiga64.so.2", "libiga64.so"];

/// `iga_gen_t` of `iga.h`: the version, with its major part in the upper bits.
fn platform(generation: Generation) -> c_int {
    match generation {
        Generation::Gen9 => 9 << 16,
        Generation::XeLp => 1 << 24,
        Generation::XeHpg => 1 << 24 | 2,
        Generation::XeHpc => 1 << 24 | 4,
        Generation::Xe2 => 2 << 24,
        Generation::Xe3 => 3 << 24,
    }
}

/// `IGA_FORMATTING_OPT_PRINT_HEX_FLOATS` of `iga.h`: floats as bits.
const HEXADECIMAL_FLOATS: u32 = 4;

/// `iga_context_options_t`.
#[repr(C)]
struct ContextOptions {
    size: usize,
    platform: c_int,
}

/// `iga_disassemble_options_t`.
#[repr(C)]
struct DisassembleOptions {
    size: u32,
    formatting: u32,
    reserved: [u32; 2],
    decoder: u32,
    first: u32,
}

type Create = unsafe extern "C" fn(*const ContextOptions, *mut *mut c_void) -> c_int;
type Release = unsafe extern "C" fn(*mut c_void) -> c_int;
type LabelOf = unsafe extern "C" fn(i32, *mut c_void) -> *const c_char;
type Disassemble = unsafe extern "C" fn(
    *mut c_void,
    *const DisassembleOptions,
    *const c_void,
    u32,
    Option<LabelOf>,
    *mut c_void,
    *mut *mut c_char,
) -> c_int;

/// The functions of a library.
struct Functions {
    create: Create,
    release: Release,
    disassemble: Disassemble,
    /// Serialises calls, because the library does not document whether it is thread-safe.
    one: Mutex<()>,
    _library: Library,
}

/// The libraries that were loaded, by their paths; the default one has no path.
type Loaded = Mutex<BTreeMap<Option<OsString>, Result<Arc<Functions>, DecodeError>>>;

impl Functions {
    /// The functions of a library, which is loaded only once.
    fn of_library(path: Option<&Path>) -> Result<Arc<Self>, DecodeError> {
        static LOADED: Loaded = Mutex::new(BTreeMap::new());
        let key = path.map(|path| path.as_os_str().to_owned());
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        loaded.entry(key).or_insert_with(|| Self::load(path).map(Arc::new)).clone()
    }

    fn load(path: Option<&Path>) -> Result<Self, DecodeError> {
        let given =
            path.map(|path| path.as_os_str().to_owned()).or_else(|| std::env::var_os("CM_SIMULATOR_IGA"));
        let names: Vec<&OsStr> =
            given.as_deref().map_or_else(|| NAMES.iter().map(OsStr::new).collect(), |name| vec![name]);
        let mut why = String::new();
        for &name in &names {
            // SAFETY: the initialisation of the library only builds its own tables.
            match unsafe { Library::new(name) } {
                Ok(library) => return Self::of(library).map_err(|why| missing(&names, why)),
                Err(error) => why = error.to_string(),
            }
        }
        Err(missing(&names, why))
    }

    fn of(library: Library) -> Result<Self, String> {
        // SAFETY: the types are those of `iga.h`, whose functions have existed under both names.
        let functions = unsafe {
            (
                either::<Create>(&library, [c"iga_context_create", c"iga_create_context"]),
                either::<Release>(&library, [c"iga_context_release", c"iga_release_context"]),
                either::<Disassemble>(&library, [c"iga_context_disassemble", c"iga_disassemble"]),
            )
        };
        let (create, release, disassemble) = (functions.0?, functions.1?, functions.2?);
        Ok(Self { create, release, disassemble, one: Mutex::new(()), _library: library })
    }
}

fn missing(names: &[&OsStr], why: String) -> DecodeError {
    let names: Vec<_> = names.iter().map(|name| name.to_string_lossy()).collect();
    DecodeError::Library { library: names.join(" or "), why }
}

/// A function with one of two names.
///
/// # Safety
///
/// `T` is its type, and it is not called after the library is closed.
unsafe fn either<T: Copy>(library: &Library, names: [&CStr; 2]) -> Result<T, String> {
    // SAFETY: as the caller promises.
    let find = |name: &CStr| unsafe { library.get::<T>(name) }.map(|symbol| *symbol);
    find(names[0]).or_else(|_| find(names[1])).map_err(|error| error.to_string())
}

/// Disassembles machine code, which must end with its last instruction, with the library at a path or the
/// default one.
pub(crate) fn text(
    code: &[u8],
    generation: Generation,
    library: Option<&Path>,
) -> Result<String, DecodeError> {
    let functions = Functions::of_library(library)?;
    let failed = |status| DecodeError::Disassembler { status, bytes: code.len() };
    let length = u32::try_from(code.len()).map_err(|_| failed(-1))?;
    let _one = functions.one.lock().unwrap_or_else(PoisonError::into_inner);
    let options = ContextOptions { size: size_of::<ContextOptions>(), platform: platform(generation) };
    let mut context = std::ptr::null_mut();
    // SAFETY: both pointers are valid, and the options start with their size.
    let status = unsafe { (functions.create)(&raw const options, &raw mut context) };
    if status != 0 && generation != Generation::Gen9 {
        return Err(DecodeError::Generation { generation: generation.name() });
    }
    if status != 0 {
        return Err(failed(status));
    }
    let options = DisassembleOptions {
        size: size_of::<DisassembleOptions>() as u32,
        formatting: HEXADECIMAL_FLOATS,
        reserved: [0; 2],
        decoder: 0,
        first: 0,
    };
    let mut text: *mut c_char = std::ptr::null_mut();
    // SAFETY: the context is alive; the code has `length` bytes; without a function for label names, the
    // library makes names itself.
    let status = unsafe {
        (functions.disassemble)(
            context,
            &raw const options,
            code.as_ptr().cast(),
            length,
            None,
            std::ptr::null_mut(),
            &raw mut text,
        )
    };
    let copied = if text.is_null() {
        String::new()
    } else {
        // SAFETY: the library returns a string with a terminating zero, which lives as long as the context.
        unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
    };
    // SAFETY: the context is alive, and is not used after this.
    unsafe { (functions.release)(context) };
    if status == 0 { Ok(copied) } else { Err(failed(status)) }
}

/// The number of immediate targets of branch opcodes: one or two.
fn targets(opcode: u8) -> usize {
    match opcode {
        // if, brc, else, break, cont, halt, goto
        0x22 | 0x23 | 0x24 | 0x28 | 0x29 | 0x2a | 0x2e => 2,
        // brd, endif, while, join
        0x21 | 0x25 | 0x27 | 0x2f => 1,
        _ => 0,
    }
}

/// The opcode of the return from a subroutine.
const RETURN: u8 = 0x2d;

/// The number of bytes of a kernel: up to the message that ends the thread and that no branch passes, or up to the return from
/// the last subroutine behind it.
pub(crate) fn length(code: &[u8], generation: Generation) -> usize {
    let newer = generation.has_scoreboard();
    let dword = |at: usize| {
        code.get(at..at + 4).map_or(0, |bytes| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    };
    let (mut at, mut furthest, mut ended) = (0, 0, false);
    while at + 8 <= code.len() {
        let first = dword(at);
        let opcode = (first & 0x7f) as u8;
        let compacted = first >> 29 & 1 != 0;
        let length = if compacted { 8 } else { 16 };
        if at + length > code.len() {
            break;
        }
        if !compacted {
            // The target of a jump or call is immediate if its operand is.
            let jumps = matches!(opcode, 0x20 | 0x2c) && (newer || dword(at + 8) >> 25 & 3 == 3);
            let count = if jumps { 1 } else { targets(opcode) };
            for place in [at + 12, at + 8].into_iter().take(count) {
                let base = if opcode == 0x20 && !newer { at + 16 } else { at };
                let target = base.checked_add_signed(dword(place).cast_signed() as isize);
                furthest = furthest.max(target.filter(|&target| target < code.len()).unwrap_or(0));
            }
            let is_message = (0x31..=0x34).contains(&opcode);
            let ends = if newer { dword(at + 4) >> 2 & 1 } else { dword(at + 12) >> 31 };
            ended |= is_message && ends != 0;
            if (is_message && ends != 0 || ended && opcode == RETURN) && at + length > furthest {
                return at + length;
            }
        }
        at += length;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An instruction with these dwords.
    fn instruction(dwords: [u32; 4]) -> Vec<u8> {
        dwords.into_iter().flat_map(u32::to_le_bytes).collect()
    }

    #[test]
    fn a_kernel_ends_with_its_last_subroutine() {
        let nop = instruction([0x60, 0, 0, 0]);
        let returns = instruction([u32::from(RETURN), 0, 0, 0]);
        for generation in [Generation::Gen9, Generation::XeLp] {
            // Relative to the call; on Gen9 the operand is immediate.
            let call = |bytes: u32| instruction([0x2c, 0, 3 << 25, bytes]);
            let end = match generation {
                Generation::Gen9 => instruction([0x31, 0, 0, 1 << 31]),
                _ => instruction([0x31, 1 << 2, 0, 0]),
            };
            let alone = [nop.clone(), end.clone()].concat();
            let with_two = [
                call(64),
                call(64),
                nop.clone(),
                end.clone(),
                // The two subroutines.
                returns.clone(),
                nop.clone(),
                returns.clone(),
            ]
            .concat();
            for kernel in [alone, with_two] {
                // Other code follows in memory.
                let code = [kernel.clone(), vec![0xff; 64], end.clone()].concat();
                assert_eq!(length(&code, generation), kernel.len(), "{}", generation.name());
            }
        }
    }
}
