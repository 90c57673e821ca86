//! The command line.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Parser, ValueEnum, value_parser};

/// Blurs images with the 3x3 box filter of the CM tutorials.
///
/// Without INPUT, the program draws a test card, filters it and writes the result to linear.png.
#[derive(Debug, Parser)]
#[command(name = "linear", version)]
pub(crate) struct Options {
    /// A PNG or JPEG image, or a folder of images. Hidden files and subfolders are skipped
    #[arg(requires = "output")]
    pub(crate) input: Option<PathBuf>,

    /// The filtered image (.png, .jpg or .jpeg), or the folder for the filtered images
    pub(crate) output: Option<PathBuf>,

    /// The kernel. All kernels compute the same image
    #[arg(long, value_enum, default_value_t)]
    pub(crate) kernel: Kernel,

    /// The device: best, cpu, level-zero, or level-zero:N for GPU number N. best is a Level Zero GPU if there is
    /// one, otherwise the CPU; CM_DEVICE overrides it
    #[arg(long, default_value_t)]
    pub(crate) device: DeviceChoice,

    /// Lists the devices that --device accepts. Needs no image
    #[arg(long)]
    pub(crate) list_devices: bool,

    /// Measures N passes over each image, after one pass that is not measured. Without this option, an image has 5
    /// measured passes, and the images of a folder are filtered once; that pass is the first one to use the memory
    // The upper bound keeps the list of times small.
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=1_000_000))]
    pub(crate) repeat: Option<u32>,

    /// Allows OUTPUT to be INPUT, and replaces the image or the images of the folder
    #[arg(long)]
    pub(crate) in_place: bool,

    /// Also writes the original and the filtered image side by side, to FILE or to the name of OUTPUT with "-compare"
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    // Outer: was it given; inner: with a file name.
    pub(crate) compare: Option<Option<PathBuf>>,

    /// Prints the values that the kernel keeps in registers at each line, and writes a chart to FILE. Needs no image
    #[arg(long, value_name = "FILE.svg", num_args = 0..=1, require_equals = true)]
    pub(crate) registers: Option<Option<PathBuf>>,

    /// Writes the kernel to FILE as ir, spirv or isa (machine code, which needs Intel's ocloc). Needs no image
    #[arg(long, value_names = ["FORM", "FILE"], num_args = 2)]
    pub(crate) emit: Option<Vec<String>>,

    /// The GPU generation that --emit compiles for
    #[arg(long, value_enum, default_value_t)]
    pub(crate) target: Generation,
}

/// What --emit writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Ir,
    Spirv,
    Isa,
}

impl Form {
    pub(crate) fn named(name: &str) -> anyhow::Result<Self> {
        match name {
            "ir" => Ok(Self::Ir),
            "spirv" => Ok(Self::Spirv),
            "isa" => Ok(Self::Isa),
            _ => anyhow::bail!("--emit {name}: expected ir, spirv or isa"),
        }
    }
}

/// A generation of Intel GPUs.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum Generation {
    /// Skylake to Coffee Lake; later GPUs with images for surfaces run the code too
    #[default]
    Gen9,
    /// Tiger Lake to Alder Lake
    XeLp,
    /// Arc Alchemist
    XeHpg,
    /// Ponte Vecchio
    XeHpc,
}

impl Generation {
    /// A device of the generation, as ocloc calls it.
    pub(crate) const fn device(self) -> &'static str {
        match self {
            Self::Gen9 => "skl",
            Self::XeLp => "tgllp",
            Self::XeHpg => "dg2-g10",
            Self::XeHpc => "pvc",
        }
    }
}

impl From<Generation> for cm::Target {
    fn from(generation: Generation) -> Self {
        match generation {
            Generation::Gen9 => Self::Gen9,
            Generation::XeLp => Self::XeLp,
            Generation::XeHpg => Self::XeHpg,
            Generation::XeHpc => Self::XeHpc,
        }
    }
}

/// The kernels of tutorials 2 and 11.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum Kernel {
    /// Nine parts of the block added, in floats
    Linear,
    /// Two 1-D passes, in 16-bit integers
    #[default]
    #[value(name = "linear1d2")]
    Linear1d2,
    /// A window of three rows that slides down, rows read and written one by one
    #[value(name = "linearslide")]
    LinearSlide,
    /// The sliding window over one block read, with one block write
    #[value(name = "linearslide2")]
    LinearSlide2,
}

/// Where the kernel runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum DeviceChoice {
    #[default]
    Best,
    Cpu,
    LevelZero(usize),
}

impl FromStr for DeviceChoice {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match (text, text.strip_prefix("level-zero:").map(str::parse)) {
            ("best", _) => Ok(Self::Best),
            ("cpu", _) => Ok(Self::Cpu),
            ("level-zero", _) => Ok(Self::LevelZero(0)),
            (_, Some(Ok(index))) => Ok(Self::LevelZero(index)),
            _ => Err("expected best, cpu, level-zero, or level-zero:N for another GPU"),
        }
    }
}

impl fmt::Display for DeviceChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Best => f.write_str("best"),
            Self::Cpu => f.write_str("cpu"),
            Self::LevelZero(0) => f.write_str("level-zero"),
            Self::LevelZero(index) => write!(f, "level-zero:{index}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_consistent() {
        Options::command().debug_assert();
    }

    #[test]
    fn names_are_those_of_the_kernels() {
        let names: Vec<_> = Kernel::value_variants()
            .iter()
            .filter_map(|kernel| Some(kernel.to_possible_value()?.get_name().to_owned()))
            .collect();
        assert_eq!(names, ["linear", "linear1d2", "linearslide", "linearslide2"]);
    }

    #[test]
    fn devices_are_what_they_are_written_as() {
        for choice in
            [DeviceChoice::Best, DeviceChoice::Cpu, DeviceChoice::LevelZero(0), DeviceChoice::LevelZero(3)]
        {
            assert_eq!(choice.to_string().parse(), Ok(choice));
        }
        for wrong in ["", "gpu", "level-zero:", "level-zero:x", "level-zero:-1", "cpu:1"] {
            assert!(wrong.parse::<DeviceChoice>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn compare_takes_its_file_only_after_an_equals_sign() {
        let parse = |args: &[&str]| Options::try_parse_from([&["linear"], args].concat());
        let options = parse(&["--compare", "a.png", "b.png"]).expect("two positional arguments");
        assert_eq!((options.compare, options.output), (Some(None), Some("b.png".into())));
        let options = parse(&["--compare=c.png"]).expect("no positional argument");
        assert_eq!(options.compare, Some(Some("c.png".into())));
        assert!(parse(&["--compare="]).is_err());
    }
}
