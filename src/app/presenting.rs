//! Standing in front of a room: the projector's colours, the whole screen, and the colours that a system
//! forces on pages.

use std::rc::Rc;

use super::link::ThemeChoice;
use super::notice::Notice;
use super::state::App;
use crate::draw::palette::{Palette, Rgb};
use crate::model::decimal;

impl App {
    /// The projector's colours and sizes, or the usual ones.
    pub(super) fn toggle_projector(&mut self) {
        let was_on = self.theme == ThemeChoice::Projector;
        self.theme = if was_on { ThemeChoice::Auto } else { ThemeChoice::Projector };
        let key = if was_on { "present.projector.off" } else { "present.projector.on" };
        self.announcer.answer(self.locale.text(key).to_owned());
    }

    /// Says that there is no full screen, and what helps.
    #[inline(never)]
    pub(super) fn refuse_full_screen(&mut self) {
        if !self.notices.contains(&Notice::NoFullScreen) {
            self.notices.push(Notice::NoFullScreen);
        }
        self.announcer.answer(self.locale.text("notice.no_full_screen").to_owned());
    }

    /// The widget got the whole screen, or gave it back.
    pub const fn set_full_screen(&mut self, has_it: bool) {
        self.is_full_screen = has_it;
    }

    /// Whether the widget has the whole screen.
    #[must_use]
    pub const fn is_full_screen(&self) -> bool {
        self.is_full_screen
    }

    /// The system forces these colours on pages, or none.
    pub fn set_forced_colours(&mut self, colours: Option<SystemColours>) {
        self.forced_palette = colours.map(|colours| Rc::new(colours.palette()));
    }
}

/// The computed texts of the system's colours, such as `rgb(0, 0, 0)`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SystemColours {
    /// Of `Canvas`.
    pub canvas: String,
    /// Of `CanvasText`.
    pub text: String,
    /// Of `Highlight`.
    pub highlight: String,
    /// Of `LinkText`.
    pub link: String,
}

impl SystemColours {
    /// The picture in these colours alone: text on canvas, and highlight and link where they stand out
    /// from both. What they cannot tell apart differs in shape and words.
    #[must_use]
    pub fn palette(&self) -> Palette {
        let canvas = rgb(&self.canvas).unwrap_or(Rgb(0xff, 0xff, 0xff));
        let ink = rgb(&self.text).unwrap_or(Rgb(0, 0, 0));
        let or_ink = |colour: &str| rgb(colour).filter(|colour| stand_out(*colour, canvas)).unwrap_or(ink);
        let (waiting, lost) = (or_ink(&self.highlight), or_ink(&self.link));
        // A mark on a full line has to be seen.
        let waiting = if stand_out(waiting, lost) { waiting } else { canvas };
        Palette {
            paper: canvas,
            panel: canvas,
            ink,
            soft: ink,
            line: ink,
            outline: ink,
            producer: ink,
            on_producer: canvas,
            consumer: ink,
            consumer_done: canvas,
            waiting,
            waiting_edge: ink,
            kept: canvas,
            warn: ink,
            lost,
            on_lost: canvas,
            waiting_line: ink,
            age_line: ink,
        }
    }
}

fn rgb(text: &str) -> Option<Rgb> {
    let inside = text.strip_prefix("rgb(").or_else(|| text.strip_prefix("rgba("))?.strip_suffix(')')?;
    let mut parts = inside.split(|mark| ", /".contains(mark)).filter(|part| !part.is_empty());
    let mut part = || {
        let number = decimal::read(parts.next()?, 0)?.clamped(0, 255).0;
        u8::try_from(number).ok()
    };
    Some(Rgb(part()?, part()?, part()?))
}

/// Whether two colours have a contrast of 3:1, nearly: light is taken as the square of what is given.
fn stand_out(one: Rgb, other: Rgb) -> bool {
    let (one, other) = (light(one), light(other));
    let margin = 5 * FULL_LIGHT / 100;
    one.max(other) + margin >= 3 * (one.min(other) + margin)
}

const FULL_LIGHT: u64 = 1_000 * 255 * 255;

fn light(Rgb(red, green, blue): Rgb) -> u64 {
    let square = |part: u8| u64::from(part) * u64::from(part);
    213 * square(red) + 715 * square(green) + 72 * square(blue)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn colours(canvas: &str, text: &str, highlight: &str, link: &str) -> SystemColours {
        let [canvas, text, highlight, link] = [canvas, text, highlight, link].map(str::to_owned);
        SystemColours { canvas, text, highlight, link }
    }

    #[test]
    fn the_picture_takes_the_colours_of_the_system() {
        let palette =
            colours("rgb(0, 0, 0)", "rgb(255, 255, 255)", "rgb(26, 235, 255)", "rgb(255, 255, 0)").palette();
        assert_eq!((palette.paper, palette.ink), (Rgb(0, 0, 0), Rgb(255, 255, 255)));
        assert_eq!(palette.lost, Rgb(255, 255, 0));
    }

    #[test]
    fn a_colour_that_cannot_be_seen_is_not_used() {
        let palette =
            colours("rgb(255, 255, 255)", "rgb(0, 0, 0)", "rgb(250, 250, 220)", "nonsense").palette();
        assert_eq!((palette.lost, palette.waiting), (Rgb(0, 0, 0), Rgb(255, 255, 255)));
    }

    #[test]
    fn marks_stand_out_from_what_they_lie_on_whatever_the_colours() {
        let some = [
            "rgb(0, 0, 0)",
            "rgb(255, 255, 255)",
            "rgb(26, 235, 255)",
            "rgb(255, 255, 0)",
            "rgb(55, 0, 110)",
        ];
        for canvas in some {
            for text in some.iter().filter(|text| {
                let both = (rgb(text), rgb(canvas));
                matches!(both, (Some(text), Some(canvas)) if stand_out(text, canvas))
            }) {
                for (highlight, link) in some.iter().flat_map(|one| some.map(|other| (one, other))) {
                    let palette = colours(canvas, text, highlight, link).palette();
                    assert!(stand_out(palette.lost, palette.waiting), "{canvas} {text} {highlight} {link}");
                    assert!(stand_out(palette.waiting_edge, palette.panel), "{canvas} {text}");
                    assert!(stand_out(palette.lost, palette.paper), "{canvas} {text} {link}");
                }
            }
        }
    }
}
