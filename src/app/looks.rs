//! Colours, motion and announcements: what the link, the page around it, the system and a person ask for.

use super::link::{Link, MotionChoice, ThemeChoice};
use super::state::App;
use super::view::ThemeName;
use crate::narrate::announce::Setting;

impl App {
    pub(super) fn take_looks(&mut self, link: &Link) {
        self.theme = link.theme.unwrap_or(self.theme);
        self.motion = link.motion.unwrap_or(self.motion);
        if let Some(setting) = link.announce {
            self.announcer.set(setting);
        }
    }

    /// The colours in use.
    #[must_use]
    pub const fn theme(&self) -> ThemeName {
        match (self.theme, self.is_host_dark) {
            _ if self.forced_palette.is_some() => ThemeName::Forced,
            (ThemeChoice::Projector, _) => ThemeName::Projector,
            (ThemeChoice::Dark, _) | (ThemeChoice::Auto, true) => ThemeName::Dark,
            _ => ThemeName::Light,
        }
    }

    /// The page around it is dark, or light.
    pub const fn set_host_dark(&mut self, is_dark: bool) {
        self.is_host_dark = is_dark;
    }

    /// The system asks for less motion, or does not.
    pub const fn set_motion_reduced(&mut self, is_reduced: bool) {
        self.is_motion_reduced = is_reduced;
    }

    /// Whether dots stand still: as the link or a person has it, otherwise as the system has.
    #[must_use]
    pub const fn is_motion_reduced(&self) -> bool {
        match self.motion {
            MotionChoice::Auto => self.is_motion_reduced,
            MotionChoice::Still => true,
            MotionChoice::Moving => false,
        }
    }

    /// Dots that move stand still from now on, and the other way round, whatever the system says.
    #[inline(never)]
    pub(super) fn toggle_motion(&mut self) {
        let stands_still = !self.is_motion_reduced();
        self.motion = if stands_still { MotionChoice::Still } else { MotionChoice::Moving };
        let key = if stands_still { "motion.still" } else { "motion.moving" };
        self.announcer.answer(self.locale.text(key).to_owned());
    }

    /// From all announcements to replies alone, to none, and back to all. What is announced of that is
    /// the last word before there are none.
    #[inline(never)]
    pub(super) fn change_announcements(&mut self) {
        let (next, key) = match self.announcer.setting() {
            Setting::All => (Setting::Key, "announce.replies"),
            Setting::Key => (Setting::Off, "announce.off"),
            Setting::Off => (Setting::All, "announce.all"),
        };
        if next == Setting::All {
            self.announcer.set(next);
        }
        self.announcer.answer(self.locale.text(key).to_owned());
        self.announcer.set_after_answer(next);
    }
}
