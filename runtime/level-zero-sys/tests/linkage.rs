//! What a program that uses this crate is linked to.

#![cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64", target_endian = "little"))]

use std::env;
use std::fs;

use level_zero_sys::Loader;
use object::{LittleEndian, Object};

#[test]
fn a_program_does_not_need_the_loader() {
    // This test is such a program.
    // SAFETY: what the system has under the names of the Level Zero loader is the Level Zero loader.
    let _ = unsafe { Loader::load() };
    let program = fs::read(env::current_exe().unwrap()).unwrap();
    let file = object::read::elf::ElfFile64::<LittleEndian>::parse(&*program).unwrap();
    let needed: Vec<_> = file
        .import_libraries()
        .unwrap()
        .map(|library| String::from_utf8_lossy(library.unwrap().name()).into_owned())
        .collect();
    println!("needs {needed:?}");
    assert!(needed.iter().any(|name| name.starts_with("libc.so")), "not the list of libraries: {needed:?}");
    assert!(!needed.iter().any(|name| name.contains("ze_")), "{needed:?}");
}
