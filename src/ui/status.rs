//! What a screen reader is told without being asked.

use yew::prelude::*;

use crate::app::view::Announcement;

/// The one live region. It is there before its first use, and consecutive announcements change
/// places in it, so that the same text twice is spoken twice.
pub(super) fn status(announcement: &Announcement) -> Html {
    let is_even = announcement.serial.is_multiple_of(2);
    let text = announcement.text.as_str();
    html! {
        <div class="heard" role="status" aria-live="polite">
            <span>{ if is_even { text } else { "" } }</span>
            <span>{ if is_even { "" } else { text } }</span>
        </div>
    }
}
