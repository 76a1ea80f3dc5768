//! Golden pictures: SVG files that a person has looked at, and the picture that stands in where
//! the page cannot run.

use std::fs;
use std::path::Path;

use queue_lab::draw::chart::{ChartKind, ChartMark, ChartModel, ChartRequest, chart_svg, chart_window};
use queue_lab::draw::log;
use queue_lab::draw::palette::Palette;
use queue_lab::draw::scene::{Scene, SceneOptions};
use queue_lab::draw::svg::scene_svg;
use queue_lab::model::series::Resolution;
use queue_lab::model::time::{Instant, Span};
use queue_lab::{draw, model};

#[expect(dead_code, reason = "unit tests use the rest")]
mod log_samples;
#[expect(dead_code, reason = "unit tests use the rest")]
mod samples;

use log_samples::LogRecipe;
use samples::Recipe;

fn picture(recipe: &Recipe, width_css: f64, palette: &Palette) -> String {
    let options = SceneOptions { width_css, ..SceneOptions::default() };
    let scene = Scene::of(&recipe.snapshot(), &recipe.labels(width_css), options);
    scene_svg(&scene, palette).expect("SVG text never fails")
}

fn log_picture(recipe: &LogRecipe, width_css: f64, palette: &Palette) -> String {
    let options = SceneOptions { width_css, ..SceneOptions::default() };
    let scene = log::scene(&recipe.snapshot(), &recipe.labels(width_css), options);
    scene_svg(&scene, palette).expect("SVG text never fails")
}

fn chart(recipe: &Recipe, kind: ChartKind) -> String {
    let snapshot = recipe.snapshot();
    let marks = [ChartMark { at: Instant::from_seconds(8), label: "P".to_owned() }];
    let request = ChartRequest {
        window: chart_window(snapshot.at, Resolution::Second),
        resolution: Resolution::Second,
        width_css: 285.0,
        height_css: 92.0,
        font_width: 1.0,
        marks: &marks,
        time_label: &|at: Span| {
            let seconds = at.micros() / 1_000_000;
            format!("{}:{:02}", seconds / 60, seconds % 60)
        },
        count_label: &samples::grouped,
        span_label: &|span: Span| format!("{span} s"),
    };
    let chart = ChartModel::of(kind, &recipe.buckets(), &snapshot, &request);
    chart_svg(&chart, &Palette::LIGHT).expect("SVG text never fails")
}

fn compare(name: &str, svg: &str) {
    insta::with_settings!({ snapshot_path => "snapshots/pictures", prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!(name, svg);
    });
}

#[test]
fn wide_pictures_look_as_they_did() {
    for (name, recipe) in [
        ("at_rest", samples::AT_REST),
        ("growing", samples::GROWING),
        ("full_and_dropping", samples::FULL_AND_DROPPING),
        ("blocked", samples::BLOCKED),
        ("big_bar", samples::BIG_BAR),
        ("out_of_memory", samples::OUT_OF_MEMORY),
        ("many_consumers", samples::MANY_CONSUMERS),
        ("stopping", samples::STOPPING),
        ("in_trouble", samples::IN_TROUBLE),
        ("poison", samples::POISON),
        ("dead_letters", samples::DEAD_LETTERS),
    ] {
        compare(&format!("wide_{name}"), &picture(&recipe, 924.0, &Palette::LIGHT));
    }
    compare("dark_growing", &picture(&samples::GROWING, 924.0, &Palette::DARK));
}

#[test]
fn narrow_pictures_look_as_they_did() {
    for (name, recipe) in [
        ("growing", samples::GROWING),
        ("blocked", samples::BLOCKED),
        ("dropping_oldest", samples::DROPPING_OLDEST),
        ("many_consumers", samples::MANY_CONSUMERS),
        ("big_bar", samples::BIG_BAR),
        ("poison", samples::POISON),
        ("dead_letters", samples::DEAD_LETTERS),
    ] {
        compare(&format!("narrow_{name}"), &picture(&recipe, 316.0, &Palette::LIGHT));
    }
}

#[test]
fn pictures_of_logs_look_as_they_did() {
    for (name, recipe) in [
        ("one_lane", log_samples::ONE_LANE),
        ("stuck", log_samples::STUCK),
        ("moved_on", log_samples::MOVED_ON),
        ("two_groups", log_samples::TWO_GROUPS),
        ("far_behind", log_samples::FAR_BEHIND),
        ("twelve", log_samples::TWELVE),
        ("many", log_samples::MANY),
        ("dead_letters", log_samples::DEAD_LETTERS),
        ("retry_topic", log_samples::RETRY_TOPIC),
    ] {
        compare(&format!("log_wide_{name}"), &log_picture(&recipe, 924.0, &Palette::LIGHT));
    }
    compare("log_dark_stuck", &log_picture(&log_samples::STUCK, 924.0, &Palette::DARK));
    compare("log_dark_two_groups", &log_picture(&log_samples::TWO_GROUPS, 924.0, &Palette::DARK));
}

#[test]
fn narrow_pictures_of_logs_look_as_they_did() {
    for (name, recipe) in [
        ("one_lane", log_samples::ONE_LANE),
        ("stuck", log_samples::STUCK),
        ("two_groups", log_samples::TWO_GROUPS),
        ("far_behind", log_samples::FAR_BEHIND),
        ("many", log_samples::MANY),
        ("dead_letters", log_samples::DEAD_LETTERS),
        ("four_and_dead_letters", log_samples::FOUR_AND_DEAD_LETTERS),
    ] {
        compare(&format!("log_narrow_{name}"), &log_picture(&recipe, 316.0, &Palette::LIGHT));
    }
}

#[test]
fn charts_look_as_they_did() {
    for (name, kind) in
        [("waiting", ChartKind::Waiting), ("oldest_age", ChartKind::OldestAge), ("lost", ChartKind::Lost)]
    {
        compare(&format!("chart_growing_{name}"), &chart(&samples::GROWING, kind));
        compare(&format!("chart_dropping_{name}"), &chart(&samples::FULL_AND_DROPPING, kind));
    }
}

/// With `QUEUE_LAB_UPDATE=1` in the environment the file is written, otherwise compared.
#[test]
fn the_fallback_picture_is_up_to_date_and_stands_alone() {
    let svg = picture(&samples::GROWING_BY_DEFAULT, 924.0, &Palette::LIGHT);
    for forbidden in ["style", "<script", "href", "url(", "data:"] {
        assert!(!svg.contains(forbidden), "{forbidden} would need more than the file, or leave");
    }
    assert!(svg.contains("viewBox") && svg.contains("width=\"100%\""));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("static/fallback.svg");
    if std::env::var_os("QUEUE_LAB_UPDATE").is_some_and(|value| value == "1") {
        fs::write(&path, &svg).expect("static/ can be written");
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == svg, "static/fallback.svg is out of date: run the tests with QUEUE_LAB_UPDATE=1");
}
