//! Everything that people read or hear is a key of the locale: the sources of the page hold no
//! text of their own.

use std::fs;
use std::path::Path;

use queue_lab::narrate::locale::Locale;

/// A string literal, and what stands before it on its line.
struct Literal {
    file: String,
    line: usize,
    before: String,
    text: String,
}

#[test]
fn the_sources_of_the_page_hold_names_and_keys_only() {
    let literals = literals();
    assert!(literals.len() > 100, "the sources were read");
    for literal in &literals {
        let place = format!("{}:{}: {:?}", literal.file, literal.line, literal.text);
        assert!(is_name(&without_places(&literal.text)), "{place} looks like a text");
        let is_shown = !literal.text.is_empty() && is_shown(&literal.before);
        assert!(!is_shown, "{place} is shown or spoken");
    }
}

#[test]
fn every_key_in_the_sources_is_in_the_locale() {
    let locale = Locale::english();
    let keys: Vec<_> = literals().into_iter().filter(|literal| is_key(&literal.text)).collect();
    assert!(keys.len() > 15, "the keys were found");
    for literal in keys {
        let is_known = locale.keys().any(|key| key == literal.text);
        assert!(is_known, "{}:{}: there is no text {:?}", literal.file, literal.line, literal.text);
    }
}

#[test]
fn every_attribute_has_its_place() {
    let literals = literals();
    let is_in_list = |literal: &&Literal| literal.file == "element.rs" && literal.before.trim().is_empty();
    let places: Vec<_> = literals.iter().filter(is_in_list).map(|literal| &literal.text).collect();
    let given: Vec<_> = literals.iter().filter(|one| is_attribute(&one.before)).collect();
    assert!(given.len() > 50, "the attributes were found");
    for literal in given {
        assert!(places.contains(&&literal.text), "{}:{}: {}", literal.file, literal.line, literal.text);
    }
}

#[test]
fn the_rules_tell_texts_from_names() {
    assert!(is_attribute(".with(") && is_attribute("x.with_flag(") && !is_attribute(".with(\"id\", "));
    assert!(is_name("button primary") && is_name("m3 8 h10 m-5 -5 v10") && is_name("dial.more"));
    assert!(is_name(&without_places("{prefix}-{name}")));
    assert!(!is_name("Start") && !is_name("it's") && !is_name("8 × 2"));
    assert!(is_shown(".text(") && is_shown(".maybe_text(") && is_shown(".with(\"aria-label\", "));
    assert!(!is_shown(".with(") && !is_shown(".with(\"id\", ") && !is_shown(".text(page.say("));
    assert!(is_key("dial.more") && !is_key("button") && !is_key(".json"));
}

/// Class names, ids, attribute names and values, keys, paths of icons.
fn is_name(text: &str) -> bool {
    text.chars().all(|letter| matches!(letter, 'a'..='z' | '0'..='9' | '_' | '.' | ':' | '#' | ' ' | '-'))
        || matches!(text, "Escape" | "viewBox")
}

/// Whether a literal there is a text of an element, or an attribute that is read aloud.
fn is_shown(before: &str) -> bool {
    let before = before.trim_end();
    let spoken = ["aria-label", "aria-valuetext", "aria-description", "title", "alt", "placeholder"];
    before.ends_with("text(") || spoken.iter().any(|name| before.ends_with(&format!("\"{name}\",")))
}

/// Whether a literal there names an attribute.
fn is_attribute(before: &str) -> bool {
    before.ends_with(".with(") || before.ends_with(".with_flag(")
}

fn is_key(text: &str) -> bool {
    let is_word = |part: &str| !part.is_empty() && part.chars().all(|letter| letter.is_ascii_lowercase());
    text.contains('.') && text.split('.').all(is_word)
}

/// `{name}` in a format string is not part of its text.
fn without_places(text: &str) -> String {
    let mut pieces = text.split('{');
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |kept, piece| kept + piece.split_once('}').map_or(piece, |(_, after)| after))
}

fn literals() -> Vec<Literal> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/ui");
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("the sources are there") {
        let path = entry.expect("the folder can be read").path();
        let file = path.file_name().expect("it has a name").to_string_lossy().into_owned();
        read_literals(&file, &fs::read_to_string(&path).expect("it is a text"), &mut found);
    }
    found
}

/// Reads the literals of a source whose literals stay on their lines and hold no quotes, which is
/// checked: every line has an even number of quotes outside comments.
fn read_literals(file: &str, source: &str, found: &mut Vec<Literal>) {
    for (number, line) in source.lines().enumerate() {
        let code = line.split("// ").next().unwrap_or_default();
        if line.trim_start().starts_with("//") {
            continue;
        }
        let pieces: Vec<_> = code.split('"').collect();
        assert!(pieces.len() % 2 == 1, "{file}:{}: a literal stays on its line", number + 1);
        for position in (1..pieces.len()).step_by(2) {
            found.push(Literal {
                file: file.to_owned(),
                line: number + 1,
                before: pieces[..position].join("\""),
                text: pieces[position].to_owned(),
            });
        }
    }
}
