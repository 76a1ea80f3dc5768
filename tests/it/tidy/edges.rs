//! Which top-level modules a file uses, by `crate::` or by going up with `super::`.

use super::source::{Source, balance};

/// Each top-level module and those it may use. Everything else would be an edge against the
/// direction `model` <- `narrate`, `draw`, `lesson` <- `app` <- `ui` <- `web`.
/// `json` reads and writes for those that need it.
const MAY_USE: [(&str, &[&str]); 8] = [
    ("model", &[]),
    ("json", &[]),
    ("narrate", &["model", "json"]),
    ("draw", &["model"]),
    ("lesson", &["model", "json"]),
    ("app", &["model", "json", "narrate", "draw", "lesson"]),
    ("ui", &["model", "json", "narrate", "draw", "lesson", "app"]),
    ("web", &["model", "json", "narrate", "draw", "lesson", "app", "ui"]),
];

/// Uses that go against the direction.
pub fn against_the_direction(source: &Source) -> Vec<String> {
    let Some(own) = top_module(&source.path) else { return Vec::new() };
    let Some((_, allowed)) = MAY_USE.iter().find(|(name, _)| *name == own) else {
        return vec![format!(
            "{}: {own} is a new top-level module; say in tidy what it may use",
            source.path
        )];
    };
    let uses = uses(source).into_iter();
    uses.filter(|(_, used)| used != own && !allowed.contains(&used.as_str()))
        .map(|(line, used)| format!("{own} may not use {used}: {}", source.place(line)))
        .collect()
}

fn top_module(path: &str) -> Option<&str> {
    let inside = path.strip_prefix("src/")?;
    match inside.split_once('/') {
        Some((folder, _)) => Some(folder),
        None => inside.strip_suffix(".rs").filter(|name| !["lib", "main"].contains(name)),
    }
}

/// Every top-level module that is named, with the line.
fn uses(source: &Source) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut inner_modules: Vec<i64> = Vec::new();
    let mut depth = 0;
    let mut offset = 0;
    for (number, line) in source.lines() {
        if is_module_with_body(line) {
            inner_modules.push(depth);
        }
        let here = &source.code[offset..];
        for (at, _) in line.match_indices("crate::").filter(|(at, _)| !is_in_word(line, *at)) {
            found.extend(names_after(&here[at + "crate::".len()..]).into_iter().map(|name| (number, name)));
        }
        for (at, ups) in super_chains(line) {
            let levels = levels(&source.path) + inner_modules.len();
            if ups >= levels {
                let after = &here[at + "super::".len() * ups..];
                found.extend(names_after(after).into_iter().map(|name| (number, name)));
            }
        }
        depth += balance(line);
        inner_modules.retain(|outer| *outer < depth);
        offset += line.len() + 1;
    }
    found
}

fn is_in_word(line: &str, at: usize) -> bool {
    line[..at].ends_with(|letter: char| letter.is_alphanumeric() || letter == '_')
}

fn is_module_with_body(line: &str) -> bool {
    let line = line.trim();
    line.ends_with('{') && (line.starts_with("mod ") || line.contains(" mod "))
}

/// How many modules a file is below the crate: `src/app/link.rs` is 2, `src/app/mod.rs` is 1.
fn levels(path: &str) -> usize {
    path.trim_start_matches("src/").trim_end_matches("/mod.rs").split('/').count()
}

/// Where `super::super::…` begins, and how often it goes up.
fn super_chains(line: &str) -> Vec<(usize, usize)> {
    let mut chains = Vec::new();
    let mut from = 0;
    while let Some(at) = line[from..].find("super::").map(|at| at + from) {
        let mut ups = 0;
        from = at;
        while line[from..].starts_with("super::") {
            (ups, from) = (ups + 1, from + "super::".len());
        }
        if !is_in_word(line, at) {
            chains.push((at, ups));
        }
    }
    chains
}

/// The first names of a path or of a group in braces, which may go over several lines.
fn names_after(rest: &str) -> Vec<String> {
    let Some(group) = rest.strip_prefix('{') else { return first_name(rest).into_iter().collect() };
    let mut names = Vec::new();
    let mut depth = 0_i64;
    let mut is_start = true;
    for (at, letter) in group.char_indices() {
        match letter {
            '}' if depth == 0 => break,
            '{' | '}' => depth += i64::from(letter == '{') - i64::from(letter == '}'),
            ',' if depth == 0 => is_start = true,
            _ if is_start && !letter.is_whitespace() => {
                names.extend(first_name(&group[at..]));
                is_start = false;
            }
            _ => {}
        }
    }
    names
}

fn first_name(rest: &str) -> Option<String> {
    let name: String = rest.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect();
    // A type or constant at the crate's root, or a macro, is no module.
    name.starts_with(|letter: char| letter.is_lowercase()).then_some(name)
}

#[test]
fn edges_against_the_direction_are_found() {
    for (path, text, bad) in [
        ("src/model/time.rs", "use crate::app::link;", 1),
        ("src/model/time.rs", "use super::super::app::link;", 1),
        ("src/model/time.rs", "use super::rate::Rate;", 0),
        ("src/model/time.rs", "mod tests {\n    use super::super::rate::Rate;\n}", 0),
        ("src/model/time.rs", "mod tests {\n    use super::super::super::draw::scene;\n}", 1),
        ("src/model/time.rs", "// use crate::app::link;\nlet text = \"crate::app\";", 0),
        (
            "src/narrate/words.rs",
            "use crate::{\n    draw::scene::Scene,\n    model::{rate::Rate, time::Span},\n};",
            1,
        ),
        ("src/draw/scene.rs", "fn f() { crate::narrate::words::text() }", 1),
        ("src/draw/chart/line.rs", "use super::super::scale; use crate::model::time::Span;", 0),
        ("src/app/link.rs", "use crate::ui::Widget;", 1),
        ("src/lesson/mod.rs", "use super::app::link;", 1),
        ("src/ui/dial.rs", "use crate::app::view; use crate::model::settings::Setting;", 0),
        ("src/ui/dial.rs", "use crate::web::browser;", 1),
        ("src/web/mod.rs", "use crate::ui::Widget;", 0),
        ("src/model/time.rs", "use crate::json::Json;", 1),
        ("src/json.rs", "use crate::model::decimal;", 1),
        ("src/other/mod.rs", "", 1),
        ("src/lib.rs", "use crate::web::mount;", 0),
    ] {
        let found = against_the_direction(&Source::new(path, text));
        assert_eq!(found.len(), bad, "{path}: {text}: {found:?}");
    }
}
