//! Sets `cfg(level_zero)`: the feature is on, and the target is a system that Level Zero is made for.

fn main() {
    println!("cargo::rustc-check-cfg=cfg(level_zero)");
    println!("cargo::rerun-if-changed=build.rs");
    let os = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    // As the dependencies in `Cargo.toml`.
    if std::env::var_os("CARGO_FEATURE_LEVEL_ZERO").is_some() && ["linux", "windows"].contains(&&*os) {
        println!("cargo::rustc-cfg=level_zero");
    }
}
