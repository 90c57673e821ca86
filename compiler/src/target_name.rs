//! The generation that a name stands for.

use std::str::FromStr;

use thiserror::Error;

use crate::spirv::Target;

/// A name that no [`Target`] has.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("`{name}` is not a generation of GPUs: expected {}", Target::ALL.iter().map(|target| target.name()).collect::<Vec<_>>().join(", "))]
#[non_exhaustive]
pub struct UnknownTarget {
    /// The name.
    pub name: String,
}

/// The generation with this [name](Target::name), in upper or lower case, with or without its hyphen.
///
/// ```
/// use cm::Target;
/// for &target in Target::ALL {
///     assert_eq!(target.name().parse(), Ok(target));
/// }
/// assert_eq!("xe-hpg".parse(), Ok(Target::XeHpg));
/// assert_eq!("XeHpg".parse(), Ok(Target::XeHpg));
/// assert!("Gen8".parse::<Target>().unwrap_err().to_string().contains("expected Gen9, Xe-LP"));
/// ```
impl FromStr for Target {
    type Err = UnknownTarget;

    fn from_str(name: &str) -> Result<Self, UnknownTarget> {
        let plain = |name: &str| name.replace('-', "").to_ascii_lowercase();
        let found = Self::ALL.iter().find(|target| plain(target.name()) == plain(name));
        found.copied().ok_or_else(|| UnknownTarget { name: name.to_owned() })
    }
}
