//! Reading the file of a language.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::locale::{Category, Locale, Pattern, PluralRule};

/// A language without any text.
pub(super) fn empty() -> Locale {
    Locale {
        language: "en".to_owned(),
        direction: "ltr".to_owned(),
        plural_rule: PluralRule::OneOther,
        group_mark: ",".to_owned(),
        decimal_mark: ".".to_owned(),
        texts: BTreeMap::new(),
    }
}

/// The language in `json`, or what is wrong with it.
pub(super) fn parse(json: &str) -> Result<Locale, String> {
    let file: Value = serde_json::from_str(json).map_err(|error| error.to_string())?;
    let texts = file.get("texts").and_then(Value::as_object).ok_or("texts: missing")?;
    let texts = texts.iter().map(|(key, value)| Ok((key.clone(), pattern(key, value)?)));
    Ok(Locale {
        language: string(&file, "language")?,
        direction: string(&file, "direction")?,
        plural_rule: match string(&file, "plural_rule")?.as_str() {
            "one-other" => PluralRule::OneOther,
            "other" => PluralRule::Other,
            unknown => return Err(format!("plural_rule: {unknown}")),
        },
        group_mark: string(&file, "group_mark")?,
        decimal_mark: string(&file, "decimal_mark")?,
        texts: texts.collect::<Result<_, String>>()?,
    })
}

fn string(file: &Value, name: &str) -> Result<String, String> {
    file.get(name).and_then(Value::as_str).map(str::to_owned).ok_or_else(|| format!("{name}: missing"))
}

fn pattern(key: &str, value: &Value) -> Result<Pattern, String> {
    match value {
        Value::String(text) => Ok(Pattern::Text(text.clone())),
        Value::Object(forms) => plural(key, forms),
        _ => Err(format!("{key}: neither a text nor plural forms")),
    }
}

fn plural(key: &str, object: &Map<String, Value>) -> Result<Pattern, String> {
    let field = object.get("plural").and_then(Value::as_str).ok_or_else(|| format!("{key}: no plural"))?;
    let mut forms = BTreeMap::new();
    for (name, form) in object.iter().filter(|(name, _)| *name != "plural") {
        let category = match name.as_str() {
            "zero" => Category::Zero,
            "one" => Category::One,
            "other" => Category::Other,
            _ => return Err(format!("{key}: unknown plural category {name}")),
        };
        forms.insert(category, pattern(key, form)?);
    }
    if !forms.contains_key(&Category::Other) {
        return Err(format!("{key}: no form for other"));
    }
    Ok(Pattern::Plural { field: field.to_owned(), forms })
}
