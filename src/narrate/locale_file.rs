//! Reading the file of a language.

use super::locale::{Category, Locale, Pattern, PluralRule};
use crate::json::{self, Fields, Json};

/// A language without any text.
pub(super) fn empty() -> Locale {
    Locale {
        language: "en".to_owned(),
        direction: "ltr".to_owned(),
        plural_rule: PluralRule::OneOther,
        group_mark: ",".to_owned(),
        decimal_mark: ".".to_owned(),
        texts: Vec::new(),
    }
}

/// The language in `json`, or what is wrong with it.
pub(super) fn parse(json: &str) -> Result<Locale, String> {
    let file = json::read(json).map_err(|error| format!("line {}, column {}", error.line, error.column))?;
    let file = file.as_object().ok_or("not an object")?;
    let texts = json::field(file, "texts").and_then(Json::as_object).ok_or("texts: missing")?;
    let texts = texts.iter().map(|(key, value)| Ok((key.clone(), pattern(key, value)?)));
    Ok(Locale {
        language: string(file, "language")?,
        direction: string(file, "direction")?,
        plural_rule: match string(file, "plural_rule")?.as_str() {
            "one-other" => PluralRule::OneOther,
            "other" => PluralRule::Other,
            unknown => return Err(format!("plural_rule: {unknown}")),
        },
        group_mark: string(file, "group_mark")?,
        decimal_mark: string(file, "decimal_mark")?,
        texts: texts.collect::<Result<_, String>>()?,
    })
}

fn string(file: &Fields, name: &str) -> Result<String, String> {
    let text = json::field(file, name).and_then(Json::as_text);
    text.map(str::to_owned).ok_or_else(|| format!("{name}: missing"))
}

fn pattern(key: &str, value: &Json) -> Result<Pattern, String> {
    match value {
        Json::Text(text) => Ok(Pattern::Text(text.clone())),
        Json::Object(forms) => plural(key, forms),
        _ => Err(format!("{key}: neither a text nor plural forms")),
    }
}

fn plural(key: &str, object: &Fields) -> Result<Pattern, String> {
    let field =
        json::field(object, "plural").and_then(Json::as_text).ok_or_else(|| format!("{key}: no plural"))?;
    let mut forms = Vec::new();
    for (name, form) in object.iter().filter(|(name, _)| *name != "plural") {
        let category = match name.as_str() {
            "zero" => Category::Zero,
            "one" => Category::One,
            "other" => Category::Other,
            _ => return Err(format!("{key}: unknown plural category {name}")),
        };
        forms.push((category, pattern(key, form)?));
    }
    if forms.iter().all(|(category, _)| *category != Category::Other) {
        return Err(format!("{key}: no form for other"));
    }
    Ok(Pattern::Plural { field: field.to_owned(), forms })
}
