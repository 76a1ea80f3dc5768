//! The sentences. They are no live region: [`super::status`] announces what is worth it.

use super::element::{Element, classed};
use super::icons::{self, Icon};
use super::page::Page;
use crate::app::access::Control;
use crate::app::view::Tone;

/// All sentences. Advice stands beside the story, not in it, so that a narrow screen can show it
/// below the dials and keep picture, sentence and dial together; it keeps its place when empty.
pub(super) fn say(page: &Page) -> Element {
    let story = &page.view.story;
    let (class, key, icon) = tone_parts(story.tone);
    let happening = classed("p", "happening")
        .child(icon.element())
        .child(classed("span", "heard").text(page.say(key)))
        .text(&story.happening);
    let advice = classed("p", "advice").with_flag("hidden", page.is_hidden(Control::Advice));
    let words = classed("div", "words")
        .child(happening)
        .child(classed("p", "next").maybe_text(story.next.as_deref()));
    classed("div", class)
        .child(classed("div", "story").child(words).with_flag("hidden", page.is_hidden(Control::Sentence)))
        .child(advice.maybe_text(story.advice.as_deref()))
}

const fn tone_parts(tone: Tone) -> (&'static str, &'static str, Icon) {
    match tone {
        Tone::Calm => ("say calm", "tone.calm", icons::CALM),
        Tone::Warning => ("say warning", "tone.warning", icons::WARNING),
        Tone::Alarm => ("say alarm", "tone.alarm", icons::ALARM),
    }
}
