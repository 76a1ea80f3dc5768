//! JSON, read and written (RFC 8259).
//!
//! It is here because of its size: the usual library brings the tables by which floats are read
//! and printed, a fifth of what the first load may cost. Numbers stay the text that they are, so
//! nothing is rounded on the way in.

use std::fmt::Write as _;

/// Lists and objects may be nested so deeply; deeper ones are refused.
const DEPTH_MAX: usize = 64;

/// A JSON value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, as its text.
    Number(String),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Json>),
    /// An object: names and values in the order in which they stand.
    Object(Fields),
}

/// The fields of an object, in the order in which they stand.
pub type Fields = Vec<(String, Json)>;

/// Where a text stops being JSON. Both count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// The line.
    pub line: usize,
    /// The character in the line.
    pub column: usize,
}

/// Reads `text`.
///
/// # Errors
/// Says where it stops being JSON.
pub fn read(text: &str) -> Result<Json, SyntaxError> {
    let mut reader = Reader { text, at: 0 };
    let value = reader.value(0).filter(|_| {
        reader.skip_blanks();
        reader.at == text.len()
    });
    value.ok_or_else(|| reader.place())
}

/// The field `name` of an object; the last one, where it stands there more than once.
#[must_use]
pub fn field<'a>(fields: &'a Fields, name: &str) -> Option<&'a Json> {
    fields.iter().rev().find(|(own, _)| own == name).map(|(_, value)| value)
}

impl Json {
    /// The text, if it is one.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// The fields, if it is an object.
    #[must_use]
    pub const fn as_object(&self) -> Option<&Fields> {
        if let Self::Object(fields) = self { Some(fields) } else { None }
    }

    /// The values, if it is a list.
    #[must_use]
    pub const fn as_list(&self) -> Option<&Vec<Self>> {
        if let Self::List(values) = self { Some(values) } else { None }
    }

    /// The value as JSON, on one line.
    #[must_use]
    pub fn to_line(&self) -> String {
        let mut line = String::new();
        self.write(&mut line);
        line
    }

    fn write(&self, line: &mut String) {
        match self {
            Self::Null => line.push_str("null"),
            Self::Bool(is_true) => line.push_str(if *is_true { "true" } else { "false" }),
            Self::Number(number) => line.push_str(number),
            Self::Text(text) => write_text(text, line),
            Self::List(values) => {
                write_all('[', ']', values, line, |value, line| value.write(line));
            }
            Self::Object(fields) => write_all('{', '}', fields, line, |(name, value), line| {
                write_text(name, line);
                line.push(':');
                value.write(line);
            }),
        }
    }
}

fn write_all<T>(open: char, close: char, items: &[T], line: &mut String, write: impl Fn(&T, &mut String)) {
    line.push(open);
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            line.push(',');
        }
        write(item, line);
    }
    line.push(close);
}

fn write_text(text: &str, line: &mut String) {
    line.push('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => line.extend(['\\', letter]),
            // Writing to a string cannot fail.
            control if control < ' ' => drop(write!(line, "\\u{:04x}", u32::from(control))),
            plain => line.push(plain),
        }
    }
    line.push('"');
}

struct Reader<'a> {
    text: &'a str,
    /// The byte that is next; where reading fails, the one that did not fit.
    at: usize,
}

impl Reader<'_> {
    fn value(&mut self, depth: usize) -> Option<Json> {
        if depth > DEPTH_MAX {
            return None;
        }
        self.skip_blanks();
        match self.peek()? {
            b'{' => self.object(depth),
            b'[' => self.list(depth),
            b'"' => self.string().map(Json::Text),
            b't' => self.word("true", Json::Bool(true)),
            b'f' => self.word("false", Json::Bool(false)),
            b'n' => self.word("null", Json::Null),
            _ => self.number(),
        }
    }

    fn object(&mut self, depth: usize) -> Option<Json> {
        let mut fields = Fields::new();
        self.items(b'}', |reader| {
            let name = reader.string()?;
            reader.skip_blanks();
            reader.take(b':')?;
            fields.push((name, reader.value(depth + 1)?));
            Some(())
        })?;
        Some(Json::Object(fields))
    }

    fn list(&mut self, depth: usize) -> Option<Json> {
        let mut values = Vec::new();
        self.items(b']', |reader| {
            values.push(reader.value(depth + 1)?);
            Some(())
        })?;
        Some(Json::List(values))
    }

    /// Items with commas between, from the opening bracket to the closing one.
    fn items(&mut self, close: u8, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.at += 1;
        self.skip_blanks();
        if self.peek()? == close {
            return self.take(close);
        }
        loop {
            self.skip_blanks();
            item(self)?;
            self.skip_blanks();
            if self.peek()? == close {
                return self.take(close);
            }
            self.take(b',')?;
        }
    }

    fn string(&mut self) -> Option<String> {
        self.take(b'"')?;
        let mut text = String::new();
        loop {
            let rest = self.text.get(self.at..)?;
            let plain = rest.find(|letter: char| letter < ' ' || letter == '"' || letter == '\\')?;
            text.push_str(rest.get(..plain)?);
            self.at += plain;
            match self.peek()? {
                b'"' => {
                    self.at += 1;
                    return Some(text);
                }
                b'\\' => text.push(self.escaped()?),
                _ => return None,
            }
        }
    }

    fn escaped(&mut self) -> Option<char> {
        let letter = *self.text.as_bytes().get(self.at + 1)?;
        let plain = match letter {
            b'"' | b'\\' | b'/' => char::from(letter),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.unicode(),
            _ => return None,
        };
        self.at += 2;
        Some(plain)
    }

    /// `\uXXXX`, or two of them for a character beyond 16 bits; half a pair is no character and
    /// becomes the replacement character.
    fn unicode(&mut self) -> Option<char> {
        let high = self.code_unit()?;
        let low = if (0xd800..0xdc00).contains(&high) { self.following_low_half() } else { None };
        let code = low.map_or(high, |low| 0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00));
        Some(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn following_low_half(&mut self) -> Option<u32> {
        let here = self.at;
        if self.text.as_bytes().get(here..here + 2) == Some(b"\\u")
            && let Some(low @ 0xdc00..0xe000) = self.code_unit()
        {
            return Some(low);
        }
        self.at = here;
        None
    }

    fn code_unit(&mut self) -> Option<u32> {
        let digits = self.text.get(self.at + 2..self.at + 6)?;
        let unit = digits.chars().try_fold(0, |unit, digit| Some(unit * 16 + digit.to_digit(16)?))?;
        self.at += 6;
        Some(unit)
    }

    fn number(&mut self) -> Option<Json> {
        let start = self.at;
        self.take_if(b"-");
        if !self.take_if(b"0") {
            self.digits()?;
        }
        if self.take_if(b".") {
            self.digits()?;
        }
        if self.take_if(b"eE") {
            self.take_if(b"+-");
            self.digits()?;
        }
        self.text.get(start..self.at).map(|number| Json::Number(number.to_owned()))
    }

    fn digits(&mut self) -> Option<()> {
        self.take_if(b"0123456789").then_some(())?;
        while self.take_if(b"0123456789") {}
        Some(())
    }

    fn word(&mut self, word: &str, value: Json) -> Option<Json> {
        let is_there = self.text.get(self.at..)?.starts_with(word);
        self.at += if is_there { word.len() } else { 0 };
        is_there.then_some(value)
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        self.take_if(&[byte]).then_some(())
    }

    fn take_if(&mut self, bytes: &[u8]) -> bool {
        let fits = self.peek().is_some_and(|next| bytes.contains(&next));
        self.at += usize::from(fits);
        fits
    }

    fn skip_blanks(&mut self) {
        while self.take_if(b" \t\r\n") {}
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn place(&self) -> SyntaxError {
        let before = self.text.get(..self.at).unwrap_or(self.text);
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        let line = before.matches('\n').count() + 1;
        SyntaxError { line, column: before.get(line_start..).map_or(0, |part| part.chars().count()) + 1 }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text(value: &str) -> Json {
        Json::Text(value.to_owned())
    }

    #[test]
    fn values_are_read_as_they_stand() {
        let number = |number: &str| Json::Number(number.to_owned());
        for (json, value) in [
            ("null", Json::Null),
            (" true ", Json::Bool(true)),
            ("-0.5e+3", number("-0.5e+3")),
            ("[]", Json::List(vec![])),
            ("[1, 20]", Json::List(vec![number("1"), number("20")])),
            ("{}", Json::Object(vec![])),
            (
                r#"{"a": {"b": "c"}}"#,
                Json::Object(vec![("a".into(), Json::Object(vec![("b".into(), text("c"))]))]),
            ),
            (r#""é\n\"\\\/\u00e9\ud83d\ude00""#, text("é\n\"\\/é😀")),
            (r#""\ud83dx""#, text("\u{fffd}x")),
        ] {
            assert_eq!(read(json), Ok(value), "{json}");
        }
    }

    #[test]
    fn what_is_no_json_is_refused_with_its_place() {
        for (json, line, column) in [
            ("", 1, 1),
            ("{\n  \"a\": }", 2, 8),
            ("[1,]", 1, 4),
            ("[1 2]", 1, 4),
            ("{\"a\" 1}", 1, 6),
            ("01", 1, 2),
            ("1.", 1, 3),
            ("tru", 1, 1),
            ("\"a\nb\"", 1, 3),
            ("\"\\x\"", 1, 2),
            ("\"é", 1, 2),
            ("1 1", 1, 3),
            ("{'a':1}", 1, 2),
        ] {
            assert_eq!(read(json), Err(SyntaxError { line, column }), "{json}");
        }
        assert!(read(&"[".repeat(100_000)).is_err());
    }

    #[test]
    fn of_fields_of_one_name_the_last_counts() {
        let Ok(Json::Object(fields)) = read(r#"{"a":1,"a":2}"#) else { panic!("it is an object") };
        assert_eq!(field(&fields, "a"), Some(&Json::Number("2".into())));
        assert_eq!(field(&fields, "b"), None);
    }

    fn value() -> impl Strategy<Value = Json> {
        let leaf = prop_oneof![
            Just(Json::Null),
            any::<bool>().prop_map(Json::Bool),
            any::<i64>().prop_map(|number| Json::Number(number.to_string())),
            ".{0,12}".prop_map(Json::Text),
        ];
        leaf.prop_recursive(4, 32, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Json::List),
                prop::collection::vec((".{0,6}", inner), 0..6).prop_map(Json::Object),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(value in value()) {
            prop_assert_eq!(read(&value.to_line()), Ok(value));
        }

        #[test]
        fn any_text_is_read_without_a_panic(text in "[\\[\\]{}\",:0-9eE.\\\\u+a-f \n-]{0,40}") {
            let _ = read(&text);
        }
    }
}
