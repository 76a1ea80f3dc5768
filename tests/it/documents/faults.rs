//! The list of faults that users of other tools met names tests; they are there.

use std::path::Path;

use super::{markdown::rows, read};

#[test]
fn tests_of_faults_met_elsewhere_are_there() {
    let sources = test_sources(Path::new(env!("CARGO_MANIFEST_DIR")));
    let rows = rows(&read("doc/faults-met-elsewhere.md"), "#");
    assert_eq!(rows.len(), 41);
    for row in rows {
        let named: Vec<&str> = row[3].split('`').skip(1).step_by(2).collect();
        for name in named {
            let titles = [
                format!("#[test]\nfn {name}("),
                format!("#[test]\n    fn {name}("),
                format!("test(\"{name}\""),
                format!("test(`{name}`"),
            ];
            assert!(titles.iter().any(|title| sources.contains(title)), "{}: no test {name}", row[0]);
        }
    }
}

/// All files that hold tests, one after another.
fn test_sources(root: &Path) -> String {
    let mut folders = vec![root.join("src"), root.join("tests/it"), root.join("tests/browser")];
    let mut text = String::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("it can be read").flatten() {
            let path = entry.path();
            match path.extension().and_then(|extension| extension.to_str()) {
                None => folders.push(path),
                Some("rs" | "mjs") => text.push_str(&std::fs::read_to_string(path).expect("it is text")),
                Some(_) => {}
            }
        }
    }
    text
}
