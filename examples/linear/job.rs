//! One image from its source to the written files.

use std::path::Path;

use anyhow::{Context, Result};

use crate::files::{self, Encoding, Picture};
use crate::filter::Filter;
use crate::{card, compare};

/// The maximum bytes of memory for each pixel while an image is filtered and written: its channels and those
/// of the result (8), the input of the encoder (4), and its output in two places, each of which grows by
/// doubling (24).
const MOST: usize = 8 + 4 + 24;
/// The same with a comparison, whose image is twice as large.
const MOST_COMPARED: usize = 8 + 8 + 8 + 48;

/// The source of an image.
#[derive(Clone, Copy)]
pub(crate) enum Source<'a> {
    Card,
    File(&'a Path),
}

impl Source<'_> {
    fn load(self, per_pixel: usize) -> Result<Picture> {
        match self {
            Self::Card => Ok(Picture { rgb: card::draw(), alpha: None, reduced: false }),
            Self::File(path) => files::load(path, per_pixel),
        }
    }

    fn name(self) -> String {
        match self {
            Self::Card => "test card".to_owned(),
            Self::File(path) => path.display().to_string(),
        }
    }
}

/// The work on one image. The targets are already checked.
pub(crate) struct Job<'a> {
    pub(crate) source: Source<'a>,
    pub(crate) output: &'a Path,
    pub(crate) compare: Option<&'a Path>,
}

impl Job<'_> {
    /// Runs the job. Returns a description in one or more lines.
    pub(crate) fn run(&self, filter: &Filter) -> Result<String> {
        let name = self.source.name();
        let before = self.source.load(if self.compare.is_some() { MOST_COMPARED } else { MOST })?;
        let (rgb, timing) = filter.apply(&before.rgb).with_context(|| format!("cannot filter {name}"))?;
        let after = Picture { rgb, alpha: before.alpha.clone(), reduced: before.reduced };

        files::save(self.output, &after)?;
        let (width, height) = before.rgb.dimensions();
        let output = self.output.display();
        let mut lines = vec![format!("{name} -> {output}: {width} x {height}, {timing}")];
        if before.reduced {
            lines.push(format!("note: {name} has 16 bits per channel; they are reduced to 8"));
        }
        if before.alpha.is_some() && Encoding::of(self.output)? == Encoding::Jpeg {
            lines.push(format!("note: {name} has alpha, which a JPEG file cannot hold; {output} is opaque"));
        }
        if let Some(path) = self.compare {
            files::save(path, &compare::side_by_side(&before, &after))?;
            lines.push(format!("before and after: {}", path.display()));
        }
        Ok(lines.join("\n"))
    }
}
