//! Makes kernels that show a difference smaller.

mod candidates;
mod edit;
mod payloads;

use std::collections::HashSet;
use std::time::{Duration, Instant};

use cm::ir::Function;
use cm::verify::verify;

use crate::difference::{Difference, Forms, Machine, Outcome};

/// Kernels that are tried at once.
const BATCH: usize = 16;

/// A small kernel that differs as this one does, and how; the kernel itself if none is found.
pub fn reduced(
    machine: &Machine,
    function: &Function,
    difference: &Difference,
    limit: Duration,
) -> (Function, Difference) {
    let start = Instant::now();
    let (mut best, mut how) = (function.clone(), difference.clone());
    let forms = if difference.is_elsewhere() { Forms::All } else { Forms::Executed };
    let mut tried: HashSet<String> = HashSet::new();
    'smaller: loop {
        let all: Vec<Function> = candidates::of(&best)
            .into_iter()
            .filter(|candidate| {
                weight(candidate) < weight(&best)
                    && verify(candidate).is_ok()
                    && payloads::are_hidden(candidate)
                    && tried.insert(candidate.to_string())
            })
            .collect();
        for batch in all.chunks(BATCH) {
            if start.elapsed() > limit {
                break 'smaller;
            }
            let outcomes = machine.compare(batch, forms);
            let found = batch.iter().zip(outcomes).find_map(|(candidate, outcome)| match outcome {
                Outcome::Different(other) if other.is_like(&how) => Some((candidate, other)),
                _ => None,
            });
            if let Some((candidate, other)) = found {
                (best, how) = (candidate.clone(), other);
                continue 'smaller;
            }
        }
        break;
    }
    (edit::tidied(&best), how)
}

/// Fewer instructions first, then fewer elements, then simpler constants.
fn weight(function: &Function) -> (usize, usize, u128) {
    let (mut count, mut elements, mut constants) = (0, 0, 0u128);
    for inst in function.body.instructions() {
        count += 1;
        elements += inst.ty.count();
        match &inst.op {
            cm::ir::Op::Constant(cm::ir::Bits::Splat(x)) => constants += u128::from(*x),
            cm::ir::Op::Constant(cm::ir::Bits::Each(_)) => elements += inst.ty.count(),
            cm::ir::Op::Region(_, region) | cm::ir::Op::Insert(_, region, _) => {
                constants += region.offset as u128 + 1000 * u128::from(region.dynamic.is_some());
            }
            cm::ir::Op::Map { .. } | cm::ir::Op::Group { .. } | cm::ir::Op::Iselect(..) => elements += 2,
            _ => {}
        }
    }
    (count, elements, constants)
}
