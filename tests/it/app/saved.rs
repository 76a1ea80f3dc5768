//! The picture and the data as files.

use queue_lab::app::message::{Msg, Request};
use queue_lab::app::picture::{self, CanvasSize};
use queue_lab::app::saving::Saved;
use queue_lab::draw::svg::scene_svg;

use super::Bench;

impl Bench {
    fn saved(&mut self, what: Saved) -> (String, String) {
        self.send(Msg::SavedAs(what));
        assert!(!self.view().announcement.text.is_empty(), "it is said");
        match self.app.take_request() {
            Some(Request::Save { name, text }) => (name, text),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn the_saved_picture_is_the_drawn_one_with_its_text_inside() {
    for query in ["p=8&c=6&t=20", "view=log&p=8&c=6&t=20"] {
        let mut bench = Bench::open(query);
        let (name, svg) = bench.saved(Saved::Svg);
        assert_eq!(name, "queue-lab.svg");
        let words = picture::words(&bench.app, 924.0);
        let height_css = picture::height(&bench.app, &words, 924.0);
        let size = CanvasSize { width_css: 924.0, height_css, font_width: 1.0 };
        let scene = picture::scene(&bench.app, &words, size);
        let drawn = scene_svg(&scene, picture::palette(&bench.app)).expect("it can be drawn");
        let shapes = drawn.split_once('\n').expect("it has lines").1;
        assert!(svg.ends_with(shapes), "{query}: the same shapes");
        let view = bench.view();
        assert!(svg.contains(&format!("<title>{}</title>", view.picture_name)), "{query}");
        assert!(svg.contains("<desc>") && svg.contains("</desc>") && svg.contains("role=\"img\""));
    }
}

#[test]
fn the_picture_as_it_stands_is_asked_of_the_browser() {
    let mut bench = Bench::open("");
    bench.send(Msg::SavedAs(Saved::Png));
    assert_eq!(bench.app.take_request(), Some(Request::SavePicture { name: "queue-lab.png".to_owned() }));
}

fn columns(text: &str, name: &str) -> Vec<f64> {
    let mut lines = text.lines();
    let heads: Vec<&str> = lines.next().expect("there are heads").split(',').collect();
    let place = heads.iter().position(|head| *head == name).unwrap_or_else(|| panic!("no {name}: {heads:?}"));
    lines.map(|line| line.split(',').nth(place).expect("a cell").parse().expect("a number")).collect()
}

#[test]
fn the_data_are_a_row_for_each_bucket_without_gap_or_overlap() {
    for (seconds, rows) in [(0, 0), (1, 1), (90, 90), (4_000, 1_480)] {
        let mut bench = Bench::open(&format!("p=8&c=6&capacity=60&t={seconds}"));
        let (name, text) = bench.saved(Saved::Data);
        assert_eq!(name, "queue-lab.csv");
        let (starts, lengths) = (columns(&text, "start_seconds"), columns(&text, "length_seconds"));
        assert_eq!(starts.len(), rows, "{seconds} seconds");
        let mut until = 0.0;
        for (start, length) in starts.iter().zip(&lengths) {
            assert!((start - until).abs() < 1e-9, "{seconds}: from {start}, after {until}");
            until = start + length;
        }
        assert!((until - f64::from(seconds)).abs() < 1e-9, "{seconds}: to {until}");
        let offered: f64 = columns(&text, "offered_messages").iter().sum();
        assert!((offered - 8.0 * f64::from(seconds)).abs() < 1.5, "{seconds}: {offered}");
        let most = columns(&text, "waiting_messages_max").into_iter().fold(0.0, f64::max);
        assert!(most <= 60.0 && (seconds < 40 || most >= 59.0), "{seconds}: {most}");
    }
}

#[test]
fn in_a_log_the_data_hold_how_far_each_group_is_behind() {
    let mut bench = Bench::open("view=log&p=8&c=6&t=30");
    let (_, text) = bench.saved(Saved::Data);
    let lag = columns(&text, "billing_worst_lag_records_max");
    let (heads, _) = text.split_once('\n').expect("there are heads");
    for of_queue in ["waiting_messages", "oldest_age", "done_messages"] {
        assert!(!heads.contains(of_queue), "a log has no queue: {heads}");
    }
    let accepted: f64 = columns(&text, "accepted_messages").iter().sum();
    let busy: f64 = columns(&text, "busy_consumer_seconds").iter().sum();
    assert!(accepted > 230.0 && busy > 25.0, "{text}");
    assert!(lag.len() == 30 && lag.last().is_some_and(|lag| (55.0..65.0).contains(lag)), "{lag:?}");
}

/// The states in which the browser's tests compare the page with what is drawn here.
const STATES: &str = include_str!("../../page-pictures.txt");

#[test]
fn the_pictures_of_the_page_are_those_on_file() {
    assert!(STATES.lines().count() >= 12);
    for state in STATES.lines() {
        let (name, query) = state.split_once(' ').expect("a name and a query");
        let mut bench = Bench::open(query);
        assert!(bench.view().notices.is_empty(), "{name}: {:?}", bench.view().notices);
        let (_, svg) = bench.saved(Saved::Svg);
        insta::with_settings!({ snapshot_path => "../snapshots/pages", prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(name, svg);
        });
    }
}
