//! The files that the driver reads, apart from the render node.

use std::os::fd::RawFd;

use super::abi::Errno;
use super::buffers::file_with;

/// The render node.
pub const NODE: &[u8] = b"/dev/dri/renderD128";
/// Links to nodes by PCI address. They are hidden, so that the driver tries the render nodes by number.
pub const LINKS: &[u8] = b"/dev/dri/by-path";
/// The folder of the GPU's card.
pub const CARDS: &[u8] = b"/sys/bus/pci/devices/0000:00:02.0/drm";
/// The entry of that folder.
pub const CARD: &[u8] = b"card0";

/// Files of the card, by the ends of their names, and their contents: frequencies in MHz.
const FILES: [(&[u8], &str); 6] = [
    (b"gt_min_freq_mhz", "350\n"),
    (b"gt_RPn_freq_mhz", "350\n"),
    (b"gt_max_freq_mhz", "1150\n"),
    (b"gt_RP0_freq_mhz", "1150\n"),
    (b"gt_cur_freq_mhz", "1150\n"),
    (b"gt_act_freq_mhz", "1150\n"),
];

/// Opens a file of the card. Returns a new descriptor or an error number; `None` for other paths.
#[must_use]
pub fn open_file(path: &[u8]) -> Option<Result<RawFd, i32>> {
    if !path.starts_with(CARDS) {
        return None;
    }
    let (_, contents) = FILES.iter().find(|(end, _)| path.ends_with(end))?;
    Some(file_with(c"cm-simulator-sysfs", contents).map_err(|Errno(number)| number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::os::fd::FromRawFd;

    #[test]
    fn frequencies_are_files() {
        let path = [CARDS, b"/card0/gt_max_freq_mhz"].concat();
        let descriptor = open_file(&path).expect("a file of the card").expect("to be opened");
        // SAFETY: the descriptor is new.
        let mut file = unsafe { std::fs::File::from_raw_fd(descriptor) };
        let mut text = String::new();
        file.read_to_string(&mut text).expect("to be read");
        assert_eq!(text, "1150\n");
        assert_eq!(open_file(&[CARDS, b"/card0/power"].concat()), None);
        assert_eq!(open_file(b"/sys/class/gt_max_freq_mhz"), None);
    }
}
