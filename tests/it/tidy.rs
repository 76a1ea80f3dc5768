//! What the sources keep to, where neither the compiler nor clippy looks. Each rule has its
//! proof beside it that it can fail.

mod edges;
mod shape;
pub mod source;
mod words;

use source::{Source, files, sources};

/// Files over the limit of lines that have yet to be split. An entry goes as soon as its file
/// fits; none is added.
const STILL_TO_SPLIT: &[&str] = &[];

/// Fails with all that a rule has found.
fn none(found: &[String], advice: &str) {
    assert!(found.is_empty(), "{advice}\n{}", found.join("\n"));
}

fn check(folders: &[&str], rule: fn(&Source) -> Vec<String>, advice: &str) {
    let found: Vec<String> =
        folders.iter().flat_map(|folder| sources(folder)).flat_map(|source| rule(&source)).collect();
    none(&found, advice);
}

fn check_files(folders: &[&str], rule: fn(&str, &str) -> Vec<String>, advice: &str) {
    let all: Vec<_> = folders.iter().flat_map(|folder| files(folder)).collect();
    assert!(!all.is_empty(), "there are files");
    let found: Vec<String> = all.iter().flat_map(|(path, text)| rule(path, text)).collect();
    none(&found, advice);
}

#[test]
fn modules_use_each_other_in_one_direction() {
    check(
        &["src"],
        edges::against_the_direction,
        "The direction is model <- narrate, draw, lesson <- app <- ui <- web (src/lib.rs). Move what is shared down, \
         or hand it over as a value.",
    );
}

/// Modules of the page that a test names.
fn pages_named(path: &str, text: &str) -> Vec<String> {
    let pages = ["app", "draw", "narrate", "ui"].map(|module| ["queue_lab::", module].concat());
    pages.iter().filter(|page| text.contains(*page)).map(|page| format!("{path}: {page}")).collect()
}

#[test]
fn tests_that_see_mutations_of_the_model_need_no_page() {
    check_files(
        &["tests/it/properties", "tests/it/rules", "tests/it/vectors"],
        pages_named,
        "`make mutate` compiles these with the model and scenario files alone. Move these tests elsewhere:",
    );
    assert_eq!(pages_named("one.rs", &["use queue_lab::", "app::App;"].concat()).len(), 1);
    assert_eq!(pages_named("one.rs", "use queue_lab::model::time::Instant;").len(), 0);
}

/// What a mutation breaks is in its file exactly once, or `make mutate` would break nothing.
#[test]
fn every_mutation_has_something_to_break() {
    let list = read("tests/mutations/mutations.json");
    let mutations: Vec<serde_json::Value> = serde_json::from_str(&list).expect("it is a list");
    assert!(mutations.len() > 100, "{} mutations", mutations.len());
    let text = |mutation: &serde_json::Value, key: &str| mutation[key].as_str().expect("a text").to_owned();
    for mutation in &mutations {
        let found = read(&text(mutation, "file")).matches(&text(mutation, "find")).count();
        assert_eq!(found, 1, "{}", text(mutation, "name"));
        assert_ne!(text(mutation, "find"), text(mutation, "put"));
    }
}

#[test]
fn functions_stay_short() {
    check(
        &["src", "tests", "examples"],
        shape::long_functions,
        "A function of at most 70 lines can be read at once. Split these:",
    );
}

#[test]
fn files_stay_short() {
    let all: Vec<Source> = ["src", "tests", "examples"].iter().flat_map(|folder| sources(folder)).collect();
    let (known, others): (Vec<_>, Vec<_>) =
        all.iter().partition(|source| STILL_TO_SPLIT.contains(&source.path.as_str()));
    let found: Vec<String> = others.into_iter().flat_map(shape::long_file).collect();
    none(&found, "A file of more than 450 lines is two rooms. Split these:");
    assert_eq!(known.len(), STILL_TO_SPLIT.len(), "every file of STILL_TO_SPLIT exists");
    let fits: Vec<String> = known
        .iter()
        .filter(|source| shape::long_file(source).is_empty())
        .map(|source| source.path.clone())
        .collect();
    none(&fits, "These fit now. Take them out of STILL_TO_SPLIT:");
}

#[test]
fn every_test_file_is_part_of_the_binary() {
    let all = sources("tests/it");
    none(&not_compiled(&all), "No `mod` line names this file, so its tests never run:");
}

/// Modules below tests/it that no file names.
fn not_compiled(all: &[Source]) -> Vec<String> {
    let names = |name: &str| {
        let line = format!("mod {name};");
        all.iter()
            .any(|source| source.lines().any(|(_, code)| code.trim().trim_start_matches("pub ") == line))
    };
    let modules = all.iter().filter_map(|source| {
        let inside = source.path.strip_prefix("tests/it/")?.trim_end_matches(".rs").trim_end_matches("/mod");
        Some((source, inside.rsplit('/').next()?))
    });
    let left_out = modules.filter(|(_, name)| *name != "main" && !names(name));
    left_out.map(|(source, _)| source.path.clone()).collect()
}

#[test]
fn a_test_file_that_is_left_out_would_be_found() {
    let file = |path: &str, text: &str| Source::new(path, text);
    let main = || file("tests/it/main.rs", "mod some;\n// mod other;\n");
    let all = [main(), file("tests/it/some.rs", "pub mod part;"), file("tests/it/some/part.rs", "")];
    assert_eq!(not_compiled(&all), Vec::<String>::new());
    let all = [main(), file("tests/it/other.rs", ""), file("tests/it/folder/mod.rs", "")];
    assert_eq!(not_compiled(&all), ["tests/it/other.rs", "tests/it/folder/mod.rs"]);
}

#[test]
fn the_model_knows_no_clock_no_hash_order_and_no_small_floats() {
    check(
        &["src/model"],
        words::foreign_to_model,
        "A run follows from its scenario and commands alone. Use the model's own Instant, BTreeMap or Vec, and integers:",
    );
}

#[test]
fn no_state_of_the_model_is_a_float() {
    check(
        &["src/model"],
        words::float_state,
        "Keep integers in fields (microseconds, thousandths, millionths):",
    );
    check(
        &["src/model"],
        words::theory_in_model,
        "Closed forms are for tests and for the page. What simulates keeps to integers:",
    );
}

#[test]
fn the_model_takes_functions_of_floats_from_libm() {
    check(
        &["src/model"],
        words::platform_functions,
        "The standard library's result differs between platforms in the last digit. Use libm's function:",
    );
}

#[test]
fn the_page_and_the_browser_edge_cannot_panic() {
    let advice = "A panic here stops the widget. Use let-else, `?` or a plain value instead:";
    check(&["src/ui", "src/web"], words::panics, advice);
}

#[test]
fn the_page_and_the_browser_edge_do_not_index() {
    check(
        &["src/ui", "src/web"],
        words::indexing,
        "An index can be out of range. Use get, first, or a pattern:",
    );
}

#[test]
fn nothing_is_put_off_in_the_sources() {
    check_files(
        &["src", "tests", "static", "scripts", "examples"],
        words::put_off,
        "Do it now, or write an issue. A test that is skipped says why in its attribute:",
    );
}

#[test]
fn no_file_names_a_path_of_a_machine() {
    check_files(
        &[""],
        words::machine_paths,
        "This path is on one machine only. Make it relative to the project:",
    );
}

#[test]
fn locks_and_settings_name_no_registry() {
    let all = ["Cargo.lock", "package-lock.json", ".npmrc", ".cargo/config.toml"];
    let found: Vec<String> = all.iter().flat_map(|path| words::registry_hosts(path, &read(path))).collect();
    none(&found, "Locks hold versions and hashes, whatever registry they came from. Remove the host:");
}

#[test]
fn every_public_item_has_to_be_documented() {
    let found: Vec<String> = sources("src").iter().flat_map(allows_missing_docs).collect();
    none(&found, "The lint missing_docs is for every public item. Write the sentence instead:");
    assert!(
        demands_docs(&read("Cargo.toml")),
        "[lints.rust] of Cargo.toml sets missing_docs to warn, deny or forbid"
    );
}

fn demands_docs(manifest: &str) -> bool {
    let rust = manifest.split_once("[lints.rust]").map_or("", |(_, after)| after);
    let own = rust.split("\n[").next().unwrap_or_default();
    ["warn", "deny", "forbid"].iter().any(|level| own.contains(&format!("missing_docs = \"{level}\"")))
}

fn allows_missing_docs(source: &Source) -> Vec<String> {
    let is_bad = |line: &str| line.contains("allow(") && words::has_word(line, "missing_docs");
    source.lines().filter(|(_, line)| is_bad(line)).map(|(number, _)| source.place(number)).collect()
}

#[test]
fn missing_documentation_would_be_found() {
    assert!(demands_docs("[lints.rust]\nunsafe_code = \"forbid\"\nmissing_docs = \"warn\"\n"));
    assert!(!demands_docs(
        "[lints.rust]\nmissing_docs = \"allow\"\n[lints.clippy]\nmissing_docs = \"warn\"\n"
    ));
    assert_eq!(allows_missing_docs(&Source::new("src/some.rs", "#![allow(missing_docs)]")).len(), 1);
    assert_eq!(allows_missing_docs(&Source::new("src/some.rs", "// allow(missing_docs)")).len(), 0);
}

#[test]
#[should_panic(expected = "Split these:\na.rs")]
fn a_rule_that_found_something_fails() {
    none(&["a.rs".to_owned()], "Split these:");
}

/// A file of the project.
pub fn read(path: &str) -> String {
    std::fs::read_to_string(source::root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn the_charts_are_drawn_with_plotters_on_plotters_canvas() {
    let manifest = include_str!("../../Cargo.toml");
    assert!(manifest.contains("plotters-canvas = "), "the project's terms: plotters-canvas stays");
    let canvas = include_str!("../../src/web/canvas.rs");
    assert!(canvas.contains("plotters_canvas::CanvasBackend"), "no canvas backend of our own");
    let chart = include_str!("../../src/draw/chart/paint.rs");
    assert!(chart.contains("use plotters::prelude"), "plotters' coordinates and elements");
}
