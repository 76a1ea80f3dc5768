//! A JSON object that knows which of its fields were read, and where it stands in its file.

use std::cell::RefCell;
use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// One object of a vector file.
pub struct Fields {
    place: String,
    values: Map<String, Value>,
    read: RefCell<BTreeSet<String>>,
}

impl Fields {
    /// The object `values` at `place`, of which nothing was read.
    pub fn new(place: String, values: Map<String, Value>) -> Self {
        Self { place, values, read: RefCell::default() }
    }

    /// Where it stands, for messages.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// The name of a case, with its queue type or assignor where it has one.
    pub fn case_name(&self) -> Option<String> {
        let text = |key: &&str| self.values.get(*key)?.as_str();
        let name = ["name", "test"].iter().find_map(text)?;
        let kind = ["queue_type", "assignor"].iter().find_map(text);
        Some(kind.map_or_else(|| name.to_owned(), |kind| format!("{name} ({kind})")))
    }

    /// The field as it is, if there is one.
    pub fn value(&self, key: &str) -> Option<&Value> {
        self.read.borrow_mut().insert(key.to_owned());
        self.values.get(key)
    }

    /// Whether there is such a field; this does not count as reading it.
    pub fn has(&self, key: &str) -> bool {
        self.values.contains_key(key)
    }

    /// The names of all fields.
    pub fn keys(&self) -> Vec<String> {
        self.values.keys().cloned().collect()
    }

    /// These fields are words for people: they need not be read.
    pub fn prose(&self, keys: &[&str]) {
        self.read.borrow_mut().extend(keys.iter().map(|key| (*key).to_owned()));
    }

    fn required(&self, key: &str) -> &Value {
        self.value(key).unwrap_or_else(|| panic!("{}: no field {key}", self.place))
    }

    fn wrong(&self, key: &str, wanted: &str) -> ! {
        panic!("{}: {key} is no {wanted}: {}", self.place, self.required(key))
    }

    /// A number.
    pub fn number(&self, key: &str) -> f64 {
        self.required(key).as_f64().unwrap_or_else(|| self.wrong(key, "number"))
    }

    /// A whole number.
    pub fn count(&self, key: &str) -> u64 {
        self.required(key).as_u64().unwrap_or_else(|| self.wrong(key, "whole number"))
    }

    /// A whole number that fits 32 bits.
    pub fn small_count(&self, key: &str) -> u32 {
        u32::try_from(self.count(key)).unwrap_or_else(|_| self.wrong(key, "number below 2³²"))
    }

    /// A whole number that may be absent or null.
    pub fn count_or_null(&self, key: &str) -> Option<u64> {
        self.value(key).filter(|value| !value.is_null()).map(|_| self.count(key))
    }

    /// A whole number that may be absent.
    pub fn optional_count(&self, key: &str) -> Option<u64> {
        self.has(key).then(|| self.count(key))
    }

    /// A number that may be absent.
    pub fn optional_number(&self, key: &str) -> Option<f64> {
        self.has(key).then(|| self.number(key))
    }

    /// A text.
    pub fn text(&self, key: &str) -> &str {
        self.required(key).as_str().unwrap_or_else(|| self.wrong(key, "text"))
    }

    /// A text that may be absent.
    pub fn optional_text(&self, key: &str) -> Option<&str> {
        self.has(key).then(|| self.text(key))
    }

    /// Yes or no; no where it is absent.
    pub fn flag(&self, key: &str) -> bool {
        self.value(key).is_some_and(|value| value.as_bool().unwrap_or_else(|| self.wrong(key, "yes or no")))
    }

    /// A list of anything.
    pub fn list(&self, key: &str) -> &[Value] {
        self.required(key).as_array().unwrap_or_else(|| self.wrong(key, "list"))
    }

    /// A list of texts.
    pub fn texts(&self, key: &str) -> Vec<String> {
        let text =
            |value: &Value| value.as_str().unwrap_or_else(|| self.wrong(key, "list of texts")).to_owned();
        self.list(key).iter().map(text).collect()
    }

    /// An object within this one. Whoever takes it sees to it that all of it is read.
    pub fn object(&self, key: &str) -> Self {
        let Some(values) = self.required(key).as_object() else { self.wrong(key, "object") };
        Self::new(format!("{} / {key}", self.place), values.clone())
    }

    /// A list of objects, each named by its own name or its index.
    pub fn objects(&self, key: &str) -> Vec<Self> {
        let object = |(index, value): (usize, &Value)| {
            let Some(values) = value.as_object() else { self.wrong(key, "list of objects") };
            let unnamed = Self::new(String::new(), values.clone());
            let name = unnamed.case_name().unwrap_or_else(|| index.to_string());
            Self { place: format!("{} / {key} / {name}", self.place), ..unnamed }
        };
        self.list(key).iter().enumerate().map(object).collect()
    }

    /// Fails where a field was not read: nothing in a vector is passed over in silence.
    pub fn all_were_read(&self) {
        let read = self.read.borrow();
        let unread: Vec<_> = self.values.keys().filter(|key| !read.contains(*key)).collect();
        assert!(unread.is_empty(), "{}: nothing reads {unread:?}", self.place);
    }
}
