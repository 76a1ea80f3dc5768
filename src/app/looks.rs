//! Colours and motion: what the link, the page around it and the system ask for.

use super::link::ThemeChoice;
use super::state::App;
use super::view::ThemeName;

impl App {
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

    /// Less motion is wanted, or not.
    pub const fn set_motion_reduced(&mut self, is_reduced: bool) {
        self.is_motion_reduced = is_reduced;
    }

    /// Whether dots stand still.
    #[must_use]
    pub const fn is_motion_reduced(&self) -> bool {
        self.is_motion_reduced
    }
}
