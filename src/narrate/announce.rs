//! What the polite live region says and when, in real time.
//!
//! Changes of state are announced, values are not. Everything waits for a pause after a dial
//! move, so that the slider's own value is heard first; what nobody asked for is at least five
//! seconds apart, and of several the newest wins. While paused, only replies are said.

/// Quiet after a dial move.
pub const AFTER_DIAL_MILLIS: u64 = 1_000;

/// At least so long between two that nobody asked for.
pub const APART_MILLIS: u64 = 5_000;

/// How much is announced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Setting {
    /// Nothing.
    Off,
    /// Replies to what a person did.
    Key,
    /// Replies and changes of state.
    #[default]
    All,
}

/// Holds back, replaces and releases announcements. Time comes in as milliseconds of any clock
/// that does not go back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Announcer {
    setting: Setting,
    is_playing: bool,
    /// The state that was announced last, or that needs no announcement.
    known_state: Option<&'static str>,
    reply: Option<Pending>,
    unasked: Option<Pending>,
    quiet_until: u64,
    last_unasked: Option<u64>,
    serial: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Pending {
    state: Option<&'static str>,
    text: String,
}

/// Something to put into the live region. A new serial is said even where the text is the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spoken {
    /// Grows by one with each.
    pub serial: u32,
    /// The text.
    pub text: String,
}

impl Announcer {
    /// An announcer of a paused page.
    #[must_use]
    pub fn new(setting: Setting) -> Self {
        Self { setting, ..Self::default() }
    }

    /// How much is announced.
    #[must_use]
    pub const fn setting(&self) -> Setting {
        self.setting
    }

    /// The setting changed.
    pub fn set(&mut self, setting: Setting) {
        self.set_after_answer(setting);
        if setting == Setting::Off {
            self.reply = None;
        }
    }

    /// The setting changed, and the reply that waits is still said: it says so.
    pub fn set_after_answer(&mut self, setting: Setting) {
        self.setting = setting;
        if setting != Setting::All {
            self.unasked = None;
        }
    }

    /// Playing or paused; what waited unasked is dropped on a pause.
    pub fn set_playing(&mut self, is_playing: bool) {
        self.is_playing = is_playing;
        if !is_playing {
            self.unasked = None;
        }
    }

    /// A dial was moved at `now`: nothing is said for a second, and the state that follows,
    /// `text`, is the reply.
    pub fn dial_moved(&mut self, now: u64, state: &'static str, text: impl Into<String>) {
        self.quiet_until = now + AFTER_DIAL_MILLIS;
        self.unasked = None;
        self.put_reply(Some(state), text.into());
    }

    /// A person did something that is answered with `text` at once: start, pause, step, reset.
    pub fn answer(&mut self, text: impl Into<String>) {
        self.put_reply(None, text.into());
    }

    /// The state is `state`, in words `text`: announced where it is another than the last.
    pub fn state_is(&mut self, state: &'static str, text: impl Into<String>) {
        if self.known_state == Some(state) {
            // Back before it was said: there is nothing to say any more.
            self.unasked = None;
            return;
        }
        if let Some(reply) = self.reply.as_mut().filter(|reply| reply.state.is_some()) {
            *reply = Pending { state: Some(state), text: text.into() };
            return;
        }
        if self.known_state.is_none() || !self.is_playing || self.setting != Setting::All {
            // What is on the page when it is first met, or while it stands still, is no news.
            self.known_state = Some(state);
            return;
        }
        self.unasked = Some(Pending { state: Some(state), text: text.into() });
    }

    /// The run was reset: all that waits is dropped, and the state that follows is no news.
    pub fn reset(&mut self) {
        self.reply = None;
        self.unasked = None;
        self.known_state = None;
        self.quiet_until = 0;
    }

    /// What is to be said at `now`, if anything. One at a time; replies come first.
    pub fn take(&mut self, now: u64) -> Option<Spoken> {
        if now < self.due_at()? {
            return None;
        }
        let pending = match self.reply.take() {
            Some(reply) => reply,
            None => {
                self.last_unasked = Some(now);
                self.unasked.take()?
            }
        };
        self.known_state = pending.state.or(self.known_state);
        self.serial = self.serial.wrapping_add(1);
        Some(Spoken { serial: self.serial, text: pending.text })
    }

    /// When [`Self::take`] has something next; `None` while nothing waits.
    #[must_use]
    pub fn due_at(&self) -> Option<u64> {
        match (&self.reply, &self.unasked) {
            (Some(reply), _) => Some(if reply.state.is_some() { self.quiet_until } else { 0 }),
            (None, Some(_)) => {
                let apart = self.last_unasked.map_or(0, |last| last + APART_MILLIS);
                Some(self.quiet_until.max(apart))
            }
            (None, None) => None,
        }
    }

    fn put_reply(&mut self, state: Option<&'static str>, text: String) {
        if self.setting != Setting::Off {
            self.reply = Some(Pending { state, text });
        }
    }
}
