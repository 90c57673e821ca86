//! A made-up Level Zero for tests.
