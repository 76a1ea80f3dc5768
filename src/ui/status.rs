//! What a screen reader is told without being asked.

use super::element::{Element, classed, element};
use crate::app::view::Announcement;

/// The one live region. It is there before its first use, and consecutive announcements change
/// places in it, so that the same text twice is spoken twice.
pub(super) fn status(announcement: &Announcement) -> Element {
    let text = announcement.text.as_str();
    let (first, second) = if announcement.serial.is_multiple_of(2) { (text, "") } else { ("", text) };
    classed("div", "heard")
        .with("role", "status")
        .with("aria-live", "polite")
        .child(element("span").text(first))
        .child(element("span").text(second))
}
