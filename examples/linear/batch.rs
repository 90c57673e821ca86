//! A folder of images.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, IsTerminal, Read};
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use image::ImageFormat;
use indicatif::{ProgressBar, ProgressStyle};

use crate::files::{self, Encoding};
use crate::filter::Filter;
use crate::job::{Job, Source};
use crate::{compare, report};

/// Filters every image of `input` into `output`. A bad file does not stop the others, but the result is then
/// an error.
pub(crate) fn run(input: &Path, output: &Path, compare: bool, filter: &Filter) -> Result<()> {
    let Listing { images, others } =
        list(input).with_context(|| format!("cannot list {}", input.display()))?;
    ensure!(!images.is_empty(), "{}: there is no PNG or JPEG image in this folder", input.display());

    let mut names = Names::new(&images);
    let bar = progress_bar(images.len());
    let mut failed = 0;
    for image in &images {
        let done = names.claim(image, compare).and_then(|(name, compare_name)| {
            let target = output.join(name);
            let compare_target = compare_name.map(|name| output.join(name));
            for path in [Some(&target), compare_target.as_ref()].into_iter().flatten() {
                files::check_target(path)?;
            }
            let source = input.join(image);
            Job { source: Source::File(&source), output: &target, compare: compare_target.as_deref() }
                .run(filter)
        });
        // The progress bar and the lines share the terminal.
        bar.suspend(|| match done {
            Ok(text) => report::say(text),
            Err(error) => {
                failed += 1;
                report::complain(&error);
                Ok(())
            }
        })?;
        bar.inc(1);
    }
    bar.finish_and_clear();

    let total = images.len();
    report::say(format_args!(
        "{} of {total} images filtered; files that are no images: {others}",
        total - failed
    ))?;
    if failed > 0 {
        bail!("{failed} of {total} images failed");
    }
    Ok(())
}

/// The files of a folder that may be images, sorted, and the number of other files.
struct Listing {
    images: Vec<OsString>,
    others: usize,
}

fn list(folder: &Path) -> io::Result<Listing> {
    let mut listing = Listing { images: Vec::new(), others: 0 };
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        let path = folder.join(&name);
        if path.is_dir() || name.as_encoded_bytes().starts_with(b".") {
            continue;
        }
        // A pipe is not an image, whatever its name is; a dangling link is reported.
        if path.exists() && !path.is_file() {
            listing.others += 1;
            continue;
        }
        if looks_like_image(&path) {
            listing.images.push(name);
        } else {
            listing.others += 1;
        }
    }
    listing.images.sort_unstable();
    Ok(listing)
}

/// Whether a file is in a folder, and is an image there or has the name of one.
pub(crate) fn is_image_of(file: &Path, folder: &Path) -> bool {
    files::same_file(files::folder_of(file), folder) && looks_like_image(file)
}

/// Decides by the file name, so that a broken image is reported and not skipped; otherwise by the first
/// bytes.
fn looks_like_image(path: &Path) -> bool {
    if Encoding::of(path).is_ok() {
        return true;
    }
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(16).read_to_end(&mut start)).is_ok();
    read && matches!(image::guess_format(&start), Ok(ImageFormat::Png | ImageFormat::Jpeg))
}

/// The names in the output folder. It may be the input folder: no output replaces an image that has not been
/// read yet.
struct Names {
    taken: HashSet<OsString>,
}

impl Names {
    fn new(images: &[OsString]) -> Self {
        Self { taken: images.iter().cloned().collect() }
    }

    /// The file names for an image and its comparison.
    fn claim(&mut self, image: &OsStr, compare: bool) -> Result<(OsString, Option<OsString>)> {
        let mut name = image.to_owned();
        if Encoding::of(Path::new(image)).is_err() {
            name.push(".png");
            self.take(image, &name)?;
        }
        if !compare {
            return Ok((name, None));
        }
        let beside = compare::beside(Path::new(&name)).into_os_string();
        self.take(image, &beside)?;
        Ok((name, Some(beside)))
    }

    fn take(&mut self, image: &OsStr, name: &OsStr) -> Result<()> {
        if !self.taken.insert(name.to_owned()) {
            bail!("{}: {} belongs to another image of the folder", image.display(), name.display());
        }
        Ok(())
    }
}

fn progress_bar(images: usize) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} {elapsed}");
    ProgressBar::new(images as u64).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_output_takes_the_name_of_another_image() {
        let images = ["a", "a.png", "b.jpg", "b-compare.jpg", "c"].map(OsString::from);
        let mut names = Names::new(&images);
        assert!(names.claim(&images[0], false).is_err());
        assert_eq!(names.claim(&images[1], false).ok(), Some(("a.png".into(), None)));
        assert!(names.claim(&images[2], true).is_err());
        let expected = Some(("c.png".into(), Some("c-compare.png".into())));
        assert_eq!(names.claim(&images[4], true).ok(), expected);
    }
}
