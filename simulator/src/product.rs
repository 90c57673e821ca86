//! The GPUs that the device can be.

/// A GPU: its id and its shape, as the kernel reports them.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Product {
    /// PCI id.
    pub(crate) id: i32,
    /// PCI revision.
    pub(crate) revision: i32,
    /// Slices.
    pub(crate) slices: usize,
    /// Subslices per slice.
    pub(crate) subslices: usize,
    /// Execution units per subslice.
    pub(crate) units: usize,
}

/// GPUs of Gen9 with one slice of three subslices of eight units (GT2). The first is the default. Ids:
/// `shared/source/dll/devices/devices_base.inl` of Intel's compute-runtime.
pub(crate) static PRODUCTS: [Product; 4] = [
    gt2(0x1912, 9), // Skylake: HD Graphics 530
    gt2(0x1916, 9), // Skylake: HD Graphics 520
    gt2(0x5912, 4), // Kaby Lake: HD Graphics 630
    gt2(0x3e92, 2), // Coffee Lake: UHD Graphics 630
];

const fn gt2(id: i32, revision: i32) -> Product {
    Product { id, revision, slices: 1, subslices: 3, units: 8 }
}

/// The GPU with an id.
pub(crate) fn find(id: u64) -> Option<&'static Product> {
    PRODUCTS.iter().find(|product| u64::try_from(product.id) == Ok(id))
}

/// The ids, for messages.
pub(crate) fn known() -> String {
    let ids: Vec<_> = PRODUCTS.iter().map(|product| format!("{:#06x}", product.id)).collect();
    format!("one of {}", ids.join(", "))
}
