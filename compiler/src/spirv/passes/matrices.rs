//! How the matrices of a kernel are held: with columns as rows, with blocks beside each other as one, or both.

use super::joint_parts;
use super::setting::Setting;
use super::turned::turned;
use crate::ir::Function;

/// The kernel with matrices as they are held in the shortest way; `None` if they stay as they are.
pub(crate) fn held(kernel: &Function, of: &Setting) -> Option<Function> {
    let plain = turned(kernel, of);
    let Some(joint) = joint_parts::beside(kernel, of.form, of.budget()) else { return plain };
    let joint = turned(&joint, of).unwrap_or(joint);
    let [own, other] =
        [plain.as_ref().unwrap_or(kernel), &joint].map(|kernel| joint_parts::instructions(kernel, of.form));
    if other < own { Some(joint) } else { plain }
}
