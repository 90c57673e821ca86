//! Makes kernels that show a difference smaller.

mod candidates;
mod edit;
mod payloads;

use std::collections::HashSet;
use std::time::{Duration, Instant};

use cm::ir::Function;
use cm::verify::verify;

use crate::difference::{Difference, Machine, Outcome};

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
    let forms = difference.forms();
    let mut tried: HashSet<String> = HashSet::new();
    // Where the last one was found the next one is: sizes go down, and places behind are not tried anew each time.
    let (mut next, mut since) = (0, 0);
    'smaller: loop {
        let kernel = best.clone();
        let all = candidates::of(&kernel);
        while since < all.len() {
            if start.elapsed() > limit {
                break 'smaller;
            }
            let mut batch = vec![];
            while since < all.len() && batch.len() < BATCH {
                let place = next % all.len();
                let candidate = all[place]();
                (next, since) = (place + 1, since + 1);
                if weight(&candidate) < weight(&best)
                    && verify(&candidate).is_ok()
                    && payloads::are_hidden(&candidate)
                    && tried.insert(candidate.to_string())
                {
                    batch.push((place, candidate));
                }
            }
            let kernels: Vec<Function> = batch.iter().map(|(_, candidate)| candidate.clone()).collect();
            let outcomes = machine.compare(&kernels, forms);
            let found = batch.into_iter().zip(outcomes).find_map(|(candidate, outcome)| match outcome {
                Outcome::Different(other) if other.is_like(&how) => Some((candidate, other)),
                _ => None,
            });
            if let Some(((place, candidate), other)) = found {
                (best, how) = (candidate, other);
                (next, since) = (place, 0);
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
