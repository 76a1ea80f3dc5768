//! What the terms of the page mean, on request; first those that the sentences use right now.

use super::App;
use crate::narrate::locale::Locale;

/// A term and what it means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TermView {
    /// The term.
    pub name: String,
    /// What it means, in a sentence or two.
    pub meaning: String,
    /// A word on it, where a sentence of the page uses it right now.
    pub said: Option<String>,
}

/// A term's keys: its name, its meaning, and the forms in which sentences have it, with bars between.
type Term = (&'static str, &'static str, &'static str);

/// All terms, in the order in which a message meets what they speak of.
const TERMS: [Term; 18] = [
    ("term.producer", "term.producer.meaning", "term.producer.forms"),
    ("term.broker", "term.broker.meaning", "term.broker.forms"),
    ("term.queue_depth", "term.queue_depth.meaning", "term.queue_depth.forms"),
    ("term.backpressure", "term.backpressure.meaning", "term.backpressure.forms"),
    ("term.consumer", "term.consumer.meaning", "term.consumer.forms"),
    ("term.in_flight", "term.in_flight.meaning", "term.in_flight.forms"),
    ("term.acknowledgement", "term.acknowledgement.meaning", "term.acknowledgement.forms"),
    ("term.redelivery", "term.redelivery.meaning", "term.redelivery.forms"),
    ("term.poison", "term.poison.meaning", "term.poison.forms"),
    ("term.dead_letter", "term.dead_letter.meaning", "term.dead_letter.forms"),
    ("term.redrive", "term.redrive.meaning", "term.redrive.forms"),
    ("term.topic", "term.topic.meaning", "term.topic.forms"),
    ("term.partition", "term.partition.meaning", "term.partition.forms"),
    ("term.group", "term.group.meaning", "term.group.forms"),
    ("term.committed", "term.committed.meaning", "term.committed.forms"),
    ("term.lag", "term.lag.meaning", "term.lag.forms"),
    ("term.rebalance", "term.rebalance.meaning", "term.rebalance.forms"),
    ("term.retention", "term.retention.meaning", "term.retention.forms"),
];

/// All terms, those that are said in the sentences of the page first.
#[inline(never)]
pub(super) fn terms(app: &App, sentences: &str) -> Vec<TermView> {
    let entries: Vec<TermView> = TERMS.iter().map(|term| entry(term, &app.locale, sentences)).collect();
    let (said, others): (Vec<_>, Vec<_>) = entries.into_iter().partition(|entry| entry.said.is_some());
    said.into_iter().chain(others).collect()
}

fn entry((name, meaning, forms): &Term, locale: &Locale, sentences: &str) -> TermView {
    let text = |key: &'static str| locale.text(key).to_owned();
    let is_said = locale.text(forms).split('|').any(|form| says(sentences, form));
    TermView { name: text(name), meaning: text(meaning), said: is_said.then(|| text("glossary.said")) }
}

/// Whether `sentences` have the words of `form` as whole words.
fn says(sentences: &str, form: &str) -> bool {
    // What the standard library knows of other letters takes 30 kB: none of them ends a word here.
    let (sentences, form) = (sentences.to_ascii_lowercase(), form.to_ascii_lowercase());
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || !letter.is_ascii();
    let is_word_end = |letter: Option<char>| letter.is_none_or(|letter| !is_letter(letter));
    sentences.match_indices(&form).any(|(at, found)| {
        let (before, after) = (sentences.get(..at), sentences.get(at + found.len()..));
        is_word_end(before.and_then(|text| text.chars().next_back()))
            && is_word_end(after.and_then(|text| text.chars().next()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_whole_and_in_any_case() {
        assert!(says("This push back is called backpressure.", "backpressure"));
        assert!(says("Lag is 4.", "lag"));
        assert!(!says("A flag is no such thing.", "lag"));
        assert!(!says("", "lag"));
        assert!(says("2 dead letters", "dead letters"));
    }

    #[test]
    fn every_term_is_named_and_explained_without_the_term_alone() {
        let locale = Locale::english();
        for term in &TERMS {
            let entry = entry(term, &locale, "");
            assert!(entry.meaning.ends_with('.') && entry.meaning.len() > entry.name.len() + 20, "{entry:?}");
            assert!(entry.said.is_none(), "{entry:?}");
            assert_ne!(entry.name, term.0, "it is in the file");
        }
    }
}
