//! The number of cases of a property test.

use proptest::test_runner::Config;

/// This number of cases; `PROPTEST_CASES` may request more.
pub fn cases(cases: u32) -> Config {
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { Config::default().cases } else { cases };
    Config { cases, failure_persistence: None, ..Config::default() }
}
