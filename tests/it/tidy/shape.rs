//! How long functions and files are.

use super::source::{Source, balance};

/// The most lines of one function, its first and its last line included.
const FUNCTION_LINES_MAX: usize = 70;
/// The most lines of one file.
const FILE_LINES_MAX: usize = 450;

/// Functions that are too long.
pub fn long_functions(source: &Source) -> Vec<String> {
    let lines: Vec<&str> = source.code.lines().collect();
    let starts = lines.iter().enumerate().filter(|(_, line)| starts_function(line));
    starts
        .filter_map(|(start, _)| Some((start, length(&lines[start..])?)))
        .filter(|(_, length)| *length > FUNCTION_LINES_MAX)
        .map(|(start, length)| format!("{length} lines: {}", source.place(start + 1)))
        .collect()
}

/// A file that is too long.
pub fn long_file(source: &Source) -> Vec<String> {
    let lines = source.text.lines().count();
    if lines <= FILE_LINES_MAX {
        return Vec::new();
    }
    vec![format!("{}: {lines} lines, at most {FILE_LINES_MAX}", source.path)]
}

fn starts_function(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    let before = words.iter().take_while(|word| **word != "fn").count();
    let is_modifier = |word: &&str| {
        word.starts_with("pub")
            || ["const", "async", "unsafe", "extern"].contains(word)
            || word.ends_with(')')
    };
    before < words.len() && words.iter().take(before).all(is_modifier)
}

/// Lines from a function's first to the one that closes its body; `None` where it has no body.
fn length(lines: &[&str]) -> Option<usize> {
    let mut depth = 0;
    let mut has_body = false;
    for (index, line) in lines.iter().enumerate() {
        if !has_body && line.trim_end().ends_with(';') {
            return None;
        }
        has_body |= line.contains('{');
        depth += balance(line);
        if has_body && depth <= 0 {
            return Some(index + 1);
        }
    }
    None
}

#[test]
fn long_functions_and_files_are_found() {
    let body = |lines: usize| format!("    let text = \"}}\"; // }}\n{}", "    f();\n".repeat(lines - 3));
    for (signature, lines, bad) in [
        ("fn f() {", 70, 0),
        ("fn f() {", 71, 1),
        ("    pub(super) const fn f() {", 71, 1),
        ("pub async fn f(\n) {", 70, 1),
        ("// fn f() {", 100, 0),
        ("type F = fn() -> u8; let f = || {", 100, 0),
    ] {
        let text = format!("{signature}\n{}}}\nfn g() {{}}\n", body(lines));
        let found = long_functions(&Source::new("src/some.rs", &text));
        assert_eq!(found.len(), bad, "{signature} of {lines}: {found:?}");
    }
    let of = |lines: usize| long_file(&Source::new("src/some.rs", &"//\n".repeat(lines)));
    assert_eq!((of(450).len(), of(451).len()), (0, 1));
}
