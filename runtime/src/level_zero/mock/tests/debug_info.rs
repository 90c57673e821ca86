//! Kernels with debug information go to a folder.

use std::fs;

use super::super::objects::Settings;
use super::*;
use crate::error::{Error, LevelZeroError};

#[test]
fn kernels_with_debug_information_are_in_the_folder() {
    let (cache, parent) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut sizes = vec![];
    // The second device takes the kernel from the cache, the third one compiles it without debug information.
    for (n, wanted) in [true, true, false].into_iter().enumerate() {
        let folder = parent.path().join(n.to_string());
        let mock = Mock::new(Settings::default());
        let device = match wanted {
            true => mock.open_with_debug_info(Some(cache.path()), &folder),
            false => mock.open(Some(cache.path())),
        };
        let device = device.unwrap();
        let (a, mut b) = (surface(&device).unwrap(), surface(&device).unwrap());
        step(&device, &a, &mut b, 1).unwrap();
        assert_eq!(mock.model().options.iter().all(|options| options.ends_with(" -g")), wanted);
        if !wanted {
            assert!(!folder.exists());
            continue;
        }
        let mut files: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.retain(|path| path.file_name().unwrap().to_str().unwrap().starts_with("step-"));
        let [file] = &files[..] else { panic!("{files:?}") };
        sizes.push(fs::read(file).unwrap().len());
    }
    assert!(sizes[0] == sizes[1] && sizes[0] > 1000, "{sizes:?}");
}

#[test]
fn a_folder_that_cannot_be_written_is_an_error() {
    let parent = tempfile::tempdir().unwrap();
    let file = parent.path().join("file");
    fs::write(&file, "").unwrap();
    let mock = Mock::new(Settings::default());
    let device = mock.open_with_debug_info(None, &file).unwrap();
    let (a, mut b) = (surface(&device).unwrap(), surface(&device).unwrap());
    let error = step(&device, &a, &mut b, 1).unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, Error::LevelZero(LevelZeroError::DebugInfo { .. })), "{text}");
    assert!(text.contains("CM_DEBUG_INFO") && text.contains(file.to_str().unwrap()), "{text}");
    drop((a, b, device));
    mock.assert_clean("the folder is a file");
}
