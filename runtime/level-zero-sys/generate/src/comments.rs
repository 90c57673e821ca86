//! Doxygen comments as Markdown.

/// What a line belongs to.
#[derive(PartialEq)]
enum Section {
    Brief,
    Details,
    /// Results and the names of similar functions of other APIs: the specification has them.
    Skipped,
}

/// The lines of a documentation comment, each with its leading space.
pub fn markdown(comment: &str) -> Vec<String> {
    let mut section = Section::Brief;
    let mut brief = String::new();
    let mut details = Vec::new();
    for line in comment.lines() {
        let line = line.strip_prefix(' ').unwrap_or(line);
        let line = line.strip_prefix("< ").unwrap_or(line);
        let (mark, text) = match line.strip_prefix('@') {
            Some(rest) => rest.split_once(' ').unwrap_or((rest, "")),
            None => ("", line),
        };
        match mark {
            "" => {}
            "brief" => section = Section::Brief,
            "details" => section = Section::Details,
            _ => section = Section::Skipped,
        }
        match section {
            Section::Brief if !text.trim().is_empty() => {
                if !brief.is_empty() {
                    brief.push(' ');
                }
                brief.push_str(text.trim());
            }
            // Four spaces are the indentation of the list itself.
            Section::Details => details.push(text.strip_prefix("    ").unwrap_or(text).trim_end().to_owned()),
            Section::Brief | Section::Skipped => {}
        }
    }
    let mut lines = vec![brief];
    lines.append(&mut details);
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    let mut code = false;
    lines
        .into_iter()
        .map(|line| if line.is_empty() { line } else { format!(" {}", inline(&line, &mut code)) })
        .collect()
}

/// Names become code, brackets stay brackets. A piece of code may go on in the next line.
fn inline(line: &str, code: &mut bool) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        if !*code && rest.starts_with("::z") | rest.starts_with("::Z") {
            let name: String =
                rest[2..].chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
            rest = &rest[2 + name.len()..];
            out.push_str(&format!("`{name}`"));
            continue;
        }
        *code ^= first == '`';
        if !*code && matches!(first, '[' | ']' | '<' | '>') {
            out.push('\\');
        }
        out.push(first);
        rest = &rest[first.len_utf8()..];
    }
    out
}
