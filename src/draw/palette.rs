//! Colours by role. Shapes name a role; a palette says what colour it has.
//!
//! The hues are Okabe and Ito's, darkened or lightened until text has a contrast of 4.5:1 and
//! graphics 3:1 against what they touch; a test computes both for every palette.

/// An opaque colour: red, green and blue, 0 to 255 each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rgb(pub u8, pub u8, pub u8);

/// What a colour stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// What everything lies on.
    Paper,
    /// The inside of boxes.
    Panel,
    /// Text and outlines of first rank.
    Ink,
    /// Text of second rank.
    Soft,
    /// Hairlines that carry no meaning.
    Line,
    /// Outlines that carry meaning and are quiet: free places, axes.
    Outline,
    /// The producer and messages on their way from it.
    Producer,
    /// Text on the producer's colour.
    OnProducer,
    /// Consumers and finished messages.
    Consumer,
    /// The share of a consumer's work that is done.
    ConsumerDone,
    /// Messages waiting.
    Waiting,
    /// The outline of messages waiting.
    WaitingEdge,
    /// Records that are read and kept.
    Kept,
    /// Something grows or must wait.
    Warn,
    /// Messages refused or dropped, and alarms.
    Lost,
    /// Text on the colour of losses.
    OnLost,
    /// The chart of messages waiting.
    WaitingLine,
    /// The chart of the oldest waiting message's age.
    AgeLine,
}

impl Role {
    /// All roles.
    pub const ALL: [Self; 18] = [
        Self::Paper,
        Self::Panel,
        Self::Ink,
        Self::Soft,
        Self::Line,
        Self::Outline,
        Self::Producer,
        Self::OnProducer,
        Self::Consumer,
        Self::ConsumerDone,
        Self::Waiting,
        Self::WaitingEdge,
        Self::Kept,
        Self::Warn,
        Self::Lost,
        Self::OnLost,
        Self::WaitingLine,
        Self::AgeLine,
    ];
}

/// One colour for each role. A further palette (projector, forced colours) is one more value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Palette {
    /// [`Role::Paper`]
    pub paper: Rgb,
    /// [`Role::Panel`]
    pub panel: Rgb,
    /// [`Role::Ink`]
    pub ink: Rgb,
    /// [`Role::Soft`]
    pub soft: Rgb,
    /// [`Role::Line`]
    pub line: Rgb,
    /// [`Role::Outline`]
    pub outline: Rgb,
    /// [`Role::Producer`]
    pub producer: Rgb,
    /// [`Role::OnProducer`]
    pub on_producer: Rgb,
    /// [`Role::Consumer`]
    pub consumer: Rgb,
    /// [`Role::ConsumerDone`]
    pub consumer_done: Rgb,
    /// [`Role::Waiting`]
    pub waiting: Rgb,
    /// [`Role::WaitingEdge`]
    pub waiting_edge: Rgb,
    /// [`Role::Kept`]
    pub kept: Rgb,
    /// [`Role::Warn`]
    pub warn: Rgb,
    /// [`Role::Lost`]
    pub lost: Rgb,
    /// [`Role::OnLost`]
    pub on_lost: Rgb,
    /// [`Role::WaitingLine`]
    pub waiting_line: Rgb,
    /// [`Role::AgeLine`]
    pub age_line: Rgb,
}

impl Palette {
    /// Dark on light.
    pub const LIGHT: Self = Self {
        paper: Rgb(0xfc, 0xfb, 0xf8),
        panel: Rgb(0xff, 0xff, 0xff),
        ink: Rgb(0x1d, 0x24, 0x33),
        soft: Rgb(0x5b, 0x64, 0x75),
        line: Rgb(0xd9, 0xd6, 0xcd),
        outline: Rgb(0x91, 0x8c, 0x7d),
        producer: Rgb(0x00, 0x72, 0xb2),
        on_producer: Rgb(0xff, 0xff, 0xff),
        consumer: Rgb(0x00, 0x79, 0x5a),
        consumer_done: Rgb(0xb4, 0xdc, 0xce),
        waiting: Rgb(0xe6, 0x9f, 0x00),
        waiting_edge: Rgb(0x8a, 0x50, 0x00),
        kept: Rgb(0xe4, 0xe1, 0xd8),
        warn: Rgb(0x9a, 0x5a, 0x00),
        lost: Rgb(0xc0, 0x44, 0x0a),
        on_lost: Rgb(0xff, 0xff, 0xff),
        waiting_line: Rgb(0xb8, 0x74, 0x00),
        age_line: Rgb(0x00, 0x72, 0xb2),
    };

    /// Light on dark.
    pub const DARK: Self = Self {
        paper: Rgb(0x14, 0x19, 0x22),
        panel: Rgb(0x1b, 0x22, 0x30),
        ink: Rgb(0xee, 0xf1, 0xf6),
        soft: Rgb(0xa9, 0xb3, 0xc4),
        line: Rgb(0x30, 0x3a, 0x4a),
        outline: Rgb(0x76, 0x81, 0x94),
        producer: Rgb(0x0c, 0x78, 0xb8),
        on_producer: Rgb(0xff, 0xff, 0xff),
        consumer: Rgb(0x1c, 0x93, 0x70),
        consumer_done: Rgb(0x0f, 0x3a, 0x2f),
        waiting: Rgb(0xe6, 0x9f, 0x00),
        waiting_edge: Rgb(0xf6, 0xc5, 0x5a),
        kept: Rgb(0x2e, 0x37, 0x46),
        warn: Rgb(0xf0, 0xb0, 0x4a),
        lost: Rgb(0xff, 0x8a, 0x5c),
        on_lost: Rgb(0x14, 0x19, 0x22),
        waiting_line: Rgb(0xe6, 0x9f, 0x00),
        age_line: Rgb(0x4a, 0xa8, 0xe0),
    };

    /// For a room: black on white, and every colour darker than in [`Self::LIGHT`].
    pub const PROJECTOR: Self = Self {
        paper: Rgb(0xff, 0xff, 0xff),
        panel: Rgb(0xff, 0xff, 0xff),
        ink: Rgb(0x00, 0x00, 0x00),
        soft: Rgb(0x2b, 0x32, 0x3e),
        line: Rgb(0xb4, 0xb0, 0xa6),
        outline: Rgb(0x66, 0x62, 0x58),
        producer: Rgb(0x00, 0x5a, 0x8e),
        on_producer: Rgb(0xff, 0xff, 0xff),
        consumer: Rgb(0x00, 0x60, 0x47),
        consumer_done: Rgb(0xc8, 0xea, 0xde),
        waiting: Rgb(0xe6, 0x9f, 0x00),
        waiting_edge: Rgb(0x6b, 0x3d, 0x00),
        kept: Rgb(0xdd, 0xd9, 0xcf),
        warn: Rgb(0x7a, 0x46, 0x00),
        lost: Rgb(0xa6, 0x35, 0x00),
        on_lost: Rgb(0xff, 0xff, 0xff),
        waiting_line: Rgb(0x8a, 0x50, 0x00),
        age_line: Rgb(0x00, 0x5a, 0x8e),
    };

    /// The colour of `role`.
    #[must_use]
    pub const fn color(&self, role: Role) -> Rgb {
        match role {
            Role::Paper => self.paper,
            Role::Panel => self.panel,
            Role::Ink => self.ink,
            Role::Soft => self.soft,
            Role::Line => self.line,
            Role::Outline => self.outline,
            Role::Producer => self.producer,
            Role::OnProducer => self.on_producer,
            Role::Consumer => self.consumer,
            Role::ConsumerDone => self.consumer_done,
            Role::Waiting => self.waiting,
            Role::WaitingEdge => self.waiting_edge,
            Role::Kept => self.kept,
            Role::Warn => self.warn,
            Role::Lost => self.lost,
            Role::OnLost => self.on_lost,
            Role::WaitingLine => self.waiting_line,
            Role::AgeLine => self.age_line,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PALETTES: [(&str, Palette); 3] =
        [("light", Palette::LIGHT), ("dark", Palette::DARK), ("projector", Palette::PROJECTOR)];

    fn channel(value: u8) -> f64 {
        let share = f64::from(value) / 255.0;
        if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
    }

    fn luminance(color: Rgb) -> f64 {
        0.2126 * channel(color.0) + 0.7152 * channel(color.1) + 0.0722 * channel(color.2)
    }

    fn contrast(one: Rgb, other: Rgb) -> f64 {
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    fn check(least: f64, pairs: &[(Role, Role)]) {
        for (name, palette) in PALETTES {
            for &(one, other) in pairs {
                let found = contrast(palette.color(one), palette.color(other));
                assert!(found >= least, "{name}: {one:?} on {other:?} has {found:.2}:1, needs {least}:1");
            }
        }
    }

    #[test]
    fn the_contrast_of_black_on_white_is_21() {
        assert!((contrast(Rgb(0, 0, 0), Rgb(255, 255, 255)) - 21.0).abs() < 1e-9);
    }

    #[test]
    fn text_is_legible_on_what_it_lies_on() {
        use Role::*;
        let on_both = [Ink, Soft, Warn, Lost];
        let pairs: Vec<_> = on_both.into_iter().flat_map(|role| [(role, Paper), (role, Panel)]).collect();
        check(4.5, &pairs);
        check(4.5, &[(OnProducer, Producer), (OnLost, Lost)]);
    }

    #[test]
    fn graphics_stand_out_from_what_they_touch() {
        use Role::*;
        check(
            3.0,
            &[
                (Producer, Paper),
                (Consumer, Paper),
                (Consumer, Panel),
                (ConsumerDone, Consumer),
                (WaitingEdge, Panel),
                (Outline, Panel),
                (Outline, Paper),
                (Lost, Paper),
                (Lost, Panel),
                (Warn, Paper),
                (WaitingLine, Paper),
                (AgeLine, Paper),
            ],
        );
    }

    #[test]
    fn a_room_sees_text_and_graphics_better_than_a_desk_does() {
        use Role::*;
        for (role, least) in
            [(Ink, 20.0), (Soft, 7.0), (Warn, 7.0), (Lost, 6.5), (Producer, 6.5), (Consumer, 6.5)]
        {
            let [room, desk] = [Palette::PROJECTOR, Palette::LIGHT]
                .map(|palette| contrast(palette.color(role), palette.paper));
            assert!(room >= least && room > desk, "{role:?} has {room:.2}:1, and {desk:.2}:1 at a desk");
        }
    }

    #[test]
    fn every_role_has_its_own_place_in_the_list() {
        for role in Role::ALL {
            assert_eq!(Role::ALL.iter().filter(|other| **other == role).count(), 1, "{role:?}");
        }
    }
}
