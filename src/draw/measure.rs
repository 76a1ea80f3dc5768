//! How wide text is, by arithmetic: no font files and no measuring in the page.
//!
//! The table holds the advance widths of DejaVu Sans, one of the widest faces that `system-ui`
//! stands for, so that what fits here fits everywhere. Where the page knows the ratio of its own
//! face to the table, it passes it on as a factor.

use std::borrow::Cow;

/// How heavy text is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Weight {
    /// Ordinary text.
    #[default]
    Regular,
    /// Names and numbers of first rank.
    Bold,
}

/// The typeface of all text on canvases and in SVG, as CSS and SVG write it.
pub const FONT_FAMILY: &str = "system-ui, DejaVu Sans, sans-serif";

/// A sentence of digits and letters for a page to measure once, so that it can tell how wide its
/// typeface is beside the table.
pub const SAMPLE: &str = "0123456789 abcdefghijklmnopqrstuvwxyz";

const FIRST: u32 = 0x20;

/// Advance widths of the printable ASCII characters in thousandths of the font size.
const REGULAR: [u16; 95] = [
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636, 636, 636,
    636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632, 575, 775, 752, 295,
    295, 656, 557, 863, 748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838,
    500, 500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612, 635, 635, 411, 521,
    392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
];

const BOLD: [u16; 95] = [
    348, 456, 521, 838, 696, 1002, 872, 306, 457, 457, 523, 838, 380, 415, 380, 365, 696, 696, 696, 696, 696,
    696, 696, 696, 696, 696, 400, 400, 838, 838, 838, 580, 1000, 774, 762, 734, 830, 683, 683, 821, 837, 372,
    372, 775, 637, 995, 837, 850, 733, 850, 770, 720, 682, 812, 774, 1103, 771, 724, 725, 457, 365, 457, 838,
    500, 500, 675, 716, 593, 716, 678, 435, 716, 712, 343, 343, 665, 343, 1042, 712, 687, 716, 716, 493, 595,
    478, 712, 652, 924, 645, 652, 582, 712, 365, 712, 838,
];

fn advance(character: char, weight: Weight) -> u16 {
    let table = match weight {
        Weight::Regular => &REGULAR,
        Weight::Bold => &BOLD,
    };
    let index = u32::from(character).wrapping_sub(FIRST);
    let known = usize::try_from(index).ok().and_then(|index| table.get(index));
    known.copied().unwrap_or_else(|| advance_by_kind(character, weight))
}

/// A cautious width for everything outside the table.
fn advance_by_kind(character: char, weight: Weight) -> u16 {
    let regular = match u32::from(character) {
        0x00b7 | 0x00a0 | 0x2009 | 0x202f => 318,
        // Combining marks sit on the letter before them.
        0x0300..=0x036f | 0x200b..=0x200f => 0,
        0x0080..=0x024f => 640,
        0x0370..=0x04ff => 800,
        0x2010..=0x201f => 500,
        // Everything else may be as wide as it is high.
        _ => 1_000,
    };
    if weight == Weight::Bold { regular + regular / 8 } else { regular }
}

/// The width of one line of text, in the unit of `size`, which is its font size.
#[must_use]
pub fn text_width(text: &str, size: f64, weight: Weight) -> f64 {
    let thousandths: u64 = text.chars().map(|character| u64::from(advance(character, weight))).sum();
    thousandths as f64 * size / 1_000.0
}

/// `text`, shortened and ended with an ellipsis where it is wider than `width`; empty where not
/// even one character fits.
#[must_use]
pub fn fitted(text: &str, size: f64, weight: Weight, width: f64) -> Cow<'_, str> {
    if text_width(text, size, weight) <= width {
        return Cow::Borrowed(text);
    }
    let room = width - text_width("…", size, weight);
    let mut used = 0.0;
    let mut kept = 0;
    for (start, character) in text.char_indices() {
        used += f64::from(advance(character, weight)) * size / 1_000.0;
        if used > room {
            break;
        }
        kept = start + character.len_utf8();
    }
    let shortened = text.get(..kept).unwrap_or_default().trim_end();
    if shortened.is_empty() { Cow::Borrowed("") } else { Cow::Owned(format!("{shortened}…")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_add_up() {
        assert!((text_width("42", 10.0, Weight::Regular) - 12.72).abs() < 1e-9);
        assert!(
            text_width("42 waiting", 13.0, Weight::Bold) > text_width("42 waiting", 13.0, Weight::Regular)
        );
        assert!(text_width("", 13.0, Weight::Bold).abs() < f64::EPSILON);
    }

    #[test]
    fn text_that_does_not_fit_ends_with_an_ellipsis_and_then_fits() {
        for width in [0.0, 5.0, 20.0, 60.0, 300.0] {
            for text in ["growing 2 a second", "растёт", "消息队列正在增长", "é"] {
                let shown = fitted(text, 13.0, Weight::Bold, width);
                assert!(text_width(&shown, 13.0, Weight::Bold) <= width, "{text} in {width}: {shown}");
            }
        }
        assert_eq!(fitted("growing", 13.0, Weight::Regular, 500.0), "growing");
        assert!(fitted("growing 2 a second", 13.0, Weight::Regular, 60.0).ends_with('…'));
    }
}
