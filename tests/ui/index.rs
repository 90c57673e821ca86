//! Which program shows which limit.
//!
//! A limit is a trait with a message of its own. Where sizes or offsets are computed the same limit is found
//! when the kernel is recorded, as a variant of `Violation`.

/// A limit and the programs that break it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    /// The trait that states it. Its message is the headline of each program.
    pub(crate) name: &'static str,
    /// What a recording finds instead.
    pub(crate) violation: Option<&'static str>,
    /// The programs, as `topic/rule`.
    pub(crate) programs: &'static [&'static str],
}

const fn limit(name: &'static str, programs: &'static [&'static str]) -> Limit {
    Limit { name, violation: None, programs }
}

/// A limit of sizes or offsets, which may be computed.
const fn computed(name: &'static str, violation: &'static str, programs: &'static [&'static str]) -> Limit {
    Limit { name, violation: Some(violation), programs }
}

/// Every limit that a program breaks.
pub(crate) const LIMITS: &[Limit] = &[
    limit(
        "Argument",
        &[
            "arguments/bool_argument",
            "arguments/number_by_reference",
            "arguments/string_argument",
            "arguments/surface_by_value",
            "arguments/usize_argument",
            "buffers/buffer_by_value",
        ],
    ),
    computed("AtLeastOne", "Format", &["format/element_larger_than_the_object"]),
    computed("AtLeastOneOword", "OwordRead", &["buffers/read_of_12_bytes"]),
    limit("Atomic", &["buffers/atomic_operation_that_is_a_number"]),
    limit("AtomicElem", &["buffers/atomic_operation_on_bytes", "buffers/atomic_operation_on_floats"]),
    computed("BlockColumn", "MediaWriteColumn", &["subgroups/block_write_at_column_2"]),
    limit("BlockRead", &["subgroups/block_read_of_floats"]),
    computed(
        "BlockWithin256Bytes",
        "MediaBlock",
        &[
            "media/read_of_512_bytes",
            "media/read_of_512_bytes_in_float_rows",
            "media/read_of_65_rows",
            "media/read_whose_pitch_exceeds_the_block",
            "media/write_of_512_bytes",
        ],
    ),
    limit("Bound", &["staging/float_range"]),
    limit("CastTo", &["staging/cast_of_a_register"]),
    computed(
        "ColumnExists",
        "Column",
        &[
            "replicate/literal_column_that_does_not_exist",
            "select/column_that_does_not_exist",
            "select/matrix_element_that_does_not_exist",
        ],
    ),
    computed("ColumnOfDwords", "MediaBlockIoColumn", &["media_block_io/read_at_byte_column_6"]),
    computed(
        "ColumnsInside",
        "Columns",
        &["select/column_stride_past_the_last_column", "select/more_columns_than_the_matrix_has"],
    ),
    limit(
        "Condition",
        &[
            "staging/number_as_condition",
            "staging/register_mask_as_condition",
            "staging/register_mask_in_while",
            "staging/register_mask_with_and",
        ],
    ),
    limit("Contiguous", &["format/column_place", "format/place_with_gaps"]),
    limit("Count", &["objects/length_that_no_object_has"]),
    limit("Declared", &["staging/string_variable"]),
    computed(
        "DwordAligned",
        "BlockOffset",
        &["buffers/dwaligned_read_at_byte_6", "subgroups/block_read_at_byte_6"],
    ),
    limit(
        "Elem",
        &[
            "arguments/register_of_bool",
            "buffers/buffer_of_bool",
            "element/bool_elements",
            "element/bool_elements_in_plain_rust",
            "element/char_elements",
            "element/convert_to_bool",
            "element/read_of_usize",
            "element/struct_elements",
            "format/bool_elements",
        ],
    ),
    computed(
        "ElementExists",
        "Element",
        &["select/vector_element_that_does_not_exist", "subgroups/broadcast_of_work_item_16"],
    ),
    computed("ElementsInside", "Elements", &["select/more_elements_than_the_vector_has"]),
    limit(
        "Enters",
        &[
            "assignment/let_of_another_shape",
            "assignment/register_into_a_scalar",
            "assignment/variable_of_another_shape",
            "objects/array_of_another_length",
        ],
    ),
    limit("EqualCounts", &["iselect_merge/vector_mask_of_another_count"]),
    computed(
        "HeightOfTable",
        "MediaBlockIo",
        &[
            "media_block_io/read_of_17_rows_of_12_bytes",
            "media_block_io/read_of_17_rows_of_16_bytes",
            "media_block_io/read_of_33_rows_of_8_bytes",
            "media_block_io/read_of_65_rows_of_4_bytes",
            "media_block_io/read_of_9_rows_of_20_bytes",
            "media_block_io/read_of_9_rows_of_32_bytes",
            "media_block_io/write_of_17_rows_of_12_bytes",
        ],
    ),
    limit(
        "Int",
        &[
            "buffers/float_element_numbers",
            "buffers/staged_float_offset",
            "iselect_merge/float_indices",
            "iselect_merge/float_mask",
            "math/avg_of_floats",
            "math/sad2_of_floats",
            "media/staged_float_coordinates",
            "operators/bitwise_and_of_floats",
            "operators/bitwise_or_with_a_float_number",
            "operators/compound_remainder_of_floats",
            "operators/converted_shift_of_floats",
            "operators/remainder_of_floats",
            "operators/shift_of_floats",
            "select/staged_float_offset",
            "staging/staged_range_over_floats",
            "subgroups/vote_of_floats",
        ],
    ),
    limit("IntoScalar", &["assignment/matrix_assigned_to_a_scalar", "operators/scalar_plus_assign_vector"]),
    limit("LaneNumber", &["subgroups/shuffle_by_a_float", "subgroups/shuffle_by_numbers_of_another_size"]),
    limit("LinearBlock", &["buffers/write_of_a_number"]),
    limit(
        "Mask",
        &["iselect_merge/integer_mask_for_more_than_32_elements", "iselect_merge/mask_of_another_shape"],
    ),
    limit(
        "MergeSource",
        &[
            "assignment/assign_of_another_count",
            "assignment/place_assign_of_another_shape",
            "iselect_merge/merged_register_of_another_count",
        ],
    ),
    limit(
        "Offset",
        &[
            "buffers/float_base",
            "buffers/float_offset",
            "media/float_coordinates",
            "media_block_io/float_column",
            "select/float_offset",
            "subgroups/block_read_at_a_float_column",
            "subgroups/broadcast_of_two_work_items",
        ],
    ),
    limit(
        "Operand",
        &[
            "math/avg_of_different_shapes",
            "operators/addition_of_a_bool",
            "operators/addition_of_a_matrix_and_a_vector",
            "operators/addition_of_different_lengths",
            "operators/addition_of_different_shapes",
            "operators/addition_of_different_shapes_in_plain_rust",
            "operators/comparison_of_different_shapes",
            "operators/compound_assignment_of_another_shape",
            "operators/converted_sum_of_a_bool",
            "operators/converted_sum_of_different_shapes",
            "operators/place_assignment_of_another_shape",
        ],
    ),
    computed(
        "OwordAligned",
        "BlockOffset",
        &["buffers/read_at_byte_8", "buffers/write_at_byte_4", "subgroups/block_write_at_byte_4"],
    ),
    computed(
        "PositiveSize",
        "ZeroSize",
        &[
            "format/matrix_of_zero_rows",
            "media/read_of_zero_rows",
            "media_block_io/read_of_no_columns",
            "media_block_io/read_of_no_rows",
            "objects/annotated_let_of_zero_rows",
            "objects/splat_of_zero_elements",
            "replicate/zero_repetitions",
            "replicate/zero_repetitions_of_everything",
            "replicate/zero_width",
            "select/zero_columns",
            "select/zero_elements",
            "select/zero_rows",
        ],
    ),
    computed(
        "PositiveStride",
        "Stride",
        &["select/zero_stride_of_a_matrix", "select/zero_stride_of_a_vector"],
    ),
    computed(
        "PowerOfTwoUpTo32",
        "Lanes",
        &["buffers/atomic_operation_on_12", "buffers/scattered_read_of_24", "buffers/scattered_write_of_64"],
    ),
    limit("Register", &["math/avg_of_a_number"]),
    computed("ReplicateInside", "Replicate", &["replicate/past_the_last_element"]),
    computed(
        "ReplicateStartsInside",
        "Replicate",
        &[
            "replicate/literal_offset_past_the_last_element",
            "replicate/literal_offset_that_reaches_past_the_end",
        ],
    ),
    computed("RowExists", "Row", &["select/row_that_does_not_exist"]),
    computed("RowWithin64Bytes", "MediaBlock", &["media/read_of_rows_wider_than_64_bytes"]),
    computed(
        "RowsInside",
        "Rows",
        &[
            "select/more_rows_than_the_matrix_has",
            "select/past_the_last_row_in_plain_rust",
            "select/place_past_the_last_row",
            "select/row_stride_past_the_last_row",
        ],
    ),
    computed("SameBytes", "Format", &["format/matrix_of_another_size", "format/place_of_another_size"]),
    limit(
        "SameElement",
        &[
            "assignment/let_of_another_element_type",
            "assignment/variable_of_another_element_type",
            "buffers/source_of_another_element_type",
            "buffers/write_of_another_element_type",
            "media_block_io/write_of_another_element_type",
        ],
    ),
    limit("ScatteredElem", &["buffers/scattered_read_of_doubles"]),
    computed("SelectColumnInside", "Columns", &["select/literal_column_past_the_last_column"]),
    computed(
        "SelectElementInside",
        "Elements",
        &[
            "select/literal_element_past_the_last_element",
            "select/place_of_a_place_past_the_last_element",
            "select/place_past_the_last_element",
        ],
    ),
    computed(
        "SelectRowInside",
        "Rows",
        &["select/literal_row_past_the_last_row", "select/past_the_last_row_in_a_function"],
    ),
    limit("ShiftBy", &["operators/shift_by_a_float"]),
    computed(
        "SmallerThanTheRegisterFile",
        "Object",
        &[
            "objects/alias_of_4096_bytes",
            "objects/annotated_let_of_4096_bytes",
            "objects/argument_larger_than_the_register_file",
            "objects/from_array_of_4096_bytes",
            "objects/splat_of_4096_bytes",
            "objects/variable_of_4096_bytes",
            "replicate/result_of_4096_bytes",
        ],
    ),
    limit("Stages", &["staging/string_mut_variable"]),
    computed("StrideFits", "Stride", &["select/stride_of_a_single_element", "select/stride_of_a_single_row"]),
    computed(
        "SubGroup",
        "SubGroup",
        &[
            "media_block_io/sub_group_of_24",
            "subgroups/block_read_of_64",
            "subgroups/reduction_of_12",
            "subgroups/size_of_24",
            "subgroups/size_without_its_bound",
        ],
    ),
    limit("SubGroupData", &["subgroups/shuffle_of_a_number"]),
    limit("SubGroupElem", &["subgroups/scan_of_words", "subgroups/shuffle_of_bytes"]),
    limit("SurfaceBlock", &["media/write_of_a_number"]),
    limit(
        "Texels",
        &["media_block_io/write_of_another_sub_group", "media_block_io/write_of_other_components"],
    ),
    limit("ToLen", &["replicate/result_that_no_object_has"]),
    computed("WholeDwords", "MediaWriteWidth", &["media/write_of_25_bytes"]),
    computed("WholeGroups", "Groups", &["math/dp4_of_6_columns", "math/sad2_of_15_elements"]),
    computed(
        "WholeOwords",
        "OwordWrite",
        &["buffers/write_of_256_bytes_of_a_matrix", "buffers/write_of_48_bytes"],
    ),
    computed(
        "WidthOfWholeDwords",
        "MediaBlockIo",
        &[
            "media_block_io/read_of_3_words_a_row",
            "media_block_io/read_of_6_bytes_a_row",
            "media_block_io/write_of_6_bytes_a_row",
        ],
    ),
    computed(
        "WidthWithin32Bytes",
        "MediaBlockIo",
        &[
            "media_block_io/read_of_18_words_a_row",
            "media_block_io/read_of_36_bytes_a_row",
            "media_block_io/read_of_9_dwords_a_row",
        ],
    ),
    computed(
        "Within8Owords",
        "OwordRead",
        &["buffers/dwaligned_read_of_160_bytes", "buffers/read_of_132_bytes"],
    ),
];

/// Traits with a message that is not the first for any program, and why.
pub(crate) const NEVER_FIRST: &[(&str, &str)] = &[
    ("AtMost32", "`Mask` is reported"),
    ("Backend", "kernels do not name their backend"),
    ("Beside", "`Operand` is reported"),
    ("BinaryOp", "`Operand` or `Int` is reported"),
    ("BlockWrite", "what is written to has another type, which Rust reports"),
    ("Compare", "`Operand` or `ScalarLike` is reported"),
    ("GroupOp", "`Int` is reported"),
    ("IntoBound", "`Bound` or the type is reported"),
    ("LaunchArg", "Rust reports the type"),
    ("LeftOf", "`Operand` is reported"),
    ("Promote", "every pair of element types has a common one"),
    ("RightOf", "`ScalarLike` is reported"),
    ("ScalarLike", "`IntoScalar` says the same"),
    ("Staged", "`Declared` says the same"),
    ("Stored", "`Stages` is reported"),
    ("TernaryOp", "no public function has the bound yet"),
    ("UnaryOp", "Rust reports its own operator"),
];

/// Violations that no trait can state, with the file and the test that shows them.
pub(crate) const RECORDED: &[(&str, &str, &str)] = &[
    ("BlockAlignment", "tests/memory/buffers/errors.rs", "rules_that_show_when_recorded"),
    ("BufferElement", "tests/memory/buffers/errors.rs", "rules_that_show_when_recorded"),
    ("Coordinate", "tests/compiler/recording.rs", "broken_rules_name_the_line"),
    ("HostStore", "tests/compiler/recording.rs", "broken_rules_name_the_line"),
    ("MediaBlockIoColumns", "tests/language/media_block_io/rules.rs", "columns_are_multiples_of_4"),
    ("Recursion", "tests/compiler/recording.rs", "broken_rules_name_the_line"),
    ("StaleCopy", "tests/compiler/recording.rs", "copies_that_syntax_does_not_show_are_refused"),
    ("TooManyOperations", "tests/compiler/recording.rs", "broken_rules_name_the_line"),
];

/// Programs that `#[kernel]` and `#[function]` refuse, because of how they are written.
pub(crate) const SYNTAX: &[&str] = &[
    "arguments/async_kernel",
    "arguments/impl_trait_argument",
    "arguments/kernel_on_a_struct",
    "arguments/kernel_with_a_lifetime",
    "arguments/kernel_with_a_result",
    "arguments/kernel_with_a_type_parameter",
    "arguments/kernel_with_self",
    "arguments/mut_argument",
    "arguments/pattern_argument",
    "arguments/unknown_attribute_argument",
    "assignment/immutable_name",
    "assignment/immutable_name_with_plus",
    "assignment/place_with_equals",
    "buffers/negative_offset",
    "format/assignment_to_a_formatted_matrix",
    "format/two_constants",
    "iselect_merge/assignment_to_the_result_of_iselect",
    "replicate/assignment_to_the_result",
    "replicate/five_constants",
    "replicate/negative_offset",
    "select/negative_offset",
    "staging/async_block",
    "staging/break_statement",
    "staging/continue_statement",
    "staging/labelled_loop",
    "staging/let_else",
    "staging/let_without_a_value",
    "staging/loop_statement",
    "staging/macro_call",
    "staging/nested_item",
    "staging/question_mark",
    "staging/return_statement",
    "staging/unsafe_block",
    "staging/while_let",
    "subgroups/block_read_at_a_negative_byte",
];

/// Programs that break a rule of Rust: types, borrows, numbers of arguments.
pub(crate) const RUST: &[&str] = &[
    "assignment/function_argument_of_another_shape",
    "assignment/immutable_place",
    "buffers/add_with_two_sources",
    "buffers/buffer_of_another_element_type",
    "buffers/cmpxchg_with_one_source",
    "buffers/same_buffer_as_input_and_output",
    "buffers/scattered_write_of_another_element_type",
    "buffers/scattered_write_of_another_length",
    "buffers/source_of_another_length",
    "buffers/write_by_value",
    "buffers/write_to_a_shared_buffer",
    "iselect_merge/index_vectors_of_different_lengths",
    "iselect_merge/merge_without_a_mask",
    "iselect_merge/one_index_vector_on_a_matrix",
    "launch/argument_missing",
    "launch/number_of_another_type",
    "launch/output_by_shared_reference",
    "launch/same_surface_as_input_and_output",
    "media/write_by_value",
    "media/write_to_a_shared_surface",
    "media_block_io/write_to_a_shared_surface",
    "operators/complement_of_floats",
    "replicate/offset_of_the_whole_object",
    "select/four_constants_on_a_vector",
    "select/matrix_element_without_its_column",
    "select/one_offset_on_a_matrix",
    "select/row_of_a_vector",
    "select/two_constants_on_a_matrix",
    "select/two_offsets_on_a_vector",
    "staging/arms_of_different_types",
    "subgroups/block_read_of_a_surface_at_an_offset",
    "subgroups/block_write_of_floats",
    "subgroups/block_write_to_a_shared_buffer",
    "subgroups/shuffle_down_of_two_types",
];
