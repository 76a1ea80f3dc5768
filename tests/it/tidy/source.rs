//! Source files as the rules read them: with comments and literals blanked out.

use std::fs;
use std::path::{Path, PathBuf};

/// Folders that hold nothing of ours.
const NOT_OURS: [&str; 5] = [".git", ".tools", "dist", "node_modules", "target"];

/// A Rust file.
pub struct Source {
    /// Its path from the project's root, with `/` between.
    pub path: String,
    /// As it stands.
    pub text: String,
    /// The same lines, with comments, texts and characters blanked out.
    pub code: String,
    /// Which lines, from 0, are tests.
    test_lines: Vec<bool>,
}

impl Source {
    /// A file of that text.
    pub fn new(path: &str, text: &str) -> Self {
        let code = blanked(text);
        let test_lines =
            if is_test_file(path) { vec![true; code.lines().count()] } else { test_lines(&code) };
        Self { path: path.to_owned(), text: text.to_owned(), code, test_lines }
    }

    /// Lines of code that are no tests, each with its number from 1.
    pub fn lines_outside_tests(&self) -> impl Iterator<Item = (usize, &str)> {
        self.lines().filter(|(number, _)| !self.is_test(*number))
    }

    /// All lines of code, each with its number from 1.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        (1..).zip(self.code.lines())
    }

    /// Whether the line of that number is a test.
    pub fn is_test(&self, number: usize) -> bool {
        self.test_lines.get(number - 1).copied().unwrap_or_default()
    }

    /// Where a line stands, for people.
    pub fn place(&self, number: usize) -> String {
        format!("{}:{number}: {}", self.path, self.text.lines().nth(number - 1).unwrap_or_default().trim())
    }
}

/// All Rust files below a folder of the project.
pub fn sources(folder: &str) -> Vec<Source> {
    let rust = files(folder).into_iter().filter(|(path, _)| path.ends_with(".rs"));
    let found: Vec<_> = rust.map(|(path, text)| Source::new(&path, &text)).collect();
    assert!(!found.is_empty(), "{folder} has Rust files");
    found
}

/// All files of text below a folder of the project (`""` is the whole project) with their paths
/// from its root, in order; what is built or installed is not among them.
pub fn files(folder: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    read_folder(&root().join(folder), &mut found);
    found.sort();
    found
}

fn read_folder(folder: &Path, found: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("the folder can be read").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && !NOT_OURS.contains(&name.as_str()) {
            read_folder(&path, found);
        } else if path.is_file()
            && let Ok(text) = fs::read_to_string(&path)
        {
            let path = path.strip_prefix(root()).unwrap_or(&path);
            found.push((path.to_string_lossy().replace('\\', "/"), text));
        }
    }
}

/// The project's root.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn is_test_file(path: &str) -> bool {
    path.starts_with("tests/") || path.ends_with("/tests.rs")
}

/// Lines of modules and functions that are only there for tests.
fn test_lines(code: &str) -> Vec<bool> {
    let mut marks = Vec::new();
    let mut depth = None;
    for line in code.lines() {
        if depth.is_none() && line.trim_start().starts_with("#[cfg(test)]") {
            depth = Some(0);
        }
        marks.push(depth.is_some());
        let Some(open) = depth.as_mut() else { continue };
        let before = *open;
        *open += balance(line);
        let is_over = *open <= 0 && (before > 0 || line.contains('}') || line.trim_end().ends_with(';'));
        if is_over {
            depth = None;
        }
    }
    marks
}

/// Braces that open on a line, less those that close.
pub fn balance(line: &str) -> i64 {
    line.chars().map(|letter| i64::from(letter == '{') - i64::from(letter == '}')).sum()
}

/// Puts blanks in place of comments, texts and characters; lines stay lines.
fn blanked(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let hidden = hidden_len(rest, out.chars().next_back());
        let (taken, left) = rest.split_at(if hidden > 0 { hidden } else { first.len_utf8() });
        if hidden > 0 {
            out.extend(taken.chars().map(|letter| if letter == '\n' { '\n' } else { ' ' }));
        } else {
            out.push_str(taken);
        }
        rest = left;
    }
    out
}

/// How many bytes of the comment, text or character that begins here; 0 where none begins.
fn hidden_len(rest: &str, before: Option<char>) -> usize {
    let is_in_word = before.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
    if rest.starts_with("//") {
        return rest.find('\n').unwrap_or(rest.len());
    }
    if rest.starts_with("/*") {
        return block_comment_len(rest);
    }
    if rest.starts_with('"') {
        return text_len(rest);
    }
    if rest.starts_with('r') && !is_in_word {
        return raw_text_len(rest);
    }
    if rest.starts_with('\'') { character_len(rest) } else { 0 }
}

fn block_comment_len(rest: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < rest.len() {
        match &rest.as_bytes()[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] if depth == 1 => return at + 2,
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
    }
    rest.len()
}

fn text_len(rest: &str) -> usize {
    let mut is_escaped = false;
    for (at, letter) in rest.char_indices().skip(1) {
        match letter {
            '"' if !is_escaped => return at + 1,
            _ => is_escaped = letter == '\\' && !is_escaped,
        }
    }
    rest.len()
}

fn raw_text_len(rest: &str) -> usize {
    let hashes = rest[1..].bytes().take_while(|byte| *byte == b'#').count();
    if rest.as_bytes().get(1 + hashes) != Some(&b'"') {
        return 0;
    }
    let end = format!("\"{}", "#".repeat(hashes));
    let inside = 2 + hashes;
    rest[inside..].find(&end).map_or(rest.len(), |at| inside + at + end.len())
}

/// `'x'` and `'\n'`, but no lifetime such as `'a`.
fn character_len(rest: &str) -> usize {
    let mut letters = rest.char_indices().skip(1);
    match letters.next() {
        Some((_, '\\')) => {
            rest[2..].char_indices().skip(1).find(|(_, letter)| *letter == '\'').map_or(0, |(at, _)| at + 3)
        }
        Some(_) => letters.next().filter(|(_, letter)| *letter == '\'').map_or(0, |(at, _)| at + 1),
        None => 0,
    }
}

#[test]
fn comments_texts_and_characters_are_blanked_and_lines_stay() {
    let kept = |text: &str| blanked(text).split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(kept("a // b\nc /* d /* e */ f */ g"), "a c g");
    assert_eq!(kept(r#"x("a \" b", 'c', '\'', '\u{41}') y"#), "x( , , , ) y");
    assert_eq!(kept("r#\"a \" b\"# z r\"c\" for<'a> &'a str"), "z for<'a> &'a str");
    assert_eq!(kept("let bar = hover\"x\";"), "let bar = hover ;");
    assert_eq!(blanked("\"a\nb\"\n// c\n").matches('\n').count(), 3);
}

#[test]
fn tests_inside_a_file_are_told_from_the_rest() {
    let text = "fn a() {}\n#[cfg(test)]\nmod tests {\n    fn b() {}\n}\nfn c() {}\n#[cfg(test)]\nmod more;\nfn d() {}\n";
    let source = Source::new("src/model/some.rs", text);
    let outside: Vec<_> = source.lines_outside_tests().map(|(_, line)| line).collect();
    assert_eq!(outside, ["fn a() {}", "fn c() {}", "fn d() {}"]);
    assert_eq!(Source::new("src/model/some/tests.rs", text).lines_outside_tests().count(), 0);
}
