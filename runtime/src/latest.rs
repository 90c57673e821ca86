//! The latest results of a computation.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// The number of results that are kept.
const KEPT: usize = 16;

/// Results by what they depend on. The one that was not asked for the longest time is forgotten first.
#[derive(Debug)]
pub(crate) struct Latest<K, V>(Mutex<VecDeque<(K, V)>>);

impl<K, V> Default for Latest<K, V> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: PartialEq, V: Clone> Latest<K, V> {
    /// The result for a key; `compute` makes it if it is not known.
    pub(crate) fn get(&self, key: K, compute: impl FnOnce(&K) -> V) -> V {
        if let Some(found) = self.found(&key) {
            return found;
        }
        // Not under the lock: others need not wait. Two threads may compute the same result.
        let value = compute(&key);
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() == KEPT {
            all.pop_front();
        }
        all.push_back((key, value.clone()));
        value
    }

    fn found(&self, key: &K) -> Option<V> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = all.iter().rposition(|(known, _)| known == key)?;
        // Most ask for the one that was asked for last.
        if at + 1 < all.len()
            && let Some(found) = all.remove(at)
        {
            all.push_back(found);
        }
        all.back().map(|(_, value)| value.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_is_kept() {
        let (latest, computed) = (Latest::default(), std::cell::Cell::new(0));
        let ask = |key: usize| {
            let compute = |key: &usize| {
                computed.set(computed.get() + 1);
                key * 2
            };
            assert_eq!(latest.get(key, compute), key * 2);
        };
        for key in 0..100 {
            ask(7);
            ask(1000 + key);
        }
        assert_eq!(computed.get(), 101);
        // The latest other ones are kept as well.
        ask(1000 + 99 - (KEPT - 2));
        assert_eq!(computed.get(), 101);
        ask(1000);
        assert_eq!(computed.get(), 102);
    }

    #[test]
    fn others_do_not_wait_while_one_computes() {
        let latest = Latest::default();
        let value = latest.get(1, |_| latest.get(2, |_| latest.get(1, |_| 5)) + 1);
        assert_eq!(value, 6);
    }
}
