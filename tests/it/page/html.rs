//! Just enough of an HTML reader for what the page renders.

use std::collections::BTreeMap;

/// An element: its attributes, all text in it, and the elements around it.
#[derive(Debug)]
pub struct Element {
    pub name: String,
    pub attributes: BTreeMap<String, String>,
    pub text: String,
    /// Positions of the elements that contain it, outermost first.
    pub around: Vec<usize>,
}

impl Element {
    pub fn get(&self, attribute: &str) -> Option<&str> {
        self.attributes.get(attribute).map(String::as_str)
    }

    pub fn has_class(&self, class: &str) -> bool {
        self.get("class").is_some_and(|classes| classes.split(' ').any(|one| one == class))
    }
}

/// A page, as its elements in document order.
#[derive(Debug)]
pub struct Page {
    pub elements: Vec<Element>,
}

impl Page {
    pub fn parse(html: &str) -> Self {
        let mut page = Self { elements: Vec::new() };
        let mut open: Vec<usize> = Vec::new();
        for piece in html.split('<').skip(1) {
            let (tag, text) = split_tag(piece);
            if tag.starts_with('/') {
                open.pop();
            } else if !tag.starts_with('!') {
                page.add(tag, &mut open);
            }
            for position in &open {
                page.elements[*position].text.push_str(&unescape(text));
            }
        }
        assert!(open.is_empty(), "every element is closed");
        page
    }

    fn add(&mut self, tag: &str, open: &mut Vec<usize>) {
        let (name, rest) = tag.split_once([' ', '/']).unwrap_or((tag, ""));
        self.elements.push(Element {
            name: name.to_owned(),
            attributes: attributes(rest),
            text: String::new(),
            around: open.clone(),
        });
        if !tag.ends_with('/') && name != "input" {
            open.push(self.elements.len() - 1);
        }
    }

    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Element> {
        self.elements.iter().filter(move |element| element.name == name)
    }

    pub fn by_class<'a>(&'a self, class: &'a str) -> impl Iterator<Item = &'a Element> {
        self.elements.iter().filter(move |element| element.has_class(class))
    }

    pub fn by_id(&self, id: &str) -> Option<&Element> {
        self.elements.iter().find(|element| element.get("id") == Some(id))
    }

    pub fn position(&self, is_it: impl Fn(&Element) -> bool) -> Option<usize> {
        self.elements.iter().position(is_it)
    }

    /// The texts of the elements whose ids an attribute lists.
    pub fn texts_of(&self, ids: &str) -> String {
        let texts = ids.split(' ').map(|id| {
            self.by_id(id).unwrap_or_else(|| panic!("there is no element with id {id}")).text.as_str()
        });
        texts.collect::<Vec<_>>().join(" ")
    }

    /// The name that a screen reader gives a control.
    pub fn name_of(&self, control: &Element) -> String {
        if let Some(ids) = control.get("aria-labelledby") {
            return self.texts_of(ids);
        }
        if let Some(label) = control.get("aria-label") {
            return label.to_owned();
        }
        let around = control.around.iter().filter_map(|position| self.elements.get(*position));
        let around = around.filter(|element| element.name == "label");
        let pointing = self
            .all("label")
            .filter(|label| label.get("for").is_some() && label.get("for") == control.get("id"));
        match around.chain(pointing).next() {
            Some(label) => label.text.clone(),
            None => control.text.clone(),
        }
    }
}

/// Splits `a href="x">text` at the end of the tag, which no quoted `>` is.
fn split_tag(piece: &str) -> (&str, &str) {
    let mut is_quoted = false;
    for (position, letter) in piece.char_indices() {
        match letter {
            '"' => is_quoted = !is_quoted,
            '>' if !is_quoted => return (&piece[..position], &piece[position + 1..]),
            _ => {}
        }
    }
    panic!("a tag has no end: {piece}");
}

fn attributes(text: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut rest = text.trim_matches([' ', '/']);
    while !rest.is_empty() {
        let end = rest.find(['=', ' ']).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        let value = after.strip_prefix("=\"").and_then(|quoted| quoted.split_once('"'));
        let (value, after) = value.unwrap_or(("", after));
        found.insert(name.to_owned(), unescape(value));
        rest = after.trim_start();
    }
    found
}

fn unescape(text: &str) -> String {
    let text = text.replace("&quot;", "\"").replace("&#x27;", "'").replace("&#x2F;", "/");
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}
