//! The scenarios that come with it, by name.

/// A scenario that is built in.
#[derive(Clone, Copy, Debug)]
pub struct BuiltIn {
    /// Its name in links.
    pub name: &'static str,
    /// Its file.
    pub text: &'static str,
}

macro_rules! built_in {
    ($($name:literal),+ $(,)?) => {
        &[$(BuiltIn { name: $name, text: include_str!(concat!("../../static/scenarios/", $name, ".json")) }),+]
    };
}

/// All of them.
pub const ALL: &[BuiltIn] = built_in![
    "eight-against-six",
    "six-in-six-out",
    "bigger-queue",
    "pushed-back",
    "random",
    "burst",
    "flood",
    "memory-alarm"
];

/// The one that "Show me" runs.
pub const SHOW_ME: &str = "eight-against-six";

/// The built-in scenario of that name.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static BuiltIn> {
    ALL.iter().find(|scenario| scenario.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lesson::scenario_file;

    #[test]
    fn every_built_in_scenario_reads_without_a_word() {
        for scenario in ALL {
            let (file, notices) = scenario_file::read(scenario.text);
            assert_eq!(notices, vec![], "{}", scenario.name);
            assert!(file.and_then(|file| file.title).is_some(), "{} has a title", scenario.name);
        }
        assert!(by_name(SHOW_ME).is_some());
    }
}
