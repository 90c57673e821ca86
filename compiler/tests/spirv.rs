//! Lowering to SPIR-V: modules that say what they should, and avoid what Intel's compiler gets wrong.

use cm_compiler::ir::Function;
use cm_compiler::spirv::{LowerError, Target, lower, validate};
use cm_compiler::text::parse;
use rspirv::binary::Disassemble;
use rspirv::dr::load_words;

/// A kernel that reads a block `%a` of elements `from` and writes the block `%z` of elements `to`.
fn kernel(from: &str, to: &str, body: &str) -> Function {
    let lines: String = body.lines().map(|line| format!("  {} @0:7:9\n", line.trim())).collect();
    let text = format!(
        "file 0 \"k.rs\"\nkernel k(a: read surface, z: write surface) {{\n  %0: i32 = constant 0 @0:1:1\n  \
         %1: {from}<2x8> = read #0 %0, %0 @0:2:1\n{lines}  write #1 %0, %0, %9: {to}<2x8> @0:9:1\n}}\n"
    );
    parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn text(function: &Function, target: Target) -> String {
    let module = lower(function, target).unwrap();
    validate(&module).unwrap();
    load_words(&module).unwrap().disassemble()
}

fn module(from: &str, to: &str, body: &str) -> String {
    text(&kernel(from, to, body), Target::Gen9)
}

#[test]
fn a_module_is_a_vector_kernel() {
    let module = module("u8", "u8", "%9: u8<2x8> = region %1[0; 8, 8, 1]");
    for line in [
        "OpCapability VectorComputeINTEL",
        "OpExtension \"SPV_INTEL_vector_compute\"",
        "OpMemoryModel Physical64 OpenCL",
        "\"k\"",
        "ContractionOff",
        "VectorComputeFunctionINTEL",
        "MediaBlockIOINTEL",
        "llvm.genx.media.ld.v16i8",
        "llvm.genx.media.st.v16i8",
    ] {
        assert!(module.contains(line), "no {line} in\n{module}");
    }
    assert!(!module.contains("DenormPreserve"), "nothing is computed in floats");
}

/// `zext(sext x)` would become a sign extension.
#[test]
fn an_extended_number_is_not_extended_once_more() {
    let body = "%2: u32<2x8> = convert %1\n%9: u64<2x8> = convert %2";
    let spelt = module("i16", "u64", body);
    assert!(spelt.contains("OpSConvert") && !spelt.contains("OpUConvert"), "{spelt}");
    assert!(module("u16", "u64", body).contains("OpUConvert"), "only where it was extended with its sign");
    let variable = "var $0: u32<2x8> = %1\n%3: u32<2x8> = load $0\n%9: u64<2x8> = convert %3";
    assert!(module("u32", "u64", variable).contains("OpUConvert"));
    let through = "%2: u32<2x8> = convert %1\nvar $0: u32<2x8> = %2\n%3: u32<2x8> = load $0\n\
                   %9: u64<2x8> = convert %3";
    assert!(
        !module("i16", "u64", through).contains("OpUConvert"),
        "variables hide nothing from the compiler"
    );
}

/// `uitofp(sext x)` would become a signed conversion.
#[test]
fn an_extended_number_is_not_converted_as_unsigned() {
    let body = "%2: u32<2x8> = convert %1\n%9: f32<2x8> = convert %2";
    assert!(!module("i16", "f32", body).contains("OpConvertUToF"));
    assert!(module("u32", "f32", "%9: f32<2x8> = convert %1").contains("OpConvertUToF"));
}

/// Unsigned operations would read the short number, with its sign.
#[test]
fn unsigned_operations_take_extended_numbers_whole() {
    let body = "%2: u32<2x8> = convert %1\n%3: u32<2x8> = add.u32 %2, %2\n%9: u32<2x8> = min.u32 %2, %3";
    assert!(module("i16", "u32", body).contains("llvm.genx.group.id.z"));
    assert!(!module("u16", "u32", body).contains("llvm.genx.group.id.z"));
    let implied = "%2: i16<2x8> = add.i16 %1, %1\n%9: u16<2x8> = lt.u32 %1, %2";
    assert!(module("i16", "u16", implied).contains("llvm.genx.group.id.z"));
    let limited = "%2: u32<2x8> = convert %1\n%9: u8<2x8> = saturate %2";
    assert!(module("i16", "u8", limited).contains("llvm.genx.group.id.z"));
    assert!(!module("u16", "u8", limited).contains("llvm.genx.group.id.z"));
}

/// A 64-bit shift of which low bits are used would be narrowed, and its count taken modulo 32: it is put together
/// of its halves. A shift by a constant needs no such care.
#[test]
fn a_wide_shift_is_put_together_of_its_halves() {
    let halves = |body: &str| module("u64", "u64", body).matches("wrregioni").count() > 0;
    assert!(halves("%9: u64<2x8> = shl.u64 %1, %1"));
    assert!(!halves("%2: u64 = constant 5\n%3: u64<2x8> = splat %2\n%9: u64<2x8> = shl.u64 %1, %3"));
    assert!(!halves("%9: u64<2x8> = shr.u64 %1, %1"));
}

/// For 64 bits the compiler would call a subroutine that does not run everywhere.
#[test]
fn wide_division_is_spelt_out() {
    for (elem, op) in [("i64", "div"), ("i64", "rem"), ("u64", "div"), ("u64", "rem")] {
        let any = module(
            elem,
            elem,
            &format!("%2: {elem}<2x8> = complement %1\n%9: {elem}<2x8> = {op}.{elem} %1, %2"),
        );
        let divisor = format!("%2: {elem} = constant 8\n%3: {elem}<2x8> = splat %2");
        let known = module(elem, elem, &format!("{divisor}\n%9: {elem}<2x8> = {op}.{elem} %1, %3"));
        for module in [&any, &known] {
            for call in ["OpSDiv", "OpUDiv", "OpSRem", "OpUMod"] {
                assert!(!module.contains(call), "{elem} {op}: {module}");
            }
        }
        assert!(any.contains("OpBranchConditional"), "{elem} {op}: {any}");
        assert!(!known.contains("OpBranch"), "{elem} {op} of a power of two: {known}");
    }
}

/// Saturating intrinsics would be merged into operations of the other signedness.
#[test]
fn integers_saturate_by_comparisons() {
    let module = module("i16", "u8", "%2: i32<2x8> = add.i32 %1, %1\n%9: u8<2x8> = saturate %2");
    assert!(!module.contains(".sat") && module.contains("OpSLessThan"), "{module}");
}

#[test]
fn denormal_floats_are_kept_where_there_may_be_some() {
    let scaled = "%2: f32 = constant 0.5\n%3: f32<2x8> = splat %2\n%9: f32<2x8> = mul.f32 %1, %3";
    assert!(module("f32", "f32", scaled).contains("DenormPreserve 32"));
    assert!(!module("u8", "f32", scaled).contains("DenormPreserve"), "half of an integer is not that small");
    // The operand is converted before it is added, as by an instruction of its own.
    let added = module("f16", "f32", "%9: f32<2x8> = add.f32 %1, %1");
    assert!(added.contains("DenormPreserve 16") && added.contains("DenormPreserve 32"));
}

#[test]
fn a_missing_f64_names_the_line_and_the_remedy() {
    let function = kernel("f32", "f32", "%2: f64<2x8> = convert %1\n%9: f32<2x8> = convert %2");
    for target in [Target::XeLp, Target::XeHpg] {
        let error = lower(&function, target).unwrap_err();
        assert!(matches!(error, LowerError::Unsupported { .. }));
        let text = error.to_string();
        assert!(text.starts_with("k.rs:7:9: kernel `k`") && text.contains("f32"), "{text}");
    }
    assert!(lower(&function, Target::Gen9).is_ok());
}

/// Rows of 24 bytes become rows of 32 lanes, and no more than 24 bytes of them are stored.
#[test]
fn rows_are_widened() {
    let function = parse(
        "file 0 \"k.rs\"\nkernel k(a: read surface, z: write surface) {\n  %0: i32 = constant 0 @0:1:1\n  \
         %1: u8<8x32> = read #0 %0, %0 @0:2:1\n  %2: u8<8x24> = region %1[0; 32, 24, 1] @0:3:1\n  \
         %3: u8<8x24> = region %1[3; 32, 24, 1] @0:3:1\n  %4: i32<8x24> = add.i32 %2, %3 @0:3:1\n  \
         %5: u8<8x24> = convert %4 @0:3:1\n  write #1 %0, %0, %5: u8<8x24> @0:4:1\n}\n",
    )
    .unwrap();
    for &target in Target::ALL {
        let text = text(&function, target);
        assert!(text.contains("llvm.genx.media.st.v256i8"), "{target}: {text}");
        assert!(text.contains("OpTypeVector") && !text.contains("v192"), "{target}: {text}");
    }
}

#[test]
fn broken_modules_are_found() {
    let module = lower(&kernel("u8", "u8", "%9: u8<2x8> = region %1[0; 8, 8, 1]"), Target::Gen9).unwrap();
    validate(&module).unwrap();
    let mut found = 0;
    for at in 0..module.len() {
        let mut broken = module.clone();
        broken[at] ^= 1 << 3;
        // Whatever is broken, nothing panics.
        found += usize::from(validate(&broken).is_err());
    }
    assert!(found * 10 > module.len() * 8, "{found} of {} changes were found", module.len());
}

/// What a number is a multiple of may be more than a host number holds.
#[test]
fn products_of_large_constants_are_lowered() {
    let mut body = String::from("%2: u32 = constant 65536\n%3: u32 = thread x\n");
    for n in 4..9 {
        body += &format!("%{n}: u32 = mul.u32 %{}, %2\n", n - 1);
    }
    body += "%10: u32<2x8> = splat %8\n%9: u32<2x8> = add.u32 %1, %10";
    let body = body.replace("%9", "%99").replace("%8", "%98").replace("%99", "%9");
    assert!(module("u32", "u32", &body).contains("OpIMul"));
}
