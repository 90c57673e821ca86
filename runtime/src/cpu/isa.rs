//! Instruction sets, chosen at run time. Code for AVX2 and AVX-512 runs only with a value that proves they
//! were detected.

use std::fmt;
use std::sync::LazyLock;

#[cfg(target_arch = "x86_64")]
use cm_dsl::cpu::Avx512;
use cm_dsl::cpu::{Avx2, Products};
use cm_macros::inlined;

use crate::environment;
use crate::error::Error;

/// The instruction set that runs kernels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Isa {
    /// The instruction set that the program was compiled for.
    Baseline,
    /// AVX2.
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    /// AVX-512 with byte, word and doubleword instructions, at all vector lengths; and AVX2.
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
}

/// The instruction sets that `CM_CPU_ISA` can name.
const NAMES: [&str; 3] = ["baseline", "avx2", "avx512"];

/// The instruction set that `CM_CPU_ISA` names, or the best one; read once.
static CHOSEN: LazyLock<Result<Isa, Error>> = LazyLock::new(|| {
    let isa = environment::choice("CM_CPU_ISA", |value| {
        let index = NAMES.iter().position(|name| *name == value).ok_or("`baseline`, `avx2` or `avx512`")?;
        let detected = Isa::detect();
        detected[index].ok_or_else(|| supported(detected))
    })?;
    Ok(isa.unwrap_or_else(Isa::best))
});

/// The legal values on a CPU that lacks some of [`NAMES`].
fn supported([_, avx2, _]: [Option<Isa>; NAMES.len()]) -> &'static str {
    match avx2 {
        Some(_) => "`baseline` or `avx2`, which this CPU has",
        None => "`baseline`, all that this CPU has",
    }
}

/// The instructions for products of matrices, found once.
static PRODUCTS: LazyLock<Option<Products>> = LazyLock::new(|| match Isa::chosen() {
    #[cfg(target_arch = "x86_64")]
    Ok(Isa::Avx2(avx2)) => Some(Products::detect(avx2, false)),
    #[cfg(target_arch = "x86_64")]
    Ok(Isa::Avx512(avx512)) => Some(Products::detect(avx512.avx2(), true)),
    Ok(Isa::Baseline) | Err(_) => None,
});

/// The instructions for products of matrices that the instruction set of this process includes.
pub(super) fn products() -> Option<Products> {
    *PRODUCTS
}

/// Whether gathers of AVX2 take longer than single loads: those of AMD load a double word in each cycle, and have an instruction
/// of their own for each element.
static SLOW_GATHERS: LazyLock<bool> = LazyLock::new(|| {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        let vendor = std::arch::x86_64::__cpuid(0);
        let name = [vendor.ebx, vendor.edx, vendor.ecx].map(u32::to_le_bytes);
        matches!(name.as_flattened(), b"AuthenticAMD" | b"HygonGenuine")
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    false
});

/// Whether single loads are faster on this CPU than a gather, found once.
pub(super) fn gathers_are_slow() -> bool {
    *SLOW_GATHERS
}

impl Isa {
    /// Whether vectors have 64 bytes.
    pub(super) fn is_avx512(self) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(_) => true,
            _ => false,
        }
    }

    /// The instruction set of this process: the best one of this machine, or the one that the environment variable
    /// `CM_CPU_ISA` names (`baseline`, `avx2` or `avx512`) for comparisons.
    ///
    /// # Errors
    /// [`Error::Environment`] if it does not name an instruction set, or one that this machine lacks.
    pub(crate) fn chosen() -> Result<Self, Error> {
        CHOSEN.clone()
    }

    /// The proof that the CPU has AVX2, if it may be used.
    #[inlined]
    pub(super) fn avx2(self) -> Option<Avx2> {
        match self {
            Self::Baseline => None,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(avx2) => Some(avx2),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(avx512) => Some(avx512.avx2()),
        }
    }

    fn best() -> Self {
        Self::detect().into_iter().flatten().next_back().unwrap_or(Self::Baseline)
    }

    /// The instruction sets of [`NAMES`] that this CPU supports; each includes the previous ones.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn detect() -> [Option<Self>; NAMES.len()] {
        [Some(Self::Baseline), Avx2::detect().map(Self::Avx2), Avx512::detect().map(Self::Avx512)]
    }

    #[cfg(not(target_arch = "x86_64"))]
    pub(super) fn detect() -> [Option<Self>; NAMES.len()] {
        [Some(Self::Baseline), None, None]
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Baseline => "baseline instructions",
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(_) => "AVX2",
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(_) => "AVX-512",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Isa, supported};

    #[test]
    fn the_legal_values_are_those_of_the_cpu() {
        assert_eq!(supported([Some(Isa::Baseline), None, None]), "`baseline`, all that this CPU has");
        let [baseline, avx2, _] = Isa::detect();
        assert_eq!(supported([baseline, avx2, None]).contains("`avx2`"), avx2.is_some());
    }
}
