//! The keys that act while the focus is inside: one table for what they do and for the list of them.

use super::access::{Access, Control};
use super::message::Msg;
use super::view::{HelpView, KeyView};
use crate::narrate::locale::Locale;

/// A key.
pub struct Key {
    /// Its name in the browser's events.
    pub key: &'static str,
    /// What is done.
    does: fn() -> Msg,
    /// What it needs: where that is hidden the key does nothing, where it is locked it says so.
    needs: Control,
    /// The words for it.
    text: &'static str,
}

/// All keys, in the order of the list. No letter is among them that moves a slider, presses a button or
/// leaves the widget.
pub const KEYS: [Key; 14] = [
    key("k", || Msg::PlayToggled, Control::Start, "keys.play"),
    key("s", || Msg::Stepped, Control::Step, "keys.step"),
    key("r", || Msg::ResetPressed, Control::Reset, "keys.reset"),
    key("x", || Msg::Injected(super::breaking::Injection::Poison), POISON, "keys.poison"),
    key("d", || Msg::PartToggled(Control::Dials), Control::Shortcuts, "keys.dials"),
    key("c", || Msg::PartToggled(Control::Charts), Control::Shortcuts, "keys.charts"),
    key("a", || Msg::PartToggled(Control::Advice), Control::Shortcuts, "keys.advice"),
    key("t", || Msg::PartToggled(Control::Sentence), Control::Shortcuts, "keys.sentence"),
    key("f", || Msg::FullScreenPressed, Control::FullScreen, "keys.full_screen"),
    key("p", || Msg::ProjectorPressed, Control::Projector, "keys.projector"),
    key("m", || Msg::MotionToggled, Control::Shortcuts, "keys.motion"),
    key("n", || Msg::AnnouncementsChanged, Control::Shortcuts, "keys.announce"),
    key("?", || Msg::HelpOpened(true), Control::Help, "keys.help"),
    key(ESCAPE, || Msg::HelpOpened(false), Control::Shortcuts, "keys.escape"),
];

/// The key that closes what is open.
pub const ESCAPE: &str = "Escape";

/// The key that opens the list.
pub const HELP: &str = "?";

const POISON: Control = Control::Injection(super::breaking::Injection::Poison);

const fn key(key: &'static str, does: fn() -> Msg, needs: Control, text: &'static str) -> Key {
    Key { key, does, needs, text }
}

/// What the key of that name does on a page with that access; nothing where it is none of ours.
#[must_use]
#[inline(never)]
pub fn pressed(name: &str, access: &Access) -> Option<Msg> {
    let key = KEYS.iter().find(|key| key.key == name).filter(|key| key.is_used(access))?;
    Some(if access.is_locked(key.needs) { Msg::LockedUsed(key.needs) } else { (key.does)() })
}

/// The list of keys, as the page has them.
#[must_use]
#[inline(never)]
pub fn list(access: &Access, locale: &Locale) -> HelpView {
    let text = |key: &str| locale.text(key).to_owned();
    let used = KEYS.iter().filter(|key| key.is_used(access));
    let name =
        |key: &Key| if key.key == ESCAPE { text("keys.escape.name") } else { key.key.to_ascii_uppercase() };
    let keys = used.map(|key| KeyView { key: name(key), does: text(key.text) }).collect();
    HelpView { keys, note: text("keys.note"), close: text("keys.close") }
}

impl Key {
    fn is_used(&self, access: &Access) -> bool {
        // What a key has put away comes back by the same key; what the page never has does not come.
        let is_of_nothing = matches!((self.does)(), Msg::PartToggled(part) if access.is_left_out(part));
        !is_of_nothing && !access.is_hidden(Control::Shortcuts) && !access.is_hidden(self.needs)
    }
}
