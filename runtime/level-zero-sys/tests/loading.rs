//! The table of entry points, and the library that fills it.

use std::collections::BTreeSet;
use std::env;
use std::ptr;

use level_zero_sys::*;

/// The loader of this machine. None, with a message, where there is none; a failure if there has to be one.
fn installed() -> Option<Loader> {
    // SAFETY: what the system has under the names of the Level Zero loader is the Level Zero loader.
    match unsafe { Loader::load() } {
        Ok(loader) => Some(loader),
        Err(error) if env::var_os("CM_REQUIRE_LEVEL_ZERO").is_some_and(|value| value != "0") => {
            panic!("{error}")
        }
        Err(error) => {
            eprintln!("skipped: {error}");
            None
        }
    }
}

#[test]
fn the_list_is_that_of_the_core_api() {
    let names = Api::ENTRY_POINTS;
    let distinct: BTreeSet<_> = names.iter().collect();
    assert_eq!(distinct.len(), names.len());
    assert_eq!(names.first(), Some(&"zeInit"));
    for name in names {
        // `zes`, `zet` and `zel` are other APIs.
        let third = name.strip_prefix("ze").and_then(|rest| rest.chars().next());
        assert!(third.is_some_and(|c| c.is_ascii_uppercase()), "{name}");
    }
}

#[test]
fn a_table_is_empty_until_it_is_filled() {
    let api = Api::default();
    assert!(api.missing().eq(Api::ENTRY_POINTS.iter().copied()));
    assert_eq!(api.zeFenceCreate().unwrap_err(), MissingEntryPoint { name: "zeFenceCreate" });
}

#[test]
fn every_entry_point_is_looked_up_once_by_its_name() {
    unsafe extern "C" fn init(flags: ze_init_flags_t) -> ze_result_t {
        ze_result_t(flags)
    }
    let mut asked = Vec::new();
    // SAFETY: only zeInit has an address, and `init` has its prototype.
    let api = unsafe {
        Api::load(|name| {
            asked.push(name.to_str().unwrap().to_owned());
            if name == c"zeInit" { init as *const () as *const _ } else { ptr::null() }
        })
    };
    assert_eq!(asked, Api::ENTRY_POINTS);
    // SAFETY: `init` reads its argument only.
    assert_eq!(unsafe { api.zeInit().unwrap()(ZE_INIT_FLAG_GPU_ONLY) }, ZE_RESULT_NOT_READY);
    assert_eq!(api.missing().count(), Api::ENTRY_POINTS.len() - 1);
    let text = format!("{api:?}");
    assert!(text.starts_with(r#"Api { present: 1, missing: ["zeDriverGet", "#), "{text}");
}

#[test]
fn a_missing_entry_point_is_named() {
    assert_eq!(
        Api::default().zeImageViewCreateExp().unwrap_err().to_string(),
        "the Level Zero loader has no `zeImageViewCreateExp`, which is in version 1.4 of the API: update the \
         loader (package libze1) and the driver (package intel-opencl-icd or libze-intel-gpu1)"
    );
}

#[test]
fn a_missing_library_is_named() {
    let path = "/nowhere/libze_loader.so.1";
    // SAFETY: there is nothing to load.
    let error = unsafe { Loader::load_from(path) }.unwrap_err();
    assert_eq!(error.attempts.len(), 1);
    assert_eq!(error.attempts[0].name, path);
    let text = error.to_string();
    assert!(text.starts_with(&format!("no Level Zero loader: `{path}` (")), "{text}");
    assert!(text.contains(&error.attempts[0].message) && text.contains("install"), "{text}");
    if cfg!(all(target_os = "linux", target_env = "gnu")) {
        assert_eq!(
            error.attempts[0].message, "cannot open shared object file: No such file or directory",
            "the words of the system, without the name"
        );
    }
}

#[test]
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn a_library_without_entry_points_gives_an_empty_table() {
    // SAFETY: the mathematics of C initialize nothing, and have no function of Level Zero.
    let loader = unsafe { Loader::load_from("libm.so.6") }.unwrap();
    assert_eq!(loader.name(), "libm.so.6");
    assert_eq!(loader.api().missing().count(), Api::ENTRY_POINTS.len());
}

#[test]
fn the_installed_loader_has_the_entry_points() {
    let Some(loader) = installed() else { return };
    assert!(Loader::NAMES.contains(&loader.name()));
    let missing: Vec<_> = loader.api().missing().collect();
    println!("{} has all entry points but {missing:?}", loader.name());
    // Version 1.0 has these; what came later may be missing from an old loader.
    for name in ["zeInit", "zeDriverGet", "zeModuleCreate", "zeKernelSetArgumentValue", "zeMemAllocShared"] {
        assert!(!missing.contains(&name), "{name}");
    }
}

#[test]
fn the_installed_loader_can_be_called() {
    let Some(loader) = installed() else { return };
    let api = loader.api().clone();
    drop(loader); // The functions stay.
    // SAFETY: no flags.
    let result = unsafe { api.zeInit().unwrap()(0) };
    println!("zeInit: {result}");
    assert!(result_name(result).is_some(), "{result}");
    if result == ZE_RESULT_SUCCESS {
        let mut count = 0;
        // SAFETY: asks for the number of drivers, which needs no place for them.
        let result = unsafe { api.zeDriverGet().unwrap()(&mut count, ptr::null_mut()) };
        assert_eq!(result, ZE_RESULT_SUCCESS, "{result}");
        println!("{count} drivers");
    }
}
