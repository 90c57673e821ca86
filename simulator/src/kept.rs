//! A map that does not grow for ever.

use std::collections::HashMap;
use std::hash::Hash;

/// The maximum number of values that are kept.
const MOST: usize = 1024;

/// Values that can be computed again. When there are too many, all are forgotten.
#[derive(Debug)]
pub(crate) struct Kept<K, V>(HashMap<K, V>);

impl<K, V> Default for Kept<K, V> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<K: Eq + Hash, V> Kept<K, V> {
    pub(crate) fn get(&self, key: &K) -> Option<&V> {
        self.0.get(key)
    }

    pub(crate) fn insert(&mut self, key: K, value: V) {
        if self.0.len() >= MOST {
            self.0.clear();
        }
        self.0.insert(key, value);
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_values_are_forgotten() {
        let mut kept = Kept::default();
        for n in 0..=MOST {
            kept.insert(n, n);
        }
        assert_eq!((kept.get(&MOST), kept.get(&0), kept.0.len()), (Some(&MOST), None, 1));
    }
}
