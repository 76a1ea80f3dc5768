//! The texts of one language: whole-sentence patterns with named fields and plural forms.
//!
//! Another language is one more file with the same keys. A key or field that is missing yields
//! its own name, so that a gap shows on the page instead of breaking it.

use super::format::{self, Numerals};
use super::locale_file;
use crate::model::rate::Rate;
use crate::model::time::Span;

/// The English texts.
const ENGLISH: &str = include_str!("../../static/locales/en/messages.json");

/// All texts of one language.
#[derive(Clone, Debug, PartialEq)]
pub struct Locale {
    pub(super) language: String,
    pub(super) direction: String,
    pub(super) plural_rule: PluralRule,
    /// What stands between groups of three digits on screen.
    pub(super) group_mark: String,
    /// What stands before decimals.
    pub(super) decimal_mark: String,
    /// Keys and patterns, in the order of the file. A few hundred: looking through them is quick,
    /// and a tree would cost more of the first load than it saves.
    pub(super) texts: Vec<(String, Pattern)>,
}

/// A text, or the choice of one by the plural category of a field.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Pattern {
    Text(String),
    Plural { field: String, forms: Vec<(Category, Self)> },
}

/// Plural categories. `Zero` is for exactly nothing, where a language says that in another way;
/// a pattern without it uses the category that its rule gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Category {
    Zero,
    One,
    Other,
}

/// How a language chooses among plural forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PluralRule {
    /// One for exactly 1, as in English.
    OneOther,
    /// One form for all numbers, as in Japanese.
    Other,
}

/// What stands in a named place of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field<'a> {
    /// A whole number.
    Count(u64),
    /// A rate as a dial has it: exact.
    Rate(Rate),
    /// A rate that was measured or worked out: rounded.
    RoundedRate(Rate),
    /// A length of time, in words.
    Time(Span),
    /// A length of time that is only roughly known, in words that say so.
    About(Span),
    /// A text that is finished already.
    Text(&'a str),
}

/// Made-up languages that show texts which are not in the file, do not fit or are not escaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pseudo {
    /// Every text twice.
    Double,
    /// Every text longer by half.
    Long,
    /// Right to left.
    Rtl,
    /// Every text with markup in it, which must show as text.
    Xss,
}

impl Locale {
    /// English.
    #[must_use]
    pub fn english() -> Self {
        // The file is part of the program; a test shows that it can be read.
        Self::parse(ENGLISH).unwrap_or_else(|_| locale_file::empty())
    }

    /// The language in `json`.
    ///
    /// # Errors
    /// Says what is wrong with the file.
    pub fn parse(json: &str) -> Result<Self, String> {
        locale_file::parse(json)
    }

    /// English made into a language that shows mistakes.
    #[must_use]
    pub fn pseudo(pseudo: Pseudo) -> Self {
        let mut locale = Self::english();
        if pseudo == Pseudo::Rtl {
            locale.direction = "rtl".to_owned();
        }
        for (_, pattern) in &mut locale.texts {
            pattern.for_each_text(&|text| *text = distorted(text, pseudo));
        }
        locale
    }

    /// Its tag, such as `en`.
    #[must_use]
    pub fn language(&self) -> &str {
        &self.language
    }

    /// `ltr` or `rtl`.
    #[must_use]
    pub fn direction(&self) -> &str {
        &self.direction
    }

    /// All keys, in the order of the file.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(|(key, _)| key.as_str())
    }

    /// A text without fields; the key itself where there is none.
    #[must_use]
    pub fn text<'a>(&'a self, key: &'a str) -> &'a str {
        match self.pattern(key) {
            Some(pattern) => pattern.choose(&[], self.plural_rule),
            None => key,
        }
    }

    /// The text of `key` for the screen with its fields filled in.
    #[must_use]
    pub fn format(&self, key: &str, fields: &[(&str, Field<'_>)]) -> String {
        self.fill(key, fields, Numerals::Screen)
    }

    /// The text of `key` to be spoken, with its fields filled in: no commas in numbers.
    #[must_use]
    pub fn format_spoken(&self, key: &str, fields: &[(&str, Field<'_>)]) -> String {
        self.fill(key, fields, Numerals::Spoken)
    }

    /// The text of `key` with its fields filled in.
    #[must_use]
    pub fn fill(&self, key: &str, fields: &[(&str, Field<'_>)], numerals: Numerals) -> String {
        let Some(pattern) = self.pattern(key) else {
            return key.to_owned();
        };
        let mut rest = pattern.choose(fields, self.plural_rule);
        let mut filled = String::with_capacity(rest.len() + 16);
        while let Some((before, name, after)) = next_place(rest) {
            filled.push_str(before);
            match fields.iter().find(|(field, _)| *field == name) {
                Some((_, field)) => filled.push_str(&field.to_words(self, numerals)),
                None => filled.push_str(name),
            }
            rest = after;
        }
        filled.push_str(rest);
        filled
    }
}

impl Locale {
    fn pattern(&self, key: &str) -> Option<&Pattern> {
        self.texts.iter().find(|(own, _)| own == key).map(|(_, pattern)| pattern)
    }
}

impl Field<'_> {
    fn to_words(self, locale: &Locale, numerals: Numerals) -> String {
        match self {
            Self::Count(count) => format::count(locale, count, numerals),
            Self::Rate(rate) => format::rate(locale, rate, numerals),
            Self::RoundedRate(rate) => format::rounded_rate(locale, rate, numerals),
            Self::Time(span) => format::time(locale, span, numerals),
            Self::About(span) => format::about(locale, span, numerals),
            Self::Text(text) => text.to_owned(),
        }
    }

    /// The amount in thousandths, by which a plural form is chosen.
    fn thousandths(self) -> u64 {
        match self {
            Self::Count(count) => count.saturating_mul(1_000),
            Self::Rate(rate) => rate.thousandths(),
            Self::RoundedRate(rate) => format::rounded(rate).thousandths(),
            Self::Time(_) | Self::About(_) | Self::Text(_) => u64::MAX,
        }
    }
}

impl PluralRule {
    fn category(self, thousandths: u64) -> Category {
        match self {
            Self::OneOther if thousandths == 1_000 => Category::One,
            Self::OneOther | Self::Other => Category::Other,
        }
    }
}

impl Pattern {
    fn choose(&self, fields: &[(&str, Field<'_>)], rule: PluralRule) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Plural { field, forms } => {
                let given = fields.iter().find(|(name, _)| name == field);
                let thousandths = given.map_or(u64::MAX, |(_, field)| field.thousandths());
                let of = |category| forms.iter().find(|(own, _)| *own == category).map(|(_, form)| form);
                let exact = if thousandths == 0 { of(Category::Zero) } else { None };
                let form = exact.or_else(|| of(rule.category(thousandths))).or_else(|| of(Category::Other));
                form.map_or("", |form| form.choose(fields, rule))
            }
        }
    }

    fn for_each_text(&mut self, change: &dyn Fn(&mut String)) {
        match self {
            Self::Text(text) => change(text),
            Self::Plural { forms, .. } => forms.iter_mut().for_each(|(_, form)| form.for_each_text(change)),
        }
    }
}

/// The text before the next `{name}`, the name, and the text after it.
pub(super) fn next_place(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('{')?;
    let (name, after) = rest.split_once('}')?;
    Some((before, name, after))
}

fn distorted(text: &str, pseudo: Pseudo) -> String {
    match pseudo {
        Pseudo::Double => format!("{text} {text}"),
        Pseudo::Long => format!("{text} {}", "lorem ".repeat(text.len() / 12 + 1).trim_end()),
        Pseudo::Rtl => format!("\u{202e}{text}\u{202c}"),
        Pseudo::Xss => format!("{text}<img src=x onerror=alert(1)>"),
    }
}
