//! The sentences. They are no live region: [`super::status`] announces what is worth it.

use yew::prelude::*;

use super::icons;
use super::parts::text;
use crate::app::view::{Tone, ViewModel};

/// All sentences. Advice stands beside the story, not in it, so that a narrow screen can show it
/// below the dials and keep picture, sentence and dial together; it keeps its place when empty.
pub(super) fn say(view: &ViewModel) -> Html {
    let (class, key, icon) = tone_parts(view.story.tone);
    html! {
        <div class={classes!("say", class)}>
            <div class="story">
                <div class="words">
                    <p class="happening">
                        { icon }
                        <span class="heard">{ text(&view.texts, key) }</span>
                        { &view.story.happening }
                    </p>
                    <p class="next">{ view.story.next.as_deref() }</p>
                </div>
            </div>
            <p class="advice">{ view.story.advice.as_deref() }</p>
        </div>
    }
}

fn tone_parts(tone: Tone) -> (&'static str, &'static str, Html) {
    match tone {
        Tone::Calm => ("calm", "tone.calm", icons::calm()),
        Tone::Warning => ("warning", "tone.warning", icons::warning()),
        Tone::Alarm => ("alarm", "tone.alarm", icons::alarm()),
    }
}
