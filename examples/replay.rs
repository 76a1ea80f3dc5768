//! Runs a scenario file without a page and prints what the model says.
//!
//! `replay FILE.json [--until SECONDS] [--every SECONDS] [--format json|csv|promtool] [--out DIR]`

use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use queue_lab::app::notice::{self, Notice};
use queue_lab::app::{export, promtool, replay};
use queue_lab::json::Json;
use queue_lab::lesson::scenario_file::{self, ScenarioFile};
use queue_lab::model::decimal::{self, Decimal};
use queue_lab::model::scenario::Scenario;
use queue_lab::model::time::{Instant, LAST_INSTANT, Span};
use queue_lab::narrate::locale::Locale;

const USAGE: &str = "replay FILE.json [--until SECONDS] [--every SECONDS] [--format json|csv|promtool] [--out DIR]\n\
    Runs a scenario file and prints a snapshot every so many model seconds,\n\
    or writes a unit test of its alert rules for promtool.\n\
    --until   where to stop; without it, where the file says, or 60\n\
    --every   seconds between snapshots; without it, 1\n\
    --format  json (one object a line), csv or promtool; without it, json\n\
    --out     the folder for what --format promtool writes: alerts.yml and test.yml";

struct Options {
    file: String,
    until: Option<Instant>,
    every: Span,
    format: Format,
    out: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Json,
    Csv,
    Promtool,
}

fn main() -> ExitCode {
    if std::env::args().skip(1).any(|argument| argument == "--help" || argument == "-h") {
        println!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    match options(std::env::args().skip(1)).and_then(|options| run(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn options(mut arguments: impl Iterator<Item = String>) -> Result<Options, String> {
    let mut options = Options {
        file: String::new(),
        until: None,
        every: Span::from_seconds(1),
        format: Format::Json,
        out: None,
    };
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value.\n{USAGE}"));
        match argument.as_str() {
            "--until" => options.until = Some(Instant::START + seconds("--until", &value()?)?),
            "--every" => options.every = seconds("--every", &value()?)?,
            "--format" => options.format = format(&value()?)?,
            "--out" => options.out = Some(value()?),
            flag if flag.starts_with("--") => return Err(format!("{flag} is not known.\n{USAGE}")),
            _ if !options.file.is_empty() => {
                return Err(format!("There are two files: {} and {argument}.", options.file));
            }
            _ => options.file = argument,
        }
    }
    if options.file.is_empty() {
        return Err(USAGE.to_owned());
    }
    if options.out.is_some() != (options.format == Format::Promtool) {
        return Err("--out DIR goes with --format promtool, and that with it.".to_owned());
    }
    if options.every == Span::ZERO {
        return Err("--every: 0 would never end. Give at least 0.000001.".to_owned());
    }
    Ok(options)
}

fn format(text: &str) -> Result<Format, String> {
    match text {
        "json" => Ok(Format::Json),
        "csv" => Ok(Format::Csv),
        "promtool" => Ok(Format::Promtool),
        other => Err(format!("--format: “{other}” is none of json, csv, promtool.")),
    }
}

fn seconds(name: &str, text: &str) -> Result<Span, String> {
    match decimal::read(text, 6) {
        Some(Decimal::Exact(micros) | Decimal::Rounded(micros)) if micros <= LAST_INSTANT.micros() => {
            Ok(Span::from_micros(micros))
        }
        _ => Err(format!("{name}: “{text}” is not a number of seconds from 0 to {LAST_INSTANT}.")),
    }
}

fn run(options: &Options) -> Result<(), String> {
    let text =
        std::fs::read_to_string(&options.file).map_err(|error| format!("{}: {error}.", options.file))?;
    let (file, notices) = scenario_file::read(&text);
    let locale = Locale::english();
    for found in notices {
        eprintln!("{}", notice::text(&Notice::File(options.file.clone(), found), &locale));
    }
    let file = file.ok_or_else(|| format!("{} was not run.", options.file))?;
    if let Some(folder) = &options.out {
        return write_unit_test(file, options, Path::new(folder));
    }
    let scenario = file.scenario;
    // A closed pipe, as with `head`, is no error of ours.
    match print(scenario, options) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(format!("Printing failed: {error}.")),
        _ => Ok(()),
    }
}

fn write_unit_test(file: ScenarioFile, options: &Options, folder: &Path) -> Result<(), String> {
    let title = file.title.unwrap_or_else(|| options.file.clone());
    let exported = promtool::export(file.scenario, &title, options.until)
        .map_err(|reason| format!("{}: {}", options.file, reason.sentence()))?;
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}.", folder.display()))?;
    for (name, text) in [(promtool::RULES_FILE, exported.rules), ("test.yml", exported.test)] {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(|error| format!("{}: {error}.", path.display()))?;
    }
    Ok(())
}

fn print(scenario: Scenario, options: &Options) -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    let is_csv = options.format == Format::Csv;
    if is_csv {
        writeln!(out, "{}", export::csv_header())?;
    }
    replay::replay(scenario, options.until, options.every, |simulation| {
        let record = export::record(simulation);
        match is_csv {
            true => writeln!(out, "{}", export::csv_line(&record)),
            false => writeln!(out, "{}", Json::Object(record).to_line()),
        }
    })?;
    out.flush()
}
