//! Words that have no place where they stand.

use super::source::Source;

/// What the model may not name: each would let a run depend on something besides its scenario
/// and its commands.
const FOREIGN_TO_MODEL: [&str; 6] = ["std::time", "HashMap", "HashSet", "f32", "Instant::now", "SystemTime"];

/// Functions whose last digit depends on the platform, unless they are `libm`'s.
const PLATFORM_FUNCTIONS: [&str; 25] = [
    "ln", "log", "log2", "log10", "ln_1p", "exp", "exp2", "exp_m1", "powf", "powi", "sin", "cos", "tan",
    "asin", "acos", "atan", "atan2", "sin_cos", "sinh", "cosh", "tanh", "asinh", "acosh", "cbrt", "hypot",
];

/// Closed forms stand beside the model: they hold no state of a run, so they may hold floats.
const THEORY: &str = "src/model/theory";

/// What stops an instance for good.
const PANICS: [&str; 3] = [".unwrap()", ".expect(", "panic!"];

/// Clocks, hash order and small floats in the model.
pub fn foreign_to_model(source: &Source) -> Vec<String> {
    lines_with(source, |line| FOREIGN_TO_MODEL.iter().any(|name| has_word(line, name)))
}

/// Floats in the fields of the model's types.
pub fn float_fields(source: &Source) -> Vec<String> {
    let mut depth = None;
    let mut found = Vec::new();
    for (number, line) in source.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let is_type = words.iter().take(2).any(|word| ["struct", "enum"].contains(word));
        if depth.is_none() && is_type {
            depth = Some(0_i64);
        }
        let Some(open) = depth.as_mut() else { continue };
        if has_word(line, "f64") || has_word(line, "f32") {
            found.push(source.place(number));
        }
        *open += line
            .chars()
            .map(|letter| i64::from("{(".contains(letter)) - i64::from("})".contains(letter)))
            .sum::<i64>();
        if *open <= 0 && (line.contains(';') || line.contains('}')) {
            depth = None;
        }
    }
    found
}

/// Floats in the fields of the model's types, but for its closed forms.
pub fn float_state(source: &Source) -> Vec<String> {
    if source.path.starts_with(THEORY) { Vec::new() } else { float_fields(source) }
}

/// Uses of the closed forms by what simulates.
pub fn theory_in_model(source: &Source) -> Vec<String> {
    if source.path.starts_with(THEORY) {
        return Vec::new();
    }
    lines_with(source, |line| has_word(line, "theory") && line.trim() != "pub mod theory;")
}

/// Functions of floats that are not `libm`'s.
pub fn platform_functions(source: &Source) -> Vec<String> {
    lines_with(source, |line| {
        PLATFORM_FUNCTIONS
            .iter()
            .any(|name| line.contains(&format!(".{name}(")) || has_word(line, &format!("f64::{name}")))
    })
}

/// What can panic, outside tests.
pub fn panics(source: &Source) -> Vec<String> {
    let bad = source.lines_outside_tests().filter(|(_, line)| PANICS.iter().any(|name| line.contains(name)));
    bad.map(|(number, _)| source.place(number)).collect()
}

/// Indexing and slicing, outside tests: `list[i]`, `text[..3]`, `f()[0]`.
pub fn indexing(source: &Source) -> Vec<String> {
    let bad = source.lines_outside_tests().filter(|(_, line)| has_index(line));
    bad.map(|(number, _)| source.place(number)).collect()
}

fn has_index(line: &str) -> bool {
    line.match_indices('[').any(|(at, _)| {
        let before = line[..at].trim_end_matches(|letter: char| letter.is_alphanumeric() || letter == '_');
        let is_lifetime = before.ends_with('\'');
        let last = line[..at].chars().next_back();
        !is_lifetime && last.is_some_and(|letter| letter.is_alphanumeric() || "_)]?".contains(letter))
    })
}

/// Work that somebody meant to do later, in a file of any kind.
pub fn put_off(path: &str, text: &str) -> Vec<String> {
    // Put together here, so that this file does not find itself.
    let words = [concat!("TO", "DO"), concat!("FIX", "ME")];
    let macros = [concat!("to", "do!"), concat!("unimple", "mented!")];
    let without_reason = concat!("#[ig", "nore]");
    let is_bad = |line: &str| {
        words.iter().chain(&macros).any(|word| has_word(line, word)) || line.contains(without_reason)
    };
    let bad = (1..).zip(text.lines()).filter(|(_, line)| is_bad(line));
    bad.map(|(number, line)| format!("{path}:{number}: {}", line.trim())).collect()
}

/// Absolute paths of somebody's machine, in a file of any kind.
pub fn machine_paths(path: &str, text: &str) -> Vec<String> {
    const ROOTS: [&str; 8] = ["home", "root", "tmp", "work", "Users", "mnt", "workspace", "build"];
    let is_path = |line: &str, root: &str| {
        let name = format!("/{root}/");
        line.match_indices(&name).any(|(at, _)| {
            let before = line[..at].chars().next_back();
            let after = line[at + name.len()..].chars().next();
            before.is_none_or(|letter| !letter.is_alphanumeric() && !"._-/$})*".contains(letter))
                && after.is_some_and(char::is_alphanumeric)
        })
    };
    let bad = (1..).zip(text.lines()).filter(|(_, line)| ROOTS.iter().any(|root| is_path(line, root)));
    bad.map(|(number, line)| format!("{path}:{number}: {}", line.trim())).collect()
}

/// Hosts of registries in a lock or a configuration, beyond the one line that cargo writes.
pub fn registry_hosts(path: &str, text: &str) -> Vec<String> {
    let own = format!("source = \"registry+{}://github.com/rust-lang/crates.io-index\"", "https");
    let is_bad = |line: &str| {
        let is_setting = ["registry", "replace-with", "[source", "[registries", "\"resolved\"", "index ="]
            .iter()
            .any(|word| line.contains(word));
        line != own
            && (is_setting && !line.starts_with('#') && !line.starts_with("omit-lockfile")
                || line.contains("://"))
    };
    let bad = (1..).zip(text.lines()).filter(|(_, line)| is_bad(line.trim()));
    bad.map(|(number, line)| format!("{path}:{number}: {}", line.trim())).collect()
}

/// Whether `word` stands in `line` by itself, not inside a longer name.
pub fn has_word(line: &str, word: &str) -> bool {
    let in_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    line.match_indices(word)
        .any(|(at, _)| !line[..at].ends_with(in_name) && !line[at + word.len()..].starts_with(in_name))
}

fn lines_with(source: &Source, is_bad: impl Fn(&str) -> bool) -> Vec<String> {
    let bad = source.lines().filter(|(_, line)| is_bad(line));
    bad.map(|(number, _)| source.place(number)).collect()
}

#[cfg(test)]
mod proofs {
    use super::*;

    fn check(rule: fn(&Source) -> Vec<String>, cases: &[(&str, usize)]) {
        for (text, bad) in cases {
            let found = rule(&Source::new("src/model/some.rs", text));
            assert_eq!(found.len(), *bad, "{text}: {found:?}");
        }
    }

    #[test]
    fn what_is_foreign_to_the_model_is_found() {
        check(
            foreign_to_model,
            &[
                ("use std::time::Duration;", 1),
                ("use std::collections::HashMap;", 1),
                ("let set: HashSet<u8>;", 1),
                ("let small = 1_f32 as f32;", 1),
                ("let now = Instant::now();", 1),
                ("let now = SystemTime::UNIX_EPOCH;", 1),
                ("use super::time::Instant; // no std::time", 0),
                ("let map: BTreeMap<u8, MyHashMap>; let text = \"f32\";", 0),
            ],
        );
    }

    #[test]
    fn float_fields_are_found() {
        check(
            float_fields,
            &[
                ("pub struct A {\n    /// A share.\n    share: f64,\n}", 1),
                ("struct A(f64);", 1),
                ("pub enum A {\n    B(f64),\n    C { d: Option<f64> },\n}", 2),
                ("struct A {\n    /// Once an f64.\n    share: u64,\n}\nfn f(x: f64) -> f64 {\n    x\n}", 0),
                ("struct A;\nfn f(x: f64) {}", 0),
            ],
        );
    }

    #[test]
    fn platform_functions_are_found() {
        check(
            platform_functions,
            &[
                ("let x = u.ln();", 1),
                ("let x = y.powf(2.0) + z.exp();", 1),
                ("let x = f64::sin(y);", 1),
                ("let x = libm::log(u) + libm::exp(y);", 0),
                ("let x = list.explain(); let catalog = a.logs();", 0),
            ],
        );
    }

    #[test]
    fn only_closed_forms_have_floats_and_nothing_that_simulates_uses_them() {
        let of =
            |rule: fn(&Source) -> Vec<String>, path: &str, text: &str| rule(&Source::new(path, text)).len();
        let field = "struct State {\n    mean: f64,\n}";
        assert_eq!(of(float_state, "src/model/stats.rs", field), 1);
        assert_eq!(of(float_state, "src/model/theory/fluid.rs", field), 0);
        assert_eq!(of(theory_in_model, "src/model/outlook.rs", "use super::theory::fluid::Flow;"), 1);
        assert_eq!(of(theory_in_model, "src/model/theory/fluid.rs", "use super::super::theory::Refused;"), 0);
        assert_eq!(of(theory_in_model, "src/model/mod.rs", "pub mod theory;\n// [`theory`]"), 0);
    }

    #[test]
    fn panics_are_found_outside_tests() {
        check(
            panics,
            &[
                ("let a = b.unwrap();", 1),
                ("let a = b.expect(\"it\");", 1),
                ("panic!(\"no\")", 1),
                ("let a = b.unwrap_or_default(); // .unwrap()", 0),
                ("#[cfg(test)]\nmod tests {\n    fn f() { a.unwrap() }\n}", 0),
            ],
        );
    }

    #[test]
    fn indexing_is_found_outside_tests() {
        check(
            indexing,
            &[
                ("let a = list[0];", 1),
                ("let a = f()[1..].len();", 1),
                ("let a = lists[0][1];", 1),
                ("#[derive(Clone)] struct A { list: [u8; 3], names: &'static [u8] }", 0),
                ("let a: Vec<[f64; 2]> = vec![[0.0; 2]]; let [b, c] = d;", 0),
                ("fn f(list: &'a[u8]) {}", 0),
                ("#[cfg(test)]\nmod tests {\n    fn f() { list[0] }\n}", 0),
            ],
        );
    }

    #[test]
    fn work_that_was_put_off_is_found() {
        let of = |text: &str| put_off("static/some.js", text).len();
        assert_eq!(of(concat!("// TO", "DO: later")), 1);
        assert_eq!(of(concat!("FIX", "ME")), 1);
        assert_eq!(of(concat!("fn f() { to", "do!() }\nfn g() { unimple", "mented!() }")), 2);
        assert_eq!(of(concat!("#[ig", "nore]\nfn f() {}")), 1);
        assert_eq!(of(concat!("#[ig", "nore = \"takes ten minutes\"]\nfn f() {}")), 0);
        assert_eq!(of("a method of its own: AUTODOC"), 0);
    }

    #[test]
    fn paths_of_a_machine_are_found() {
        let of = |text: &str| machine_paths("README.md", text).len();
        for root in ["home", "root", "tmp", "work", "Users"] {
            assert_eq!(of(&format!("see /{root}/somebody/file")), 1, "{root}");
            assert_eq!(of(&format!("(\"/{root}/x\")")), 1, "{root}");
        }
        assert_eq!(of("https://example.org/work/it and ./build/it and $HOME/work/it"), 0);
        assert_eq!(of("/usr/bin/chromium /dev/tcp/127.0.0.1"), 0);
    }

    #[test]
    fn hosts_of_registries_are_found() {
        let of = |text: &str| registry_hosts("Cargo.lock", text).len();
        let cargo = format!("source = \"registry+{}://github.com/rust-lang/crates.io-index\"", "https");
        assert_eq!(of(&cargo), 0);
        assert_eq!(of(&cargo.replace("github.com", "mirror.example")), 1);
        assert_eq!(of(&format!("\"resolved\": \"{}://mirror.example/a.tgz\"", "https")), 1);
        assert_eq!(of("registry=mirror.example"), 1);
        assert_eq!(of("[source.crates-io]\nreplace-with = \"mirror\""), 2);
        assert_eq!(of("omit-lockfile-registry-resolved=true\n# no registry here\nname = \"libm\""), 0);
    }
}
