//! Instruction sets, chosen at run time.

use std::env::VarError;
use std::fmt;
use std::sync::LazyLock;

use crate::Error;

/// The instruction set that kernels are run with.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Debug)]
pub(crate) enum Isa {
    /// What the program was compiled for.
    Baseline,
    /// AVX2.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// AVX-512 with byte, word and doubleword instructions, at all vector lengths.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

/// What `CM_CPU_ISA` asks for, or the best one; read once.
static CHOSEN: LazyLock<Result<Isa, (String, &'static str)>> = LazyLock::new(|| {
    let best = Isa::detect();
    let value = match std::env::var("CM_CPU_ISA") {
        Ok(value) => value,
        Err(VarError::NotPresent) => return Ok(best),
        Err(VarError::NotUnicode(value)) => value.to_string_lossy().into_owned(),
    };
    match Isa::named(&value) {
        Some(isa) if isa <= best => Ok(isa),
        Some(_) => Err((value, "an instruction set that this CPU has")),
        None => Err((value, "`baseline`, `avx2` or `avx512`")),
    }
});

impl Isa {
    /// The instruction set of this process: the best one of this machine, or the one that the environment variable
    /// `CM_CPU_ISA` names (`baseline`, `avx2` or `avx512`), which is there for comparing them.
    ///
    /// # Errors
    /// [`Error::Environment`] if it names none, or one that this machine does not have.
    pub(crate) fn chosen() -> Result<Self, Error> {
        CHOSEN.clone().map_err(|(value, expected)| Error::Environment {
            variable: "CM_CPU_ISA",
            value,
            expected,
        })
    }

    fn named(name: &str) -> Option<Self> {
        match name {
            "baseline" => Some(Self::Baseline),
            #[cfg(target_arch = "x86_64")]
            "avx2" => Some(Self::Avx2),
            #[cfg(target_arch = "x86_64")]
            "avx512" => Some(Self::Avx512),
            _ => None,
        }
    }

    #[cfg(target_arch = "x86_64")]
    fn detect() -> Self {
        if is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx2")
        {
            Self::Avx512
        } else if is_x86_feature_detected!("avx2") {
            Self::Avx2
        } else {
            Self::Baseline
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn detect() -> Self {
        Self::Baseline
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Baseline => "baseline instructions",
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => "AVX2",
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => "AVX-512",
        })
    }
}
