//! The title, the clock and the transport; and the runs on offer.

use super::acts::{Act, Panel};
use super::controls;
use super::dead_letters;
use super::element::{Element, classed};
use super::icons;
use super::list::List;
use super::page::Page;
use super::present;
use super::switch;

/// The header. Start and Pause come before everything that moves, in reading order too.
pub(super) fn header(page: &Page) -> Element {
    let title = classed("h2", "title").with("id", &page.id("title")).text(page.say("page.title"));
    let clock = classed("span", "clock")
        .child(classed("span", "heard").text(page.say("clock.label")))
        .text(&page.view.clock);
    classed("header", "head")
        .child(title)
        .child(switch::switch(page))
        .child(clock)
        .child(present::buttons(page))
        .child(transport(page))
}

fn transport(page: &Page) -> Element {
    let step = page
        .button("button", Act::Step)
        .with("title", page.say("transport.step.hint"))
        .text(page.say("transport.step"));
    let speed = controls::list(page, &page.id("speed"), &page.view.speeds, List::Speed)
        .with("aria-label", page.say("transport.speed"));
    let reset = page
        .button("button", Act::Reset)
        .with("title", page.say("transport.reset.hint"))
        .child(icons::RESET.element())
        .child(classed("span", "reset-word").text(page.say("transport.reset")));
    let is_open = page.kept.is_open(Panel::Share);
    let share = page
        .button("button", Act::Open(Panel::Share, !is_open))
        .with("aria-controls", &page.id("share"))
        .with("aria-expanded", if is_open { "true" } else { "false" })
        .child(icons::SHARE.element())
        .child(classed("span", "reset-word").text(page.say("share.open")));
    classed("div", "transport")
        .with("role", "group")
        .with("aria-label", page.say("transport.label"))
        .child(play_button(page))
        .child(step)
        .child(speed)
        .child(reset)
        .child(share)
}

fn play_button(page: &Page) -> Element {
    let (icon, key) = if page.view.is_playing {
        (icons::PAUSE, "transport.pause")
    } else {
        (icons::START, "transport.start")
    };
    page.button("button primary", Act::Play).child(icon.element()).text(page.say(key))
}

/// The runs on offer: the prepared one always, the jump forward when there is one; and what the
/// machine is at.
pub(super) fn offers(page: &Page) -> Element {
    let skip = page.view.skip.as_ref().map(|skip| page.button("chip", Act::Skip).text(skip));
    let progress = page.view.progress.as_ref().map(|progress| classed("span", "progress").text(progress));
    let show_me = page.button("chip", Act::ShowMe).text(&page.view.show_me);
    let note = page.view.side_note.as_ref().map(|note| classed("span", "progress").text(note));
    classed("div", "offers")
        .child(show_me)
        .maybe(skip)
        .maybe(dead_letters::button(page))
        .maybe(progress)
        .maybe(note)
}
