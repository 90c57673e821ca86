//! The passes: rewritings of a kernel, from IR to IR, before its instructions are emitted. Each keeps what the kernel
//! computes.
//!
//! ```text
//! expand (instructions that replace one) <- most passes
//! media_rows (rows of blocks) <- padded_rows <- padded_columns; region_chains <- transposed_columns; neighbours <- gathered_vectors
//! whole_blocks <- neighbours; narrow, fixed_point <- widen; unused <- direct_conversions, even_parts, joint_channels, joint_parts, short_doubles; joint_parts, turned <- matrices
//! ```

use std::borrow::Cow;

use super::error::LowerError;
use crate::ir::Function;
use crate::limits::Violation;
use crate::simplify::{shortened, without_variables};
use crate::verify::{BrokenRule, verify};
use media_rows::Blocks;
pub use setting::Options;
pub(crate) use setting::Setting;

pub(super) mod atomic;
pub(super) mod averages;
pub(super) mod block_2d;
pub(super) mod byte_products;
pub(super) mod byte_sums;
pub(super) mod covered;
pub(super) mod direct_conversions;
pub(super) mod dispatch;
pub(super) mod dpas;
pub(super) mod ends;
pub(super) mod even_parts;
pub(super) mod expand;
pub(super) mod far_columns;
pub(super) mod fixed_point;
pub(super) mod fold;
pub(super) mod gathered_vectors;
pub(super) mod high_bytes;
pub(super) mod interlaced;
pub(super) mod joint_channels;
pub(super) mod joint_parts;
pub(super) mod joint_quotients;
pub(super) mod joint_reductions;
pub(super) mod large_reductions;
pub(super) mod limited_scalars;
pub(super) mod linear_surfaces;
pub(super) mod matrices;
pub(super) mod media_rows;
pub(super) mod narrow;
pub(super) mod neighbours;
pub(super) mod packed_dwords;
pub(super) mod padded_columns;
pub(super) mod padded_rows;
pub(super) mod printf;
pub(super) mod region_chains;
mod setting;
pub(super) mod short_doubles;
pub(super) mod short_longs;
pub(super) mod stacked;
pub(super) mod transposed_columns;
pub(super) mod turned;
mod unused;
mod whole_blocks;
pub(super) mod widen;
/// A pass and its name. It returns `None` if it changes nothing.
type Pass = (&'static str, fn(&Function, &Setting) -> Option<Function>);

/// Spell out how the kernel is launched: where its buffers end, in what its surfaces are, how its threads are numbered.
/// In this order: the argument of a line of threads follows the arguments of surfaces.
const OF_THE_LAUNCH: &[Pass] =
    &[
        ("ends", |kernel, of| if of.options.ends { ends::expand(kernel) } else { None }),
        ("padded_rows", |kernel, of| padded_rows::padded(kernel, of.blocks()?, of.budget())),
        ("media_rows in buffers", |kernel, of| match of.blocks()? {
            Blocks::InBuffers => media_rows::joined(kernel, Blocks::InBuffers, of.budget()),
            Blocks::Media => None,
        }),
        ("linear_surfaces", |kernel, of| {
            if of.options.linear { linear_surfaces::expand(kernel, of.target) } else { None }
        }),
        ("interlaced", |kernel, of| if of.options.linear { None } else { interlaced::expand(kernel) }),
        ("dispatch", |kernel, of| dispatch::expand(kernel, of.options.dispatch)),
    ];

/// Adapt the kernel to the target: first they spell out what the target lacks, then they join what it does at once, and
/// shorten the arithmetic.
const OF_THE_TARGET: &[Pass] = &[
    // What no target, or not this one, has.
    ("printf", |kernel, of| printf::expand(kernel, of.options.dispatch)),
    ("atomic", |kernel, of| atomic::expand(kernel, of.target)),
    ("dpas", |kernel, of| dpas::expand(kernel, of.target)),
    ("large_reductions", |kernel, _| large_reductions::expand(kernel)),
    ("block_2d", |kernel, of| block_2d::expand(kernel, of.target)),
    // Values, and what is known of them.
    ("fold", |kernel, _| fold::fold(kernel)),
    ("forwarded", |kernel, _| Some(without_variables(kernel))),
    ("short_longs", |kernel, _| short_longs::shortened(kernel)),
    ("short_doubles", |kernel, _| short_doubles::shortened(kernel)),
    // Regions, and reads of single elements.
    ("padded_columns", |kernel, of| padded_columns::padded(kernel, of.form, of.budget())),
    ("covered", |kernel, _| covered::skipped(kernel)),
    ("region_chains", |kernel, _| region_chains::joined(kernel)),
    ("transposed_columns", |kernel, _| transposed_columns::joined(kernel)),
    ("matrices", matrices::held),
    ("gathered_vectors", |kernel, of| gathered_vectors::joined(kernel, of.target, of.budget())),
    ("joint_channels", |kernel, of| joint_channels::joined(kernel, of.budget())),
    ("far_columns", |kernel, of| far_columns::joined(kernel, of.budget())),
    ("even_parts", |kernel, of| even_parts::divided(kernel, of.form, of.budget())),
    // Arithmetic in fewer bits.
    ("limited_scalars", |kernel, of| limited_scalars::limited(kernel, of.form)),
    ("averages", |kernel, _| averages::summed(kernel)),
    ("shortened", |kernel, of| shortened(kernel, of.form.orders_words())),
    ("direct_conversions", |kernel, _| direct_conversions::direct(kernel)),
    // Several operations as one.
    ("media_rows", |kernel, of| media_rows::joined(kernel, Blocks::Media, of.budget())),
    ("joint_parts", |kernel, of| joint_parts::below(kernel, of.form, of.budget())),
    ("stacked", |kernel, of| stacked::stacked(kernel, of.form, of.budget())),
    ("packed_dwords", |kernel, of| packed_dwords::packed(kernel, of.form)),
    ("byte_sums", |kernel, of| byte_sums::expand(kernel, of.target)),
    ("byte_products", |kernel, of| byte_products::expand(kernel, of.target)),
    ("joint_reductions", |kernel, of| joint_reductions::joined(kernel, of.form, of.budget())),
    ("joint_quotients", |kernel, of| joint_quotients::joined(kernel, of.budget())),
    ("high_bytes", |kernel, _| high_bytes::taken(kernel)),
];

/// Bring the kernel into the form that is lowered. Data of blocks is padded to the rows of messages, which is against the
/// rules of the IR.
const OF_THE_FORM: &[Pass] = &[
    ("widen", |kernel, of| widen::widen(kernel, of.form).or_else(|| fixed_point::expand(kernel))),
    ("neighbours", |kernel, of| neighbours::joined(kernel, of.target, of.budget())),
];

/// The kernel as it is launched.
pub(crate) fn launched<'a>(kernel: &'a Function, setting: &Setting) -> Result<Cow<'a, Function>, LowerError> {
    let (launched, names) = rewritten(Cow::Borrowed(kernel), OF_THE_LAUNCH, setting);
    check(&launched, &names)?;
    Ok(launched)
}

/// The kernel as it is lowered for the target.
pub(crate) fn adapted<'a>(kernel: &'a Function, setting: &Setting) -> Result<Cow<'a, Function>, LowerError> {
    let (adapted, names) = rewritten(Cow::Borrowed(kernel), OF_THE_TARGET, setting);
    check(&adapted, &names)?;
    Ok(rewritten(adapted, OF_THE_FORM, setting).0)
}

/// The kernel after these passes, one after the other, and the names of those that changed it.
fn rewritten<'a>(
    mut kernel: Cow<'a, Function>,
    passes: &[Pass],
    setting: &Setting,
) -> (Cow<'a, Function>, Vec<&'static str>) {
    let mut names = vec![];
    for (name, pass) in passes {
        if let Some(changed) = pass(&kernel, setting) {
            kernel = Cow::Owned(changed);
            names.push(*name);
        }
    }
    (kernel, names)
}

/// Whether the passes of these names have kept the rules of the IR. This checks the crate, not its input, so release builds
/// skip it.
fn check(after: &Function, names: &[&str]) -> Result<(), LowerError> {
    if !cfg!(debug_assertions) || names.is_empty() {
        return Ok(());
    }
    match verify(after) {
        // Atomic operations on words access dwords, of which the last one may reach beyond an array of shared memory.
        Err(error) if matches!(*error.rule, BrokenRule::Limit(Violation::SharedView { .. })) => Ok(()),
        Err(source) => Err(LowerError::Rewritten { passes: names.join(", "), source }),
        Ok(()) => Ok(()),
    }
}
