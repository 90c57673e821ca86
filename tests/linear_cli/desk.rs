//! A folder in which the program runs, and the filter by its definition.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use cm_test_support::noise::byte;
use cm_test_support::programs::example;
use image::{DynamicImage, Rgb, RgbImage};
use tempfile::TempDir;

/// A working folder in which the program runs.
pub(crate) struct Desk(TempDir);

impl Desk {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn put(&self, name: &str, image: impl Into<DynamicImage>) -> DynamicImage {
        let image = image.into();
        image.save(self.path(name)).expect("the image is written");
        image
    }

    pub(crate) fn get(&self, name: &str) -> DynamicImage {
        let bytes = fs::read(self.path(name)).expect("the file is there");
        image::load_from_memory(&bytes).expect("the file is an image")
    }

    pub(crate) fn names(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(folder)).expect("the folder is there");
        let mut names: Vec<_> = entries
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        self.command_of("linear", args)
    }

    pub(crate) fn command_of(&self, name: &str, args: &[&str]) -> Command {
        let mut command = Command::new(example(name));
        command.current_dir(self.0.path()).args(args);
        if std::env::var_os("CM_DEVICE").is_none() {
            command.env("CM_DEVICE", "cpu");
        }
        command
    }

    /// Runs the program, which must succeed, and returns its output.
    pub(crate) fn run(&self, args: &[&str]) -> String {
        let output = self.command(args).output().expect("the program starts");
        assert!(output.status.success(), "{args:?}: {output:?}");
        assert!(output.stderr.is_empty(), "{args:?}: {output:?}");
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    /// Runs the program, which must fail, and returns the error, which is one line.
    pub(crate) fn fail(&self, args: &[&str]) -> String {
        let output = self.command(args).output().expect("the program starts");
        let error = error_text(&output);
        assert_eq!(output.status.code(), Some(1), "{args:?}: {output:?}");
        assert!(error.starts_with("error: ") && error.lines().count() == 1, "{args:?}: {error}");
        error
    }

    /// Runs the program with arguments that the option parser rejects.
    pub(crate) fn misuse(&self, args: &[&str]) -> String {
        let output = self.command(args).output().expect("the program starts");
        assert_eq!(output.status.code(), Some(2), "{args:?}: {output:?}");
        error_text(&output)
    }
}

pub(crate) fn error_text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The filter by its definition, without code of the kernels.
pub(crate) fn scalar(image: &DynamicImage) -> RgbImage {
    let rgb = image.to_rgb8();
    let (width, height) = (rgb.width() as usize * 3, rgb.height() as usize);
    let bytes = rgb.as_raw();
    let mut out = Vec::with_capacity(bytes.len());
    for row in 0..height {
        for column in 0..width {
            let mut sum = 0_u32;
            for (down, right) in (0..9).map(|i| (i / 3, i % 3 * 3)) {
                let (y, x) = ((row + down).min(height - 1), (column + right).min(width - 1));
                sum += u32::from(bytes[y * width + x]);
            }
            out.push((sum as f32 * 0.111_f32) as u8);
        }
    }
    RgbImage::from_raw(rgb.width(), rgb.height(), out).expect("the same size")
}

pub(crate) fn colours(width: u32, height: u32) -> RgbImage {
    RgbImage::from_fn(width, height, |x, y| Rgb([0, 1, 2].map(|c| byte(((y * width + x) * 3 + c) as usize))))
}
