//! What can be wrong with the file of a language.

use std::cell::OnceCell;

use super::locale::{Locale, ONE_OTHER};
use crate::json::{self, Fields, Json};

/// The language in `json`, or what is wrong with it.
pub(super) fn parse(json: &str) -> Result<Locale, String> {
    let file = json::read(json).map_err(|error| format!("line {}, column {}", error.line, error.column))?;
    let Json::Object(file) = file else { return Err("not an object".to_owned()) };
    for name in ["language", "direction", "plural_rule", "group_mark", "decimal_mark"] {
        text(&file, name)?;
    }
    // One form for all numbers, as in Japanese, is the other rule.
    match text(&file, "plural_rule")? {
        ONE_OTHER | "other" => {}
        unknown => return Err(format!("plural_rule: {unknown}")),
    }
    let texts = json::field(&file, "texts").and_then(Json::as_object).ok_or("texts: missing")?;
    texts.iter().try_for_each(|(key, value)| check(key, value))?;
    Ok(Locale { file, further: OnceCell::from(Fields::new()) })
}

fn text<'a>(file: &'a Fields, name: &str) -> Result<&'a str, String> {
    json::field(file, name).and_then(Json::as_text).ok_or_else(|| format!("{name}: missing"))
}

fn check(key: &str, value: &Json) -> Result<(), String> {
    match value {
        Json::Text(_) => Ok(()),
        Json::Object(forms) => check_plural(key, forms),
        _ => Err(format!("{key}: neither a text nor plural forms")),
    }
}

fn check_plural(key: &str, forms: &Fields) -> Result<(), String> {
    if json::field(forms, "plural").and_then(Json::as_text).is_none() {
        return Err(format!("{key}: no plural"));
    }
    for (name, form) in forms.iter().filter(|(name, _)| name != "plural") {
        if !["zero", "one", "other"].contains(&name.as_str()) {
            return Err(format!("{key}: unknown plural category {name}"));
        }
        check(key, form)?;
    }
    json::field(forms, "other").map(|_| ()).ok_or_else(|| format!("{key}: no form for other"))
}
