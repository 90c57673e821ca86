//! Sets `cfg(level_zero)`: the feature is on, and the target is a system that Level Zero is made for. Sets
//! `cfg(coroutines)`: the threads of a group can have stacks of their own.

fn main() {
    println!("cargo::rustc-check-cfg=cfg(level_zero)");
    println!("cargo::rustc-check-cfg=cfg(coroutines)");
    println!("cargo::rerun-if-changed=build.rs");
    let os = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    // As the dependencies in `Cargo.toml`.
    if std::env::var_os("CARGO_FEATURE_LEVEL_ZERO").is_some() && ["linux", "windows"].contains(&&*os) {
        println!("cargo::rustc-cfg=level_zero");
    }
    let family = std::env::var("CARGO_CFG_TARGET_FAMILY").unwrap_or_default();
    let arch = std::env::var("CARGO_CFG_TARGET_ARCH").unwrap_or_default();
    if ["unix", "windows"].contains(&&*family) && ["x86_64", "x86", "aarch64"].contains(&&*arch) {
        println!("cargo::rustc-cfg=coroutines");
    }
}
