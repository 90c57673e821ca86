//! The methods and built-in functions that the macros know, one row each.
//!
//! The macros see no types. Whether a call needs the backend, or offsets that are types, follows from its
//! name alone; a name without a row is an ordinary call.

use syn::BinOp;

use Generics::{Block, FromBackend, FromSize, Usual};
use ResultElements::{Named, OfOperands};

use crate::messages;

/// How a name is called.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Call {
    /// `x.name(..)`
    Method,
    /// `name(..)`
    Function,
    /// `Type::name(..)`
    Constructor,
}

/// The kind of an argument. Literals of all kinds except values become types, which `cargo check` can check.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Argument {
    Value,
    /// A number for each lane. A single number is a literal with its default type: the shape follows from it.
    Lanes,
    /// A number of rows, columns or elements.
    Offset,
    /// A number of bytes.
    Bytes,
    /// A number of bytes that may be negative.
    Column,
    /// The start of a block: an offset in bytes, or the coordinates of a surface.
    Start {
        /// Whether the block must start at a whole dword of its row.
        aligned: bool,
    },
}

/// The arguments that are not values.
#[derive(Clone, Copy)]
enum Arguments {
    All(Argument),
    At(usize, Argument),
    /// The first one, in calls with as many arguments as this.
    FirstOf(usize, Argument),
}

/// The generic arguments of a function after the written ones.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Generics {
    /// The backend, after constants.
    Usual,
    /// The type of the start of the block, and the backend, after constants.
    Block,
    /// The backend alone: no argument names it.
    FromBackend,
    /// The size of the sub-group, which may be left to inference, and the backend: no argument names it.
    FromSize,
}

/// The type of the elements that a function computes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ResultElements {
    /// It follows from the types of the operands.
    OfOperands,
    /// It is the first generic argument.
    Named,
}

/// CM has one name where Rust needs one name per number of constants.
#[derive(Clone, Copy)]
struct Overloads {
    names: &'static [(usize, &'static str)],
    /// The message for other numbers.
    message: &'static str,
}

/// The treatment of one name.
#[derive(Clone, Copy)]
pub(super) struct BuiltIn {
    call: Call,
    name: &'static str,
    /// Whether the row applies to every name with this prefix.
    family: bool,
    arguments: Arguments,
    overloads: Option<Overloads>,
    pub(super) generics: Generics,
    /// The name that it has in kernels, if that is another.
    pub(super) renamed: Option<&'static str>,
    /// Whether it has a form `name_any` that is checked when the kernel is recorded, for functions with
    /// generic sizes.
    pub(super) checked: bool,
    /// The number of its generic parameters, if its result must fit the register file: it has a form `name_in` with the size
    /// of the register file as one more parameter.
    pub(super) of_file: Option<usize>,
    /// Whether surfaces, buffers, shared memory or barriers have it, and no registers.
    pub(super) of_memory: bool,
    /// Whether only registers and staged scalars have it, so that a literal in its receiver meets one of
    /// these.
    pub(super) of_registers: bool,
    /// Whether it converts every element.
    pub(super) converts: bool,
    /// Whether it returns a value, which cannot be changed.
    pub(super) gives_value: bool,
    /// Whether it returns part of a surface, which functions take by `&mut` like surfaces.
    pub(super) gives_surface: bool,
    /// Whether it changes the elements of its receiver.
    pub(super) assigns: bool,
    /// Whether it has a form `assign_tree`, which converts a tree of operators while it computes it.
    pub(super) converts_trees: bool,
    /// Whether its last operand is a mask, which may be a tree.
    pub(super) takes_mask: bool,
    /// Whether its first operand may be a tree of operators, if the function is called as `math::name`.
    pub(super) takes_trees: bool,
    /// The elements of its result, if the function is called as `math::name` and the result has the shape of its first
    /// operand.
    pub(super) elementwise: Option<ResultElements>,
    /// Whether it swaps the referents of its arguments.
    pub(super) exchanges: bool,
    /// Whether it moves a block, which no mask divides.
    pub(super) blocks: bool,
    /// Constants for the sizes of the block that it reads, by the number of its arguments: an example for messages. The
    /// result has these sizes, so that the call or the destination must show them.
    sizes: &'static [(usize, &'static str)],
    /// Whether it returns a staged number. A function of `math` counts only if it is called as `math::name`.
    pub(super) gives_scalar: bool,
    /// Whether it writes elements by their numbers: it has a form `name_masked`, or is one.
    pub(super) scatters: bool,
    /// The number of arguments with which the last one may have elements of any type, so that a conversion in it must
    /// name its type.
    any_elements_of: Option<usize>,
}

impl BuiltIn {
    const fn new(call: Call, name: &'static str) -> Self {
        Self {
            call,
            name,
            family: false,
            arguments: Arguments::All(Argument::Value),
            overloads: None,
            generics: Usual,
            renamed: None,
            checked: false,
            of_file: None,
            of_memory: false,
            of_registers: false,
            converts: false,
            gives_value: false,
            gives_surface: false,
            assigns: false,
            converts_trees: false,
            takes_mask: false,
            takes_trees: false,
            elementwise: None,
            exchanges: false,
            blocks: false,
            sizes: &[],
            gives_scalar: false,
            scatters: false,
            any_elements_of: None,
        }
    }

    const fn arguments(self, arguments: Arguments) -> Self {
        Self { arguments, ..self }
    }

    const fn offsets(self) -> Self {
        self.arguments(Arguments::All(Argument::Offset))
    }

    /// A method of buffers; that of surfaces has one argument more.
    const fn bytes_first_of(self, count: usize) -> Self {
        self.arguments(Arguments::FirstOf(count, Argument::Bytes))
    }

    /// The offsets of a scattered access.
    const fn lanes(self, at: usize) -> Self {
        self.arguments(Arguments::At(at, Argument::Lanes))
    }

    const fn start(self, aligned: bool) -> Self {
        Self { generics: Block, ..self.arguments(Arguments::At(1, Argument::Start { aligned })) }
    }

    const fn overloads(self, names: &'static [(usize, &'static str)], message: &'static str) -> Self {
        Self { overloads: Some(Overloads { names, message }), ..self }
    }

    const fn generics(self, generics: Generics) -> Self {
        Self { generics, ..self }
    }

    const fn renamed(self, name: &'static str) -> Self {
        Self { renamed: Some(name), ..self }
    }

    const fn family(self) -> Self {
        Self { family: true, ..self }
    }

    const fn checked(self) -> Self {
        Self { checked: true, ..self }
    }

    const fn of_file(self, generics: usize) -> Self {
        Self { of_file: Some(generics), ..self }
    }

    const fn of_registers(self) -> Self {
        Self { of_registers: true, ..self }
    }

    const fn converts(self) -> Self {
        Self { converts: true, ..self }
    }

    const fn gives_value(self) -> Self {
        Self { gives_value: true, ..self }
    }

    const fn assigns(self) -> Self {
        Self { assigns: true, ..self }
    }

    const fn converts_trees(self) -> Self {
        Self { converts_trees: true, ..self }
    }

    const fn takes_mask(self) -> Self {
        Self { takes_mask: true, ..self }
    }

    const fn takes_trees(self) -> Self {
        Self { takes_trees: true, ..self }
    }

    const fn elementwise(self, elements: ResultElements) -> Self {
        Self { elementwise: Some(elements), ..self }
    }

    const fn blocks(self) -> Self {
        Self { blocks: true, ..self }
    }

    const fn scatters(self) -> Self {
        Self { scatters: true, ..self }
    }

    const fn gives_surface(self) -> Self {
        Self { gives_surface: true, ..self }
    }

    const fn sizes(self, sizes: &'static [(usize, &'static str)]) -> Self {
        Self { sizes, ..self }
    }

    const fn gives_scalar(self) -> Self {
        Self { gives_scalar: true, ..self }
    }

    const fn exchanges(self) -> Self {
        Self { exchanges: true, ..self }
    }

    const fn any_elements_of(self, count: usize) -> Self {
        Self { any_elements_of: Some(count), ..self }
    }

    fn is(&self, call: Call, name: &str) -> bool {
        self.call == call && if self.family { name.starts_with(self.name) } else { name == self.name }
    }

    /// Whether the last of this number of arguments may have elements of any type.
    pub(super) fn takes_any_elements(&self, count: usize) -> bool {
        self.any_elements_of == Some(count)
    }

    /// Whether it is not one of these names.
    pub(super) fn is_other(&self) -> bool {
        self.name.is_empty()
    }

    /// An example of the sizes of the block that it reads with this number of arguments.
    pub(super) fn sizes_of(&self, count: usize) -> Option<&'static str> {
        self.sizes.iter().find(|(of, _)| *of == count).map(|(_, sizes)| *sizes)
    }

    /// The kind of argument number `n` of `count`.
    pub(super) fn argument(&self, n: usize, count: usize) -> Argument {
        match self.arguments {
            Arguments::All(argument) => argument,
            Arguments::At(at, argument) if n == at => argument,
            Arguments::FirstOf(of, argument) if n == 0 && count == of => argument,
            _ => Argument::Value,
        }
    }

    /// The name of the form for this number of constants, or the message for a wrong number; `None` if there is only
    /// one form.
    pub(super) fn overload(&self, constants: usize) -> Option<Result<&'static str, &'static str>> {
        let overloads = self.overloads?;
        let found = overloads.names.iter().find(|(of, _)| *of == constants);
        Some(found.map(|(_, name)| *name).ok_or(overloads.message))
    }
}

const fn method(name: &'static str) -> BuiltIn {
    BuiltIn::new(Call::Method, name)
}

const fn of_memory(name: &'static str) -> BuiltIn {
    BuiltIn { of_memory: true, ..method(name) }
}

const fn function(name: &'static str) -> BuiltIn {
    BuiltIn::new(Call::Function, name)
}

const fn constructor(name: &'static str) -> BuiltIn {
    BuiltIn::new(Call::Constructor, name)
}

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
    function("local_id").generics(FromBackend).gives_scalar(),
    function("local_size").generics(FromBackend).gives_scalar(),
    function("group_id").generics(FromBackend).gives_scalar(),
    function("group_count").generics(FromBackend).gives_scalar(),
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
    function("abs").takes_trees().elementwise(Named),
    function("abs_sat").takes_trees().elementwise(Named),
    function("avg").takes_trees().elementwise(Named),
    function("avg_sat").takes_trees().elementwise(Named),
    function("max").takes_trees().elementwise(Named),
    function("max_sat").takes_trees().elementwise(Named),
    function("min").takes_trees().elementwise(Named),
    function("min_sat").takes_trees().elementwise(Named),
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
    function("pow").elementwise(OfOperands),
    function("sqrt_ieee").elementwise(OfOperands),
    function("div_ieee").elementwise(OfOperands),
    function("asin").elementwise(OfOperands),
    function("acos").elementwise(OfOperands),
    function("atan").elementwise(OfOperands),
    function("atan2").elementwise(OfOperands),
    function("tanh").elementwise(OfOperands),
    function("frc").elementwise(OfOperands),
    function("mad").elementwise(OfOperands),
    function("fma").elementwise(OfOperands),
    function("lrp").elementwise(OfOperands),
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
    use super::BUILT_INS;

    /// A second row would never be found.
    #[test]
    fn every_name_has_one_row() {
        for (n, row) in BUILT_INS.iter().enumerate() {
            let same = BUILT_INS[..n].iter().find(|other| other.is(row.call, row.name));
            assert!(same.is_none(), "`{}` has two rows", row.name);
        }
    }
}
