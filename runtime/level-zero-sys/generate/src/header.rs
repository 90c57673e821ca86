//! What libclang does not tell about the header: its version, its list of entry points, comments of macros.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

/// Facts read from the text of `ze_api.h`.
pub struct Facts {
    /// `v1.4-r1.4.8`.
    pub version: String,
    /// The line with the copyright.
    pub copyright: String,
    /// Names of the entry points, in the order of the header.
    pub entry_points: Vec<String>,
    /// Comments of `#define`s, as they stand.
    pub macros: BTreeMap<String, String>,
}

impl Facts {
    pub fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path)
            .with_context(|| format!("{}: apt-get install libze-dev, or --header=<path>", path.display()))?;
        let after = |mark: &str| {
            text.lines()
                .find_map(|line| line.split_once(mark).map(|(_, rest)| rest.trim().to_owned()))
                .with_context(|| format!("no `{mark}` in {}", path.display()))
        };
        let (version, copyright) = (after("@version ")?, after("Copyright ")?);
        ensure!(text.contains("SPDX-License-Identifier: MIT"), "the license of the header is no longer MIT");

        let lines: Vec<&str> = text.lines().collect();
        let entry_points = lines
            .windows(2)
            .filter(|pair| pair[0].trim_end() == "ZE_APIEXPORT ze_result_t ZE_APICALL")
            .filter_map(|pair| Some(pair[1].split_once('(')?.0.trim().to_owned()))
            .collect();

        let mut macros = BTreeMap::new();
        let mut comment = String::new();
        for line in &lines {
            if let Some(text) = line.strip_prefix("/// ") {
                comment.push_str(text);
                comment.push('\n');
            } else if let Some(rest) = line.strip_prefix("#define ") {
                let name = rest.split_whitespace().next().unwrap_or_default();
                macros.insert(name.to_owned(), std::mem::take(&mut comment));
            } else if !line.starts_with("#ifndef") {
                comment.clear();
            }
        }
        Ok(Self { version, copyright, entry_points, macros })
    }
}
