//! The texts of one language: whole-sentence patterns with named fields and plural forms.
//!
//! Another language is one more file with the same keys. A key or field that is missing yields
//! its own name, so that a gap shows on the page instead of breaking it.

use std::cell::OnceCell;

use super::format::{self, Numerals};
use super::locale_file;
use crate::json::{self, Fields, Json};
use crate::model::rate::Rate;
use crate::model::time::Span;

/// The English texts of the first screen.
const ENGLISH: &str = include_str!("../../static/locales/en/messages.json");

/// The English texts that the first screen does not show. The page gets them with the rest of
/// the simulation, not with the first load.
const ENGLISH_FURTHER: &str = include_str!("../../static/locales/en/further.json");

/// The plural rule with one form for exactly 1 and one for all other numbers, as in English.
pub(super) const ONE_OTHER: &str = "one-other";

/// All texts of one language.
///
/// They stay the JSON that they are read from. A pattern is a text, or an object that chooses
/// among patterns by the plural category of the field that it names. A few hundred: looking
/// through them is quick, and a tree would cost more of the first load than it saves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Locale {
    pub(super) file: Fields,
    /// English keeps the texts that the first screen does not show apart, and reads them when the
    /// first of them is looked for.
    pub(super) further: OnceCell<Fields>,
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
        Self { file: object(ENGLISH), further: OnceCell::new() }
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
        locale.further = OnceCell::from(Fields::new());
        let mut further = texts_in(&object(ENGLISH_FURTHER)).to_vec();
        for (name, value) in &mut locale.file {
            match value {
                Json::Text(direction) if name == "direction" && pseudo == Pseudo::Rtl => {
                    *direction = "rtl".to_owned();
                }
                Json::Object(texts) => {
                    texts.append(&mut further);
                    texts.iter_mut().for_each(|(_, pattern)| distort(pattern, pseudo));
                }
                _ => {}
            }
        }
        locale
    }

    /// Its tag, such as `en`.
    #[must_use]
    pub fn language(&self) -> &str {
        self.word("language")
    }

    /// `ltr` or `rtl`.
    #[must_use]
    pub fn direction(&self) -> &str {
        self.word("direction")
    }

    /// What stands between groups of three digits on screen.
    pub(super) fn group_mark(&self) -> &str {
        self.word("group_mark")
    }

    /// What stands before decimals.
    pub(super) fn decimal_mark(&self) -> &str {
        self.word("decimal_mark")
    }

    /// All keys, in the order of the file.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        let all = texts_in(&self.file).iter().chain(self.further_texts());
        all.map(|(key, _)| key.as_str())
    }

    /// A text without fields; the key itself where there is none.
    #[must_use]
    pub fn text<'a>(&'a self, key: &'a str) -> &'a str {
        self.pattern(key).map_or(key, |pattern| self.choose(pattern, &[]))
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
        let mut rest = self.pattern(key).map_or(key, |pattern| self.choose(pattern, fields));
        let mut filled = String::new();
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
    fn word(&self, name: &str) -> &str {
        text_of(&self.file, name)
    }

    fn pattern(&self, key: &str) -> Option<&Json> {
        let first = texts_in(&self.file).iter().find(|(own, _)| own == key);
        first.map(|(_, pattern)| pattern).or_else(|| self.further_pattern(key))
    }

    // A function of its own, so that the text it reads is not part of the first load.
    #[inline(never)]
    fn further_pattern(&self, key: &str) -> Option<&Json> {
        self.further_texts().iter().find(|(own, _)| own == key).map(|(_, pattern)| pattern)
    }

    fn further_texts(&self) -> &[(String, Json)] {
        texts_in(self.further.get_or_init(|| object(ENGLISH_FURTHER)))
    }

    /// The text that fits the amounts in `fields`. `zero` is for exactly nothing, where a language
    /// says that in another way; without it the category is used that the language's rule gives.
    fn choose<'a>(&'a self, pattern: &'a Json, fields: &[(&str, Field<'_>)]) -> &'a str {
        let Json::Object(forms) = pattern else { return pattern.as_text().unwrap_or_default() };
        let counted = text_of(forms, "plural");
        let given = fields.iter().find(|(name, _)| *name == counted);
        let thousandths = given.map_or(u64::MAX, |(_, field)| field.thousandths());
        let category = match thousandths {
            0 if json::field(forms, "zero").is_some() => "zero",
            1_000 if self.word("plural_rule") == ONE_OTHER => "one",
            _ => "other",
        };
        let form = json::field(forms, category).or_else(|| json::field(forms, "other"));
        form.map_or("", |form| self.choose(form, fields))
    }
}

/// The object in a file that is part of the program; a test shows that nothing is wrong with it.
fn object(json: &str) -> Fields {
    match json::read(json) {
        Ok(Json::Object(fields)) => fields,
        _ => Fields::new(),
    }
}

fn texts_in(file: &Fields) -> &[(String, Json)] {
    json::field(file, "texts").and_then(Json::as_object).map_or(&[], Vec::as_slice)
}

fn text_of<'a>(fields: &'a Fields, name: &str) -> &'a str {
    json::field(fields, name).and_then(Json::as_text).unwrap_or_default()
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

/// The text before the next `{name}`, the name, and the text after it.
pub(super) fn next_place(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('{')?;
    let (name, after) = rest.split_once('}')?;
    Some((before, name, after))
}

fn distort(pattern: &mut Json, pseudo: Pseudo) {
    match pattern {
        Json::Text(text) => *text = distorted(text, pseudo),
        Json::Object(forms) => {
            let forms = forms.iter_mut().filter(|(name, _)| name != "plural");
            forms.for_each(|(_, form)| distort(form, pseudo));
        }
        _ => {}
    }
}

fn distorted(text: &str, pseudo: Pseudo) -> String {
    match pseudo {
        Pseudo::Double => format!("{text} {text}"),
        Pseudo::Long => format!("{text} {}", "lorem ".repeat(text.len() / 12 + 1).trim_end()),
        Pseudo::Rtl => format!("\u{202e}{text}\u{202c}"),
        Pseudo::Xss => format!("{text}<img src=x onerror=alert(1)>"),
    }
}
