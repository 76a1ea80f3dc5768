//! The picture and the data as files.

use super::message::Request;
use super::picture::{self, CanvasSize};
use super::present;
use super::state::App;
use crate::draw::svg::scene_svg;
use crate::model::routes::GroupIndex;
use crate::model::series::lags::LagBucket;
use crate::model::series::{Bucket, Resolution, Series};
use crate::model::time::{MICROS_PER_SECOND, NEVER};
use crate::narrate::format::Numerals;
use crate::narrate::words;

/// How wide a saved picture is laid out, in CSS pixels: it scales to any width.
const WIDTH_CSS: f64 = 924.0;

/// What can be saved beside the run itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Saved {
    /// The picture as SVG, with its alternative text inside.
    Svg,
    /// The picture as it stands on the page, as PNG.
    Png,
    /// What happened over time, as CSV.
    Data,
}

impl App {
    /// Saves the picture or the data.
    #[inline(never)]
    pub(super) fn save_as(&mut self, what: Saved) {
        let named = |name: &str, text| Some(Request::Save { name: name.to_owned(), text });
        self.request = match what {
            Saved::Svg => self.picture_svg().and_then(|text| named("queue-lab.svg", text)),
            Saved::Png => Some(Request::SavePicture { name: "queue-lab.png".to_owned() }),
            Saved::Data => named("queue-lab.csv", self.data()),
        };
        if self.request.is_some() {
            self.announcer.answer(self.locale.text("share.saved").to_owned());
        }
    }

    /// The picture as an SVG file: the same shapes as on the page, with its name and the sentences of the
    /// page as its title and its description. `None` where it cannot be drawn.
    #[must_use]
    pub fn picture_svg(&self) -> Option<String> {
        let words = picture::words(self, WIDTH_CSS);
        let size = CanvasSize {
            width_css: WIDTH_CSS,
            height_css: picture::height(self, &words, WIDTH_CSS),
            font_width: 1.0,
        };
        let drawn = scene_svg(&picture::scene(self, &words, size), picture::palette(self)).ok()?;
        let (opening, shapes) = drawn.split_once('\n')?;
        let name = escaped(&present::picture_name(self, self.side()));
        let said = escaped(&words::happening(&self.shown, &self.locale, Numerals::Spoken));
        let texts = [&*at_opening(opening), "<title>", &name, "</title>\n<desc>", &said, "</desc>\n", shapes];
        Some(texts.concat())
    }

    /// What happened over time: a row for each bucket, the finest that is held of each time, oldest first.
    #[must_use]
    pub fn data(&self) -> String {
        let simulation = self.run.simulation();
        let names: Vec<String> =
            self.run.snapshot().network.groups.iter().map(|group| group.name.clone()).collect();
        let has_queue = self.side().has_queue();
        let columns: Vec<&Column> =
            COLUMNS.iter().filter(|(name, _)| has_queue || !OF_QUEUES.contains(name)).collect();
        let mut text = columns.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(",");
        text.push_str(",attempts_ended,attempt_seconds_p99");
        for name in &names {
            // A name has letters, digits, - and _: no cell needs quotes.
            text.push_str(
                &[",", name, "_worst_lag_records_max,", name, "_oldest_unfinished_seconds_max"].concat(),
            );
            text.push_str(&[",", name, "_appended_records,", name, "_done_records"].concat());
        }
        text.push('\n');
        for (resolution, bucket) in held(simulation.series()) {
            let mut cells: Vec<String> = columns.iter().map(|(_, cell)| cell(&bucket, resolution)).collect();
            cells.extend(handler_cells(self, resolution, &bucket));
            for place in 0..names.len() {
                cells.extend(lag_cells(self, GroupIndex(place), resolution, &bucket));
                cells.extend(flow_cells(self, GroupIndex(place), resolution, &bucket));
            }
            text.push_str(&cells.join(","));
            text.push('\n');
        }
        text
    }
}

/// The opening tag with what makes the file an image with a name.
fn at_opening(opening: &str) -> String {
    [opening.trim_end_matches('>'), " role=\"img\">\n"].concat()
}

/// The finished buckets, the finest that is held of each time, oldest first.
fn held(series: &Series) -> Vec<(Resolution, Bucket)> {
    let mut all: Vec<(Resolution, Bucket)> = Vec::new();
    for resolution in Resolution::ALL {
        let end = |bucket: &Bucket| bucket.start + resolution.width();
        // Where the finer ones begin within a bucket, they are told from its end on: no time is told
        // twice, and none is missing.
        let until = all.first().map_or(NEVER, |(_, bucket)| bucket.start);
        let split = series.finished(resolution).find(|bucket| bucket.start < until && until < end(bucket));
        let until = split.map_or(until, end);
        all.retain(|(_, finer)| finer.start >= until || until == NEVER);
        let older = series.finished(resolution).filter(|bucket| end(bucket) <= until);
        let older: Vec<(Resolution, Bucket)> = older.map(|bucket| (resolution, *bucket)).collect();
        all.splice(0..0, older);
    }
    all
}

fn lag_cells(app: &App, group: GroupIndex, resolution: Resolution, bucket: &Bucket) -> [String; 2] {
    let lags = app.run.simulation().lags(group);
    let same = |other: &&LagBucket| other.start == bucket.start;
    let found = lags.and_then(|lags| lags.worst().finished(resolution).find(same).copied());
    match found {
        None => [String::new(), String::new()],
        Some(found) => [found.lag.max.to_string(), seconds(found.oldest_micros.max)],
    }
}

/// What was appended to the group's topic, and what it has done.
fn flow_cells(app: &App, group: GroupIndex, resolution: Resolution, bucket: &Bucket) -> [String; 2] {
    let lags = app.run.simulation().lags(group);
    let found = lags.and_then(|lags| lags.flows().finished(resolution).find(|one| one.start == bucket.start));
    found.map_or_else(Default::default, |one| [one.moved.came.to_string(), one.moved.done.to_string()])
}

/// How many attempts ended, and what 99 of 100 of them took at most; nothing where none ended.
fn handler_cells(app: &App, resolution: Resolution, bucket: &Bucket) -> [String; 2] {
    let times = app.run.simulation().handler_times();
    let found = times.finished(resolution).find(|one| one.start == bucket.start);
    let (attempts, p99) = found.map_or((0, None), |one| (one.attempts, Some(one.p99)));
    let p99 = p99.filter(|_| attempts > 0).map_or_else(String::new, |p99| seconds(p99.micros()));
    [attempts.to_string(), p99]
}

type Column = (&'static str, fn(&Bucket, Resolution) -> String);

const COLUMNS: [Column; 18] = [
    ("start_seconds", |bucket, _| bucket.start.to_string()),
    ("length_seconds", |_, resolution| seconds(resolution.width().micros())),
    ("waiting_messages_min", |bucket, _| bucket.waiting.min.to_string()),
    ("waiting_messages_max", |bucket, _| bucket.waiting.max.to_string()),
    ("waiting_messages_end", |bucket, _| bucket.waiting.last.to_string()),
    ("oldest_age_seconds_max", |bucket, _| seconds(bucket.oldest_age_micros.max)),
    ("oldest_age_seconds_end", |bucket, _| seconds(bucket.oldest_age_micros.last)),
    ("offered_messages", |bucket, _| bucket.offered.to_string()),
    ("accepted_messages", |bucket, _| bucket.accepted.to_string()),
    ("done_messages", |bucket, _| bucket.done.to_string()),
    ("done_late_or_wrong_messages", |bucket, _| bucket.flawed.to_string()),
    ("rejected_messages", |bucket, _| bucket.rejected.to_string()),
    ("dropped_messages", |bucket, _| bucket.dropped.to_string()),
    ("rejected_or_dropped_messages_total", |bucket, _| bucket.lost_total.to_string()),
    ("busy_consumer_seconds", |bucket, _| seconds(bucket.busy_micros)),
    ("staffed_consumer_seconds", |bucket, _| seconds(bucket.staffed_micros)),
    ("dead_letters_end", |bucket, _| bucket.dead_letters.to_string()),
    ("repeated_side_effects_total", |bucket, _| bucket.duplicate_side_effects_total.to_string()),
];

/// What is counted at the first queue and the pool that takes from it: a log has neither, and zeros would
/// say that nothing waits and nothing is done.
const OF_QUEUES: [&str; 7] = [
    "waiting_messages_min",
    "waiting_messages_max",
    "waiting_messages_end",
    "oldest_age_seconds_max",
    "oldest_age_seconds_end",
    "done_messages",
    "done_late_or_wrong_messages",
];

/// Microseconds as seconds, with as many decimals as it takes.
fn seconds(micros: u64) -> String {
    let (whole, rest) = (micros / MICROS_PER_SECOND, micros % MICROS_PER_SECOND);
    if rest == 0 {
        return whole.to_string();
    }
    let decimals = format!("{rest:06}");
    [&whole.to_string(), ".", decimals.trim_end_matches('0')].concat()
}

/// A text within an SVG file.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
