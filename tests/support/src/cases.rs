//! How many cases of a property are tried.

use proptest::test_runner::Config;

/// So many cases; `PROPTEST_CASES` may ask for more.
pub fn cases(cases: u32) -> Config {
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { Config::default().cases } else { cases };
    Config { cases, failure_persistence: None, ..Config::default() }
}
