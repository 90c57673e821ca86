//! Explains why Level Zero found nothing, by the driver library and the device files.

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};

use level_zero_sys as ze;

use crate::error::LevelZeroError;

/// Intel's PCI vendor id.
const INTEL: u32 = 0x8086;
/// The name of Intel's driver.
const DRIVER: &str = if cfg!(windows) { "ze_intel_gpu64.dll" } else { "libze_intel_gpu.so.1" };

/// The results of the search around Level Zero.
#[derive(Clone, Debug, Default)]
pub(crate) struct Probe {
    /// Intel's driver library, if the system finds it; otherwise what was not found, and why.
    pub(crate) driver: Option<Result<String, String>>,
    /// The device files of GPUs.
    pub(crate) nodes: Vec<Node>,
}

/// The device file of a GPU.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) path: PathBuf,
    /// The vendor of the GPU, if the system reports it.
    pub(crate) vendor: Option<u32>,
    /// Whether it can be opened, or the system's message.
    pub(crate) opens: Result<(), String>,
}

impl Probe {
    /// Searches this machine.
    pub(crate) fn look() -> Self {
        Self { driver: Some(driver()), nodes: nodes(Path::new("/dev/dri"), Path::new("/sys/class/drm")) }
    }

    /// The device files of Intel GPUs, and of GPUs with an unknown vendor, which may be Intel's.
    pub(super) fn intel(&self) -> impl Clone + Iterator<Item = &Node> {
        self.nodes.iter().filter(|node| node.vendor.is_none_or(|vendor| vendor == INTEL))
    }

    /// Why there is no device although the loader exists. `result` is the result of the loader.
    pub(crate) fn explain(&self, result: &str) -> LevelZeroError {
        let mut intel = self.intel();
        // First, because without the driver the device files are not opened.
        if let Some(Err(reason)) = &self.driver {
            return LevelZeroError::NoDriver { detail: reason.clone() };
        }
        if let Some(Node { path, opens: Err(reason), .. }) = intel.clone().find(|node| node.opens.is_err())
            && !intel.clone().any(|node| node.opens.is_ok())
        {
            return LevelZeroError::NoPermission { node: path.clone(), reason: reason.clone() };
        }
        let detail = match intel.next() {
            Some(node) => {
                format!("{} opens, but the driver does not take it ({result})", node.path.display())
            }
            None if cfg!(target_os = "linux") => {
                format!("there is no device file of an Intel GPU in /dev/dri ({result})")
            }
            None => format!("the driver found none ({result})"),
        };
        LevelZeroError::NoDevice { detail }
    }
}

/// Intel's driver, found in the same way as by the loader.
fn driver() -> Result<String, String> {
    if let Ok(others) = std::env::var("ZE_ENABLE_ALT_DRIVERS") {
        // The loader uses these and no others.
        let missing: Vec<&str> = others.split(',').filter(|name| opens(name).is_err()).collect();
        return match missing[..] {
            [] => Ok(others),
            _ => Err(format!("ZE_ENABLE_ALT_DRIVERS names {}, which cannot be loaded", missing.join(", "))),
        };
    }
    opens(DRIVER).map(|()| DRIVER.to_owned()).map_err(|reason| format!("{DRIVER} was not found ({reason})"))
}

/// Whether the system can open a driver library.
fn opens(name: &str) -> Result<(), String> {
    // SAFETY: it is Intel's driver, or a driver that the user named for the loader; none of its functions
    // is called.
    let opened = unsafe { ze::Loader::load_from(name) };
    opened.map(drop).map_err(|error| {
        error.attempts.iter().map(|tried| tried.message.clone()).collect::<Vec<_>>().join("; ")
    })
}

/// The render nodes in a folder like `/dev/dri`, with the information of a folder like `/sys/class/drm`.
fn nodes(devices: &Path, classes: &Path) -> Vec<Node> {
    let Ok(entries) = fs::read_dir(devices) else { return Vec::new() };
    let mut nodes: Vec<Node> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter_map(|path| {
            let name = path.file_name()?.to_str().filter(|name| name.starts_with("renderD"))?;
            let vendor = fs::read_to_string(classes.join(name).join("device/vendor")).ok();
            let vendor =
                vendor.and_then(|text| u32::from_str_radix(text.trim().trim_start_matches("0x"), 16).ok());
            let opens = OpenOptions::new().read(true).write(true).open(&path);
            Some(Node { vendor, opens: opens.map(drop).map_err(|error| error.to_string()), path })
        })
        .collect();
    // The system lists them in any order.
    nodes.sort_by(|a, b| a.path.cmp(&b.path));
    nodes
}

impl Probe {
    /// Describes the results for people.
    pub(super) fn describe(&self, lines: &mut Vec<(&'static str, String)>) {
        match &self.driver {
            Some(Ok(name)) => lines.push(("driver", name.clone())),
            Some(Err(reason)) => lines.push(("driver", reason.clone())),
            None => {}
        }
        if self.nodes.is_empty() && cfg!(target_os = "linux") {
            lines.push(("device file", "none in /dev/dri".to_owned()));
        }
        for node in &self.nodes {
            let maker = match node.vendor {
                Some(INTEL) => "Intel".to_owned(),
                Some(vendor) => format!("maker {vendor:#06x}"),
                None => "unknown maker".to_owned(),
            };
            let opens = node.opens.as_ref().map_or_else(String::as_str, |()| "opens");
            lines.push(("device file", format!("{} ({maker}): {opens}", node.path.display())));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type E = LevelZeroError;

    fn node(vendor: u32, opens: Result<(), &str>) -> Node {
        let path = "/dev/dri/renderD128".into();
        Node { path, vendor: Some(vendor), opens: opens.map_err(str::to_owned) }
    }

    fn explain(driver: Result<&str, &str>, nodes: Vec<Node>) -> E {
        let driver = Some(driver.map(str::to_owned).map_err(str::to_owned));
        Probe { driver, nodes }.explain("ZE_RESULT_ERROR_UNINITIALIZED")
    }

    #[test]
    fn each_cause_is_told_apart() {
        let denied = || node(INTEL, Err("Permission denied (os error 13)"));
        let cases = [
            (
                explain(Err("libze_intel_gpu.so.1 was not found (no such file)"), vec![]),
                "no Level Zero driver: libze_intel_gpu.so.1 was not found (no such file)",
            ),
            (explain(Err("no such file"), vec![denied()]), "no Level Zero driver"),
            (
                explain(Ok("x"), vec![denied()]),
                "no permission to use the GPU: /dev/dri/renderD128 cannot be opened (Permission",
            ),
            (explain(Ok("x"), vec![]), "no Level Zero device: there is no device file of an Intel GPU"),
            // Another vendor's GPU, whoever may open it.
            (
                explain(Ok("x"), vec![node(0x10de, Err("Permission denied"))]),
                "no Level Zero device: there is no device file",
            ),
            // One of two Intel GPUs opens, so the permission is not the cause.
            (
                explain(Ok("x"), vec![denied(), node(INTEL, Ok(()))]),
                "no Level Zero device: /dev/dri/renderD128 opens, but",
            ),
        ];
        for (error, start) in cases {
            let message = error.to_string();
            assert!(message.starts_with(start), "`{message}` does not start with `{start}`");
            assert!(message.contains("CM_DEVICE=cpu"), "{message}: a remedy");
        }
        // Only these mean that there is no GPU, so the CPU is used.
        assert!(explain(Err(""), vec![]).is_absence() && explain(Ok("x"), vec![]).is_absence());
        assert!(!explain(Ok("x"), vec![denied()]).is_absence());
    }

    #[test]
    fn device_files_are_found_with_their_makers() {
        let folder = tempfile::tempdir().unwrap();
        let (devices, classes) = (folder.path().join("dri"), folder.path().join("drm"));
        fs::create_dir_all(&devices).unwrap();
        for (name, vendor) in [("renderD129", "0x8086\n"), ("renderD128", "0x10de\n"), ("card0", "0x8086\n")]
        {
            fs::write(devices.join(name), "").unwrap();
            fs::create_dir_all(classes.join(name).join("device")).unwrap();
            fs::write(classes.join(name).join("device/vendor"), vendor).unwrap();
        }
        fs::create_dir(devices.join("renderD130")).unwrap(); // opens for nobody
        let found = nodes(&devices, &classes);
        let seen: Vec<_> = found.iter().map(|node| (node.vendor, node.opens.is_ok())).collect();
        assert_eq!(seen, [(Some(0x10de), true), (Some(INTEL), true), (None, false)]);
        assert!(nodes(&folder.path().join("nowhere"), &classes).is_empty());
    }
}
