//! Reading what the documents need of Markdown: sections, tables, fenced blocks, links.

/// The section under the heading of that name, up to the next heading of its level.
pub fn section<'a>(text: &'a str, name: &str) -> &'a str {
    let heading = format!("\n## {name}\n");
    let (_, after) = text.split_once(&heading).unwrap_or_else(|| panic!("there is a section {name}"));
    after.split("\n## ").next().unwrap_or_default()
}

/// The rows, as trimmed cells, of the first table whose first column has that name.
pub fn rows(text: &str, first_column: &str) -> Vec<Vec<String>> {
    let mut lines =
        text.lines().skip_while(|line| cells(line).first().map(String::as_str) != Some(first_column));
    let columns = cells(lines.next().unwrap_or_default()).len();
    assert!(columns > 1, "there is a table that begins with {first_column}");
    let body: Vec<Vec<String>> = lines.skip(1).take_while(|line| line.starts_with('|')).map(cells).collect();
    assert!(body.iter().all(|row| row.len() == columns), "every row of {first_column} has {columns} cells");
    body
}

/// The rows of all tables whose first column has that name.
pub fn all_rows(text: &str, first_column: &str) -> Vec<Vec<String>> {
    let lines: Vec<&str> = text.lines().collect();
    let begins = |line: &str| cells(line).first().map(String::as_str) == Some(first_column);
    let tables = (0..lines.len()).filter(|at| begins(lines[*at]));
    tables.flat_map(|at| rows(&lines[at..].join("\n"), first_column)).collect()
}

fn cells(line: &str) -> Vec<String> {
    let Some(inside) = line.trim().strip_prefix('|').and_then(|line| line.strip_suffix('|')) else {
        return Vec::new();
    };
    inside.split('|').map(|cell| cell.trim().to_owned()).collect()
}

/// What stands in backticks, if that is all there is.
pub fn code(cell: &str) -> Option<String> {
    let inside = cell.strip_prefix('`')?.strip_suffix('`')?;
    (!inside.contains('`')).then(|| inside.to_owned())
}

/// Everything that stands in backticks, in order.
pub fn codes(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The blocks fenced as `language`.
pub fn fenced<'a>(text: &'a str, language: &str) -> Vec<&'a str> {
    let start = format!("\n```{language}\n");
    text.split(start.as_str()).skip(1).filter_map(|rest| rest.split("\n```").next()).collect()
}

/// Where links and pictures lead, outside fenced blocks.
pub fn links(text: &str) -> impl Iterator<Item = &str> {
    let prose = text.split("\n```").step_by(2);
    prose.flat_map(|part| part.split("](").skip(1)).filter_map(|rest| rest.split(')').next())
}

/// The anchor of a heading, as GitHub makes it.
pub fn anchor(heading: &str) -> String {
    let words = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = words.chars().filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter));
    kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect()
}

#[test]
fn sections_tables_blocks_and_links_are_read() {
    let text = "# T\n\n## A\n| x | y |\n| --- | --- |\n| `1` | two |\n\n```json\n{}\n[a](b)\n```\n[c](d#e)\n\n## B c!\n| x | y |\n";
    assert_eq!(rows(section(text, "A"), "x"), [["`1`", "two"]]);
    let two = "| x | y |\n| --- | --- |\n| a | b |\n\n### more\n\n| x | y |\n| --- | --- |\n| c | d |\n";
    assert_eq!(all_rows(two, "x"), [["a", "b"], ["c", "d"]]);
    assert_eq!((code("`1`"), code("`1`, `2`"), code("two")), (Some("1".to_owned()), None, None));
    assert_eq!(fenced(text, "json"), ["{}\n[a](b)"]);
    assert_eq!(links(text).collect::<Vec<_>>(), ["d#e"]);
    assert_eq!(anchor("## B c!"), "b-c");
}
