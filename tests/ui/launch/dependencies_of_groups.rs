//! Thread groups have no dependencies.

use cm::prelude::*;

fn main() -> cm::Result<()> {
    let groups = ThreadGroups::new([4, 4, 1], [8, 1, 1])?;
    let _ = groups.with_dependencies(DependencyPattern::WAVEFRONT);
    Ok(())
}
