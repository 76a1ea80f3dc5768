//! What README says of controls and keys.

use queue_lab::app::access::NAMES;
use queue_lab::app::keys::KEYS;

use super::markdown::{code, rows, section};
use crate::tidy::read;

#[test]
fn readme_names_all_controls() {
    let readme = read("README.md");
    let line =
        readme.lines().find(|line| line.starts_with("Names of buttons and parts:")).unwrap_or_default();
    let listed: Vec<&str> = line.split('`').skip(1).step_by(2).collect();
    let wanted: Vec<&str> = NAMES.iter().map(|(name, ..)| *name).collect();
    assert_eq!(listed, wanted, "README, Configure it: the names of buttons and parts, in order");
}

#[test]
fn readme_lists_the_keys() {
    let readme = read("README.md");
    let listed: Vec<String> =
        rows(section(&readme, "Teach with it"), "key").iter().filter_map(|row| code(&row[0])).collect();
    let wanted: Vec<&str> = KEYS.iter().map(|key| key.key).collect();
    assert_eq!(listed, wanted, "README, Teach with it: the keys, in order");
}
