//! The name of a team, kept in a remark: remarks are small and are copied.

use std::fmt;

/// How many bytes of a name are kept: all of most names.
const KEPT: usize = 40;

/// A team's name, or as much of its beginning as is kept.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TeamName {
    bytes: [u8; KEPT],
    length: usize,
}

impl TeamName {
    /// Keeps `name`.
    #[must_use]
    pub fn of(name: &str) -> Self {
        let mut kept = Self { bytes: [0; KEPT], length: 0 };
        for letter in name.chars() {
            let end = kept.length + letter.len_utf8();
            let Some(place) = kept.bytes.get_mut(kept.length..end) else { break };
            letter.encode_utf8(place);
            kept.length = end;
        }
        kept
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        let bytes = self.bytes.get(..self.length).unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or_default()
    }
}

impl fmt::Debug for TeamName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_kept_whole_or_cut_between_letters() {
        for name in ["", "audit", "Überprüfung"] {
            assert_eq!(TeamName::of(name).as_str(), name);
        }
        let long = "ü".repeat(30);
        assert_eq!(TeamName::of(&long).as_str(), "ü".repeat(20));
        assert_eq!(TeamName::of(&["a", &long].concat()).as_str(), ["a", &"ü".repeat(19)].concat());
        assert_ne!(TeamName::of("audit"), TeamName::of("audits"));
    }
}
