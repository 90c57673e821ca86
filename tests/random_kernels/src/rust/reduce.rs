//! Makes programs that show a difference smaller.

use super::batch::{Batch, Given, difference};
use super::program::{Program, Statement};

/// Programs that are compiled at once.
const BATCH: usize = 12;
/// Crates that are compiled for one difference.
const CRATES: usize = 10;

/// A small program that differs from its interpretation by the same ways as this one, or as this one does not
/// compile; the program itself if none is found.
#[must_use]
pub fn reduced(batch: &Batch, program: &Program, given: &Given) -> (Program, Given) {
    let (mut best, mut how) = (program.clone(), given.clone());
    for _ in 0..CRATES {
        let all: Vec<Program> = smaller(&best).into_iter().take(BATCH).collect();
        if all.is_empty() {
            break;
        }
        let results = batch.run(&all);
        let found = all.into_iter().zip(results).find(|(_, given)| ways(given) == ways(&how));
        match found {
            Some(found) => (best, how) = found,
            // What was tried is in; nothing of it can go.
            None if statements(&best.body) <= BATCH => break,
            None => best.kept += BATCH / 2,
        }
    }
    (best, how)
}

/// The ways by which a program differs.
fn ways(given: &Given) -> Vec<&str> {
    if difference(given).is_none() {
        return vec![];
    }
    let expected = given.get("interpreter");
    given.iter().filter(|(_, result)| Some(*result) != expected).map(|(way, _)| way.as_str()).collect()
}

/// Programs with less, those with least first.
fn smaller(program: &Program) -> Vec<Program> {
    let count = statements(&program.body);
    let mut all = vec![];
    for seen in (0..program.seen.len()).filter(|_| program.seen.len() > 1) {
        let mut without = program.clone();
        without.seen = vec![program.seen[seen].clone()];
        all.push(without);
    }
    let mut size = count.div_ceil(2);
    while size > 0 {
        for start in (0..count).step_by(size) {
            let mut without = program.clone();
            let mut n = 0;
            without.body = kept(&program.body, &mut n, &|n| (start..start + size).contains(&n));
            if without.body != program.body {
                all.push(without);
            }
        }
        size /= 2;
    }
    let skipped = program.kept.min(all.len().saturating_sub(1));
    all.split_off(skipped)
}

fn statements(body: &[Statement]) -> usize {
    body.iter()
        .map(|statement| match statement {
            Statement::Block { body, other, .. } => 1 + statements(body) + statements(other),
            _ => 1,
        })
        .sum()
}

/// Without the statements of these numbers. A name keeps a simple value, because others may use it.
fn kept(body: &[Statement], n: &mut usize, gone: &impl Fn(usize) -> bool) -> Vec<Statement> {
    let mut all = vec![];
    for statement in body {
        let own = *n;
        *n += 1;
        match statement {
            Statement::Let { name, ty, variable, .. } if gone(own) => {
                let (name, value) = (name.clone(), "Matrix::splat(1u8)".to_owned());
                all.push(Statement::Let { name, ty: *ty, variable: *variable, value });
            }
            // Names of vectors are in such statements.
            Statement::Do(line) if gone(own) && !line.starts_with("let ") => {}
            Statement::Block { before, head, body, last, other } => {
                let (body, other) = (kept(body, n, gone), kept(other, n, gone));
                if !gone(own) {
                    let (before, head, last) = (before.clone(), head.clone(), last.clone());
                    all.push(Statement::Block { before, head, body, last, other });
                }
            }
            other => all.push(other.clone()),
        }
    }
    all
}
