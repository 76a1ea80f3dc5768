//! Whether the page around the widget is dark, from its computed colours.

use crate::model::decimal;

/// What the browser says of the page around.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostColours {
    /// Computed background colours, from the element outwards, such as `rgba(0, 0, 0, 0)`.
    pub backgrounds: Vec<String>,
    /// Whether the system asks for dark colours.
    pub is_system_dark: bool,
}

impl HostColours {
    /// The first background that can be seen decides; where there is none, the system does.
    #[must_use]
    pub fn is_dark(&self) -> bool {
        self.backgrounds
            .iter()
            .find_map(|text| opaque_luminance(text))
            .map_or(self.is_system_dark, |light| light < 400)
    }
}

/// The luminance in thousandths, 0 to 1,000, of a computed colour that is at least half opaque.
fn opaque_luminance(text: &str) -> Option<u64> {
    let inside = text.strip_prefix("rgb(").or_else(|| text.strip_prefix("rgba("))?.strip_suffix(')')?;
    let mut parts =
        inside.split(|mark| ", /".contains(mark)).filter(|part| !part.is_empty()).map(thousandths);
    let mut part = || parts.next().flatten();
    let (red, green, blue) = (part()?, part()?, part()?);
    let alpha = match parts.next() {
        Some(alpha) => alpha?,
        None => 1_000,
    };
    let is_whole = parts.next().is_none();
    (is_whole && alpha >= 500).then_some((213 * red + 715 * green + 72 * blue) / 255_000)
}

fn thousandths(part: &str) -> Option<u64> {
    decimal::read(part, 3).map(|number| number.clamped(0, 255_000).0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_dark(backgrounds: &[&str], is_system_dark: bool) -> bool {
        let backgrounds = backgrounds.iter().map(|text| (*text).to_owned()).collect();
        HostColours { backgrounds, is_system_dark }.is_dark()
    }

    #[test]
    fn the_first_background_that_can_be_seen_decides() {
        assert!(is_dark(&["rgba(0, 0, 0, 0)", "rgb(20, 25, 34)", "rgb(255, 255, 255)"], false));
        assert!(!is_dark(&["rgb(252, 251, 248)"], true));
        assert!(is_dark(&["rgb(10 10 10 / 0.9)"], false));
    }

    #[test]
    fn without_one_the_system_decides() {
        assert!(is_dark(&["rgba(255, 255, 255, 0)", "color(srgb 1 1 1)", "transparent"], true));
        assert!(!is_dark(&[], false));
    }
}
