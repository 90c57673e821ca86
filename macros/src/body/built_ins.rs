//! The methods and built-in functions that the macros know, one row each.
//!
//! The macros see no types. Whether a call needs the backend, or offsets that are types, follows from its
//! name alone; a name without a row is an ordinary call.

use syn::BinOp;

use super::built_in::Generics::{FromBackend, FromSize};
use super::built_in::ResultElements::{Named, OfOperands};
use super::built_in::{
    Argument, Arguments, BuiltIn, Call, Literals, constructor, function, method, of_memory,
};
use crate::messages;

/// Whether a function computes with elements of other lanes, or moves blocks, which single lanes cannot do.
pub(super) fn looks_across(name: &str) -> bool {
    const FUNCTIONS: [&str; 12] = [
        "sad2",
        "sada2",
        "dp2",
        "dp3",
        "dp4",
        "dp4a",
        "dph",
        "line",
        "pln",
        "prod",
        "pack_mask",
        "unpack_mask",
    ];
    const OF_SUB_GROUPS: [&str; 8] =
        ["any", "all", "broadcast", "reduce_", "scan_", "block_", "media_block_", "shuffle"];
    let plain = name.strip_suffix("_any").unwrap_or(name);
    let plain = plain.strip_suffix("_sat").unwrap_or(plain);
    FUNCTIONS.contains(&plain)
        || of_sub_groups(name).is_some_and(|name| OF_SUB_GROUPS.iter().any(|start| name.starts_with(start)))
}

/// The rest of the name, if it is that of a function of sub-groups.
pub(super) fn of_sub_groups(name: &str) -> Option<&str> {
    name.strip_prefix("intel_").unwrap_or(name).strip_prefix("sub_group_")
}

/// The function that prepares the operand of a reduction of the active lanes; `None` if the function is not a
/// reduction.
pub(super) fn reduces(name: &str) -> Option<&'static str> {
    match name.strip_suffix("_sat").unwrap_or(name) {
        "sum" => Some("simd_summed"),
        "reduced_min" => Some("simd_least"),
        "reduced_max" => Some("simd_largest"),
        _ => None,
    }
}

/// The type of a comparison.
pub(super) fn comparison(op: &BinOp) -> Option<&'static str> {
    Some(match op {
        BinOp::Lt(_) => "Lt",
        BinOp::Le(_) => "Le",
        BinOp::Gt(_) => "Gt",
        BinOp::Ge(_) => "Ge",
        BinOp::Eq(_) => "Eq",
        BinOp::Ne(_) => "Ne",
        _ => return None,
    })
}

/// A name that the macros do not know.
pub(super) static OTHER: BuiltIn = function("");

const REPLICATES: &[(usize, &str)] =
    &[(1, "replicate"), (2, "replicate_w"), (3, "replicate_vs_w"), (4, "replicate_vs_w_hs")];

static BUILT_INS: &[BuiltIn] = &[
    // Regions of registers.
    method("select").offsets().of_registers().checked().gives_value(),
    method("select_any").offsets().of_registers().gives_value(),
    method("select_mut").offsets().checked(),
    method("row").offsets().of_registers().gives_value(),
    method("row_mut").offsets(),
    method("column").offsets().of_registers().gives_value(),
    method("column_mut").offsets(),
    method("get").offsets().gives_value(),
    method("get_mut").offsets(),
    method("iselect").gives_value(),
    method("replicate")
        .offsets()
        .of_registers()
        .gives_value()
        .of_file(1)
        .overloads(REPLICATES, messages::REPLICATE),
    method("replicate_w").offsets().of_registers().gives_value().of_file(2),
    method("replicate_vs_w").offsets().of_registers().gives_value().of_file(3),
    method("replicate_vs_w_hs").offsets().of_registers().gives_value().of_file(4),
    method("replicate_in").of_registers().gives_value(),
    method("replicate_w_in").of_registers().gives_value(),
    method("replicate_vs_w_in").of_registers().gives_value(),
    method("replicate_vs_w_hs_in").of_registers().gives_value(),
    method("format")
        .of_registers()
        .gives_value()
        .overloads(&[(1, "format"), (3, "format_matrix")], messages::FORMAT),
    method("format_mut").overloads(&[(1, "format_mut"), (3, "format_matrix_mut")], messages::FORMAT),
    method("format_matrix").of_registers().checked().gives_value(),
    method("format_matrix_any").of_registers().gives_value(),
    // Elements of registers.
    method("convert").of_registers().converts().gives_value(),
    method("saturate").of_registers().converts().gives_value(),
    method("any").of_registers(),
    method("all").of_registers(),
    method("assign").assigns().converts_trees().any_elements_of(1),
    method("vector_assign").assigns(),
    method("merge").assigns().takes_mask(),
    method("merge_else").assigns().takes_mask(),
    // `from_array` makes registers of plain Rust; in kernels `constant` stands for it.
    constructor("from_array").renamed("constant").checked().of_file(0),
    constructor("constant").checked().of_file(0),
    constructor("constant_any"),
    // `from_array` with staged elements.
    constructor("of_elements").checked().of_file(0),
    constructor("splat").checked().of_file(1),
    constructor("splat_any"),
    // Surfaces and buffers.
    of_memory("read").bytes_first_of(1).checked().blocks().sizes(&[(1, "16"), (2, "u8, 8, 32")]),
    of_memory("read_dwaligned").bytes_first_of(1).checked().blocks().sizes(&[(1, "16")]),
    of_memory("write").bytes_first_of(2).any_elements_of(3).checked().blocks(),
    of_memory("read_transpose").checked().blocks().sizes(&[(2, "u32, 4, 8")]),
    of_memory("plane_mut").gives_surface(),
    of_memory("top_field_mut").gives_surface(),
    of_memory("bottom_field_mut").gives_surface(),
    of_memory("read_plane").checked().blocks().sizes(&[(3, "u8, 8, 32")]),
    of_memory("write_plane").any_elements_of(4).checked().blocks(),
    of_memory("load").bytes_first_of(1).checked().blocks().sizes(&[(1, "16")]),
    of_memory("load_cached").bytes_first_of(1).checked().blocks(),
    of_memory("store").bytes_first_of(2).checked().blocks(),
    of_memory("store_cached").bytes_first_of(2).checked().blocks(),
    of_memory("prefetch").bytes_first_of(1).checked().blocks(),
    of_memory("prefetch_cached").bytes_first_of(1).checked().blocks(),
    of_memory("load_2d").checked().blocks(),
    of_memory("load_2d_transposed").checked().blocks(),
    of_memory("load_2d_vnni").checked().blocks(),
    of_memory("load_2d_as").checked().blocks(),
    of_memory("store_2d").checked().blocks(),
    of_memory("store_2d_cached").checked().blocks(),
    of_memory("prefetch_2d").checked().blocks(),
    of_memory("prefetch_2d_cached").checked().blocks(),
    of_memory("read_block").checked().of_file(3).blocks().sizes(&[(2, "u8, 8, 32")]),
    of_memory("write_block").blocks(),
    of_memory("read_linear").bytes_first_of(1).checked().of_file(1).blocks().sizes(&[(1, "16")]),
    of_memory("write_linear").bytes_first_of(2).blocks(),
    of_memory("read_typed").checked(),
    of_memory("read_typed_masked").checked(),
    of_memory("sample").checked(),
    of_memory("load_texels").checked(),
    of_memory("write_typed").checked().scatters(),
    of_memory("write_typed_masked").checked().scatters(),
    of_memory("write_typed_atomic").checked().scatters(),
    of_memory("write_typed_atomic_masked").checked().scatters(),
    of_memory("fetch_typed_atomic").checked().scatters(),
    of_memory("fetch_typed_atomic_masked").checked().scatters(),
    of_memory("read_scattered").lanes(1).checked(),
    of_memory("read_scattered_masked").lanes(2).checked(),
    of_memory("read_scaled").lanes(1).checked(),
    of_memory("read_scaled_masked").lanes(2).checked(),
    of_memory("read_untyped").checked(),
    of_memory("read_untyped_masked").checked(),
    of_memory("load_vectors").checked(),
    of_memory("load_vectors_masked").checked(),
    of_memory("store_vectors").checked().scatters(),
    of_memory("store_vectors_masked").checked().scatters(),
    of_memory("write_untyped").checked().scatters(),
    of_memory("write_untyped_masked").checked().scatters(),
    of_memory("write_scattered").lanes(1).checked().scatters(),
    of_memory("write_scattered_masked").lanes(2).checked().scatters(),
    of_memory("write_scaled").lanes(1).checked().scatters(),
    of_memory("write_scaled_masked").lanes(2).checked().scatters(),
    of_memory("write_atomic").lanes(1).checked().scatters(),
    of_memory("write_atomic_masked").lanes(2).checked().scatters(),
    of_memory("fetch_atomic").lanes(1).checked().scatters(),
    of_memory("fetch_atomic_masked").lanes(2).checked().scatters(),
    // Threads.
    function("thread_origin_x").generics(FromBackend).gives_scalar(),
    function("thread_origin_y").generics(FromBackend).gives_scalar(),
    function("local_id").takes(1).generics(FromBackend).gives_scalar(),
    function("local_size").takes(1).generics(FromBackend).gives_scalar(),
    function("group_id").takes(1).generics(FromBackend).gives_scalar(),
    function("group_count").takes(1).generics(FromBackend).gives_scalar(),
    function("linear_local_id").generics(FromBackend).gives_scalar(),
    function("linear_local_size").generics(FromBackend).gives_scalar(),
    function("linear_group_id").generics(FromBackend).gives_scalar(),
    function("linear_group_count").generics(FromBackend).gives_scalar(),
    function("linear_global_id").generics(FromBackend).gives_scalar(),
    function("linear_global_size").generics(FromBackend).gives_scalar(),
    function("slm").generics(FromBackend),
    function("named_barriers").generics(FromBackend).checked(),
    function("named_barriers_any").generics(FromBackend),
    // The barriers of a group also have these names, as functions.
    of_memory("signal").arguments(Arguments::FirstOf(4, Argument::Offset)),
    of_memory("wait").arguments(Arguments::FirstOf(1, Argument::Offset)),
    function("barrier").generics(FromBackend),
    function("signal").generics(FromBackend),
    function("wait").generics(FromBackend),
    function("fence").generics(FromBackend),
    function("clock").generics(FromBackend),
    function("rdtsc").generics(FromBackend),
    // Sub-groups.
    function("num_sub_groups").generics(FromBackend).gives_scalar(),
    function("enqueued_num_sub_groups").generics(FromBackend).gives_scalar(),
    function("sub_group_id").generics(FromBackend).gives_scalar(),
    function("sub_group_size").generics(FromSize),
    function("max_sub_group_size").generics(FromSize),
    function("sub_group_local_id").generics(FromSize),
    function("sub_group_broadcast").arguments(Arguments::At(1, Argument::Offset)),
    function("sub_group_block_read").start(false),
    function("sub_group_block_read2").start(false),
    function("sub_group_block_read4").start(false),
    function("sub_group_block_read8").start(false),
    function("sub_group_block_write").start(true),
    function("sub_group_block_write2").start(true),
    function("sub_group_block_write4").start(true),
    function("sub_group_block_write8").start(true),
    function("sub_group_media_block_read_").family().arguments(Arguments::At(0, Argument::Column)).checked(),
    function("sub_group_media_block_write_").family().arguments(Arguments::At(0, Argument::Column)).checked(),
    // Of `math`.
    function("abs").in_trees("Abs").elementwise(Named),
    function("abs_sat").in_trees_limited("Abs").elementwise(Named),
    function("avg").in_trees("Avg").elementwise(Named),
    function("avg_sat").in_trees_limited("Avg").elementwise(Named),
    function("max").in_trees("Max").elementwise(Named),
    function("max_sat").in_trees_limited("Max").elementwise(Named),
    function("min").in_trees("Min").elementwise(Named),
    function("min_sat").in_trees_limited("Min").elementwise(Named),
    function("rndd").takes_trees().elementwise(Named),
    function("rnde").takes_trees().elementwise(Named),
    function("rndu").takes_trees().elementwise(Named),
    function("rndz").takes_trees().elementwise(Named),
    function("exp").takes_trees().elementwise(OfOperands),
    function("inv").takes_trees().elementwise(OfOperands),
    function("log").takes_trees().elementwise(OfOperands),
    function("rsqrt").takes_trees().elementwise(OfOperands),
    function("sqrt").takes_trees().elementwise(OfOperands),
    function("add").elementwise(Named),
    function("add_sat").elementwise(Named),
    function("sub").elementwise(Named),
    function("sub_sat").elementwise(Named),
    function("mul").elementwise(Named),
    function("mul_sat").elementwise(Named),
    function("shl").elementwise(Named),
    function("shl_sat").elementwise(Named),
    function("shr").elementwise(Named),
    function("shr_sat").elementwise(Named),
    function("asr").elementwise(Named),
    function("asr_sat").elementwise(Named),
    function("lsr").elementwise(Named),
    function("lsr_sat").elementwise(Named),
    function("sin").elementwise(OfOperands),
    function("cos").elementwise(OfOperands),
    function("pow").elementwise(OfOperands).literals(Literals::Single),
    function("sqrt_ieee").elementwise(OfOperands),
    function("div_ieee").elementwise(OfOperands),
    function("asin").elementwise(OfOperands),
    function("acos").elementwise(OfOperands),
    function("atan").elementwise(OfOperands),
    function("atan2").elementwise(OfOperands).literals(Literals::OfOperands),
    function("tanh").elementwise(OfOperands),
    function("frc").elementwise(OfOperands),
    function("mad").elementwise(OfOperands).literals(Literals::OfOperands),
    function("fma").elementwise(OfOperands).literals(Literals::OfOperands),
    function("lrp").elementwise(OfOperands).literals(Literals::OfOperands),
    function("rol").elementwise(OfOperands),
    function("ror").elementwise(OfOperands),
    function("quot").elementwise(OfOperands),
    function("modulo").elementwise(OfOperands),
    function("cbit").elementwise(OfOperands),
    function("fbh").elementwise(OfOperands),
    function("fbl").elementwise(OfOperands),
    function("lzd").elementwise(OfOperands),
    function("bf_reverse").elementwise(OfOperands),
    function("bf_cvt").elementwise(OfOperands),
    function("bf_cvt_f32").elementwise(OfOperands),
    function("f16tof32").elementwise(OfOperands),
    function("f32tof16").elementwise(OfOperands),
    function("tf32_cvt").elementwise(OfOperands),
    function("imul").literals(Literals::OfIntegers),
    function("addc").literals(Literals::OfIntegers),
    function("subb").literals(Literals::OfIntegers),
    function("pack_mask").gives_scalar(),
    // Of `std::mem`: variables of a kernel cannot be exchanged by reference.
    function("swap").exchanges(),
    function("replace").exchanges(),
    function("take").exchanges(),
];

fn look_up(call: Call, name: &str) -> &'static BuiltIn {
    BUILT_INS.iter().find(|built_in| built_in.is(call, name)).unwrap_or(&OTHER)
}

/// Whether registers have a method of this name that the macros know.
pub(crate) fn is_method_of_registers(name: &str) -> bool {
    let known = of_method(name);
    !known.is_other() && !known.of_memory
}

/// The name that calls of a method have in functions with generic sizes, if surfaces or buffers have a method of this name.
pub(crate) fn name_in_generics(name: &str) -> Option<String> {
    let known = of_method(name);
    (known.of_memory && known.checked).then(|| format!("{name}_any"))
}

/// The name that calls of `Type::name(..)` have, if the user's own structures may have a function of this name, too.
pub(crate) fn other_name_of_constructor(name: &str) -> Option<&'static str> {
    (name == "splat").then_some("splat_any")
}

/// Whether `Type::name(..)` creates a register, by its name.
pub(crate) fn is_known_constructor(name: &str) -> bool {
    of_constructor(name).is_some()
}

/// The row of `x.name(..)`.
pub(super) fn of_method(name: &str) -> &'static BuiltIn {
    look_up(Call::Method, name)
}

/// The row of `name(..)`.
pub(super) fn of_function(name: &str) -> &'static BuiltIn {
    look_up(Call::Function, name)
}

/// The row of `Type::name(..)`, if it creates a register.
pub(super) fn of_constructor(name: &str) -> Option<&'static BuiltIn> {
    BUILT_INS.iter().find(|built_in| built_in.is(Call::Constructor, name))
}

#[cfg(test)]
mod tests {
    use super::{BUILT_INS, looks_across};

    #[test]
    fn operations_on_groups_look_across() {
        for kind in cm::compiler::ops::GroupKind::ALL {
            assert!(looks_across(kind.name()), "{}", kind.name());
        }
    }

    /// A second row would never be found.
    #[test]
    fn every_name_has_one_row() {
        for (n, row) in BUILT_INS.iter().enumerate() {
            let same = BUILT_INS[..n].iter().find(|other| other.is(row.call, row.name));
            assert!(same.is_none(), "`{}` has two rows", row.name);
        }
    }
}
