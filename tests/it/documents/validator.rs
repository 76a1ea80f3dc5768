//! As much of a JSON Schema validator as the schema of scenario files needs. Patterns and lengths
//! of texts are left to the reader's own tests.

use queue_lab::json::{self, Fields, Json};

/// Places at which `value` does not conform to `schema`.
pub fn faults(schema: &Json, value: &Json) -> Vec<String> {
    let mut found = Vec::new();
    Check { root: schema }.value(schema, value, "", &mut found);
    found
}

/// The field of an object.
pub fn get<'a>(object: &'a Json, name: &str) -> Option<&'a Json> {
    json::field(object.as_object()?, name)
}

struct Check<'a> {
    root: &'a Json,
}

impl<'a> Check<'a> {
    fn value(&self, schema: &'a Json, value: &Json, place: &str, found: &mut Vec<String>) {
        let schema = self.followed(schema);
        if !self.is_right_alone(schema, value) {
            return found.push(place.to_owned());
        }
        if get(schema, "anyOf").is_some() {
            return;
        }
        if let Some(fields) = value.as_object() {
            self.fields(schema, fields, place, found);
        }
        for (index, entry) in value.as_list().into_iter().flatten().enumerate() {
            let own = get(schema, "items").expect("a list says what is in it");
            self.value(own, entry, &format!("{place}[{index}]"), found);
        }
    }

    fn followed(&self, schema: &'a Json) -> &'a Json {
        let name = get(schema, "$ref").and_then(Json::as_text).and_then(|name| name.strip_prefix("#/$defs/"));
        let Some(name) = name else { return schema };
        get(self.root, "$defs").and_then(|all| get(all, name)).unwrap_or_else(|| panic!("{name} is defined"))
    }

    fn fields(&self, schema: &'a Json, fields: &Fields, place: &str, found: &mut Vec<String>) {
        let required =
            get(schema, "required").and_then(Json::as_list).into_iter().flatten().filter_map(Json::as_text);
        let missing = required.filter(|name| json::field(fields, name).is_none());
        found.extend(missing.map(|name| format!("{place}.{name}")));
        for (name, value) in fields {
            let place = format!("{place}.{name}");
            match field_schema(schema, name) {
                Some(own) => self.value(own, value, &place, found),
                None => found.push(place),
            }
        }
    }

    fn is_right_alone(&self, schema: &'a Json, value: &Json) -> bool {
        let is_one_of = get(schema, "enum").and_then(Json::as_list).is_none_or(|list| list.contains(value));
        let is_const = get(schema, "const").is_none_or(|only| only == value);
        let any_of = get(schema, "anyOf").and_then(Json::as_list);
        let fits = |one: &'a Json| {
            let mut found = Vec::new();
            self.value(one, value, "", &mut found);
            found.is_empty()
        };
        has_type(schema, value)
            && is_const
            && is_one_of
            && is_in_range(schema, value)
            && any_of.is_none_or(|all| all.iter().any(fits))
    }
}

fn field_schema<'a>(schema: &'a Json, name: &str) -> Option<&'a Json> {
    let by_pattern = || {
        let patterns = get(schema, "patternProperties")?.as_object()?;
        patterns.iter().find(|(pattern, _)| is_owned_name(pattern, name)).map(|(_, own)| own)
    };
    get(schema, "properties").and_then(|own| get(own, name)).or_else(by_pattern)
}

fn has_type(schema: &Json, value: &Json) -> bool {
    match (get(schema, "type").and_then(Json::as_text), value) {
        (None, _)
        | (Some("object"), Json::Object(_))
        | (Some("array"), Json::List(_))
        | (Some("string"), Json::Text(_))
        | (Some("boolean"), Json::Bool(_))
        | (Some("number"), Json::Number(_)) => true,
        (Some("integer"), Json::Number(number)) => number.parse::<i64>().is_ok(),
        _ => false,
    }
}

fn is_in_range(schema: &Json, value: &Json) -> bool {
    let amount =
        |json: &Json| if let Json::Number(number) = json { number.parse::<f64>().ok() } else { None };
    let size = amount(value).or_else(|| value.as_list().map(|list| list.len() as f64));
    let keeps = |name: &str, is_kept: fn(f64, f64) -> bool| {
        get(schema, name).and_then(amount).zip(size).is_none_or(|(limit, size)| is_kept(size, limit))
    };
    let at_least = |size, limit| size >= limit;
    let at_most = |size, limit| size <= limit;
    keeps("minimum", at_least)
        && keeps("minItems", at_least)
        && keeps("maximum", at_most)
        && keeps("maxItems", at_most)
}

/// Whether `name` is some name, a point, and one of the two names in a pattern of the schema's.
fn is_owned_name(pattern: &str, name: &str) -> bool {
    let names =
        pattern.strip_prefix("^[^.]+\\.(").and_then(|rest| rest.strip_suffix(")$")).unwrap_or_default();
    let parts = name.split_once('.');
    parts.is_some_and(|(owner, key)| !owner.is_empty() && names.split('|').any(|own| own == key))
}
