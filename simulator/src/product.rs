//! The GPUs that the device can simulate.

use crate::generation::{Generation, Machine};

/// A GPU: its id and its structure, as the kernel driver reports them.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Product {
    /// PCI id.
    pub(crate) id: i32,
    /// PCI revision.
    pub(crate) revision: i32,
    /// The generation of its execution units.
    pub(crate) generation: Generation,
    /// Slices.
    pub(crate) slices: usize,
    /// Subslices of each slice; dual subslices since Xe-LP.
    pub(crate) subslices: usize,
    /// Execution units of each subslice.
    pub(crate) units: usize,
}

/// The first one is the default. Sources for ids and structures: `shared/source/dll/devices/devices_base.inl`
/// and the `hw_info_*.cpp` of Intel's compute-runtime.
pub(crate) static PRODUCTS: [Product; 8] = [
    skylake(0x1912, 9),         // Skylake: HD Graphics 530
    skylake(0x1916, 9),         // Skylake: HD Graphics 520
    skylake(0x5912, 4),         // Kaby Lake: HD Graphics 630
    skylake(0x3e92, 2),         // Coffee Lake: UHD Graphics 630
    tiger_lake(0x9a49, 1, 6),   // Tiger Lake: Iris Xe Graphics
    tiger_lake(0x9a60, 1, 2),   // Tiger Lake: UHD Graphics
    tiger_lake(0x4680, 0xc, 2), // Alder Lake-S: UHD Graphics 770
    alchemist(0x56a0),          // Arc A770
];

/// One slice of three subslices of eight units (GT2).
const fn skylake(id: i32, revision: i32) -> Product {
    Product { id, revision, generation: Generation::Gen9, slices: 1, subslices: 3, units: 8 }
}

/// One slice of dual subslices of sixteen units.
const fn tiger_lake(id: i32, revision: i32, subslices: usize) -> Product {
    Product { id, revision, generation: Generation::XeLp, slices: 1, subslices, units: 16 }
}

/// Eight slices of four subslices of sixteen units.
const fn alchemist(id: i32) -> Product {
    Product { id, revision: 8, generation: Generation::XeHpg, slices: 8, subslices: 4, units: 16 }
}

impl Product {
    /// Whether it is a card with its own memory.
    pub(crate) fn has_local_memory(&self) -> bool {
        self.generation >= Generation::XeHpg
    }

    /// Its execution units.
    pub(crate) const fn machine(&self) -> Machine {
        Machine::of(self.generation)
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_lead_to_products() {
        for (id, generation, units, local) in [
            (0x1912, Generation::Gen9, 24, false),
            (0x9a49, Generation::XeLp, 96, false),
            (0x4680, Generation::XeLp, 32, false),
            (0x56a0, Generation::XeHpg, 512, true),
        ] {
            let product = find(id).expect("a product");
            assert_eq!(product.slices * product.subslices * product.units, units, "{id:#x}");
            assert_eq!((product.generation, product.has_local_memory()), (generation, local), "{id:#x}");
            assert_eq!(product.machine(), Machine::of(generation));
        }
        assert!(find(0x0bd5).is_none());
        assert!(PRODUCTS.iter().all(|product| known().contains(&format!("{:#06x}", product.id))));
    }
}
