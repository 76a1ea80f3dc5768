//! What holds for every picture.

use proptest::prelude::*;

use crate::model::series::{Bucket, Extent, Resolution};
use crate::model::settings::{ArrivalPattern, Bound, OverflowPolicy};
use crate::model::snapshot::{BlockedBy, Snapshot};
use crate::model::time::{Instant, Span};

use super::chart::{ChartKind, ChartMark, ChartModel, ChartRequest, ChartWindow, chart_window, paint_chart};
use super::labels::SceneLabels;
use super::measure::text_width;
use super::paint::paint;
use super::palette::Palette;
use super::recording::Recording;
use super::samples::{self, Recipe};
use super::scale::Scale;
use super::scene::{Motion, Scene, SceneOptions, height_for, scale_top};
use super::shape::{Anchor, Area, Shape};

pub(super) const WIDTHS: [f64; 9] = [240.0, 288.0, 320.0, 360.0, 559.0, 560.0, 700.0, 924.0, 1_280.0];

fn scene(recipe: &Recipe, labels: &SceneLabels, width_css: f64, motion: Motion) -> Scene {
    let options = SceneOptions { width_css, motion, ..SceneOptions::default() };
    Scene::of(&recipe.snapshot(), labels, options)
}

pub(super) fn painted(scene: &Scene, scale: Scale) -> Recording {
    let size = (scale.extent(scene.width_css), scale.extent(scene.height_css));
    let mut backend = Recording::new(size);
    paint(scene, &Palette::LIGHT, scale, &mut backend).expect("a recording never fails");
    backend
}

/// The places of texts; a quarter of the font's size above and below its middle may be touched.
fn text_areas(scene: &Scene) -> Vec<(String, Area)> {
    let texts = scene.shapes.iter().filter_map(|shape| match shape {
        Shape::Text(text) => Some(text),
        _ => None,
    });
    let area = |text: &super::shape::Text| {
        let width = text_width(&text.text, text.size, text.weight);
        let left = match text.anchor {
            Anchor::Start => text.at.x,
            Anchor::Middle => text.at.x - width / 2.0,
            Anchor::End => text.at.x - width,
        };
        Area::new(left, text.at.y - text.size / 2.0, width, text.size)
    };
    texts.map(|text| (text.text.clone(), area(text))).collect()
}

fn overlap(one: &Area, other: &Area) -> bool {
    one.x < other.right() && other.x < one.right() && one.y < other.bottom() && other.y < one.bottom()
}

pub(super) fn check_texts(scene: &Scene, name: &str) {
    let areas = text_areas(scene);
    for (index, (text, area)) in areas.iter().enumerate() {
        let is_inside = area.x >= -0.5 && area.right() <= scene.width_css + 0.5;
        assert!(is_inside, "{name} at {}: {text:?} at {area:?}", scene.width_css);
        assert!(area.y >= 0.0 && area.bottom() <= scene.height_css, "{name}: {text:?} at {area:?}");
        for (other_text, other) in areas.iter().skip(index + 1) {
            let width = scene.width_css;
            assert!(!overlap(area, other), "{name} at {width}: {text:?} lies on {other_text:?}");
        }
    }
}

fn check(recipe: &Recipe, labels: &SceneLabels, width: f64, name: &str) {
    for motion in [Motion::Full, Motion::Reduced] {
        let scene = scene(recipe, labels, width, motion);
        assert!((scene.height_css - height_for(width, &recipe.snapshot())).abs() < f64::EPSILON);
        assert!(scene.height_css <= if width < 560.0 { 180.0 } else { 220.0 });
        for ratio in [1.0, 1.25, 2.0, 3.0] {
            let drawn = painted(&scene, Scale::canvas(ratio));
            assert_eq!(drawn.pixels, 0, "{name}: nothing is drawn pixel by pixel");
            assert_eq!(drawn.measured.get(), 0, "{name}: no text is measured");
            let outside = drawn.outside();
            assert!(outside <= 4, "{name} at {width} x {ratio}: {outside} units outside");
        }
        check_texts(&scene, name);
        let smallest = scene.shapes.iter().filter_map(|shape| match shape {
            Shape::Text(text) => Some(text.size),
            _ => None,
        });
        assert!(smallest.fold(99.0, f64::min) >= 12.0, "{name}: no text is smaller than 12 px");
    }
}

/// Words so long that nothing fits.
fn long(labels: &SceneLabels) -> SceneLabels {
    let longer = |text: &String| {
        if text.is_empty() { String::new() } else { format!("{text} Überlastungsschutzverordnung") }
    };
    SceneLabels {
        producer_name: longer(&labels.producer_name),
        producer_rate: longer(&labels.producer_rate),
        producer_line: longer(&labels.producer_line),
        blocked: longer(&labels.blocked),
        waiting: longer(&labels.waiting),
        waiting_detail: longer(&labels.waiting_detail),
        waiting_detail_short: longer(&labels.waiting_detail_short),
        growth: longer(&labels.growth),
        consumers: longer(&labels.consumers),
        done: longer(&labels.done),
        next: longer(&labels.next),
        lost_at_entrance: longer(&labels.lost_at_entrance),
        lost_at_head: longer(&labels.lost_at_head),
        broker_trouble: longer(&labels.broker_trouble),
        dead_letters: longer(&labels.dead_letters),
        after_attempts: longer(&labels.after_attempts),
        database: longer(&labels.database),
        scale_top: longer(&labels.scale_top),
    }
}

#[test]
fn everything_stays_inside_and_no_text_lies_on_another() {
    for (name, recipe) in samples::ALL {
        for width in WIDTHS {
            let labels = recipe.labels(width);
            check(&recipe, &labels, width, name);
            check(&recipe, &long(&labels), width, name);
        }
    }
}

/// The picture without its colours.
fn colourless(recipe: &Recipe) -> Vec<String> {
    let scene = scene(recipe, &SceneLabels::default(), 924.0, Motion::Full);
    let shapes = scene.shapes.iter().map(|shape| format!("{shape:?}"));
    let roles = super::palette::Role::ALL.map(|role| format!("{role:?}"));
    shapes
        .map(|shape| roles.iter().fold(shape, |shape, role| shape.replace(&format!("role: {role}"), "role")))
        .collect()
}

#[test]
fn colour_is_never_the_only_sign() {
    let rest = samples::GROWING;
    let pairs = [
        ("waiting or free", rest, Recipe { waiting: 41, ..rest }),
        ("busy or idle", rest, Recipe { busy: 2, ..rest }),
        ("stopping", rest, Recipe { stopping: 1, ..rest }),
        ("blocked", Recipe { waiting: 60, ..rest }, samples::BLOCKED),
        ("lost", samples::FULL_AND_DROPPING, Recipe { lost: 0, ..samples::FULL_AND_DROPPING }),
        ("memory alarm", samples::BIG_BAR, Recipe { memory_alarm: true, ..samples::BIG_BAR }),
        ("no bound", rest, Recipe { bound: Bound::None, ..rest }),
        ("poison in line", rest, Recipe { poison: &[(4, 0)], ..rest }),
        ("poison in hand", rest, Recipe { poison_in_hand: 1, ..rest }),
        ("dead letters", rest, Recipe { dead_letters: Some(2), ..rest }),
        ("nothing is sent", rest, Recipe { producer_rate: 0, ..rest }),
    ];
    for (name, one, other) in pairs {
        assert_ne!(colourless(&one), colourless(&other), "{name}");
    }
}

#[test]
fn a_triangle_is_poison_or_a_dead_letter_and_nothing_else() {
    let triangles = |recipe: &Recipe, width| {
        let scene = scene(recipe, &recipe.labels(width), width, Motion::Full);
        scene.shapes.iter().filter(|shape| matches!(shape, Shape::Triangle { .. })).count()
    };
    for width in WIDTHS {
        for (name, recipe) in samples::ALL {
            let is_bar = scale_top(&recipe.snapshot(), width).is_some();
            let in_line = recipe.poison.iter().filter(|(place, _)| *place < recipe.waiting).count();
            // On a bar those that are too near to each other are one.
            let in_line = if is_bar { in_line.min(1) } else { in_line };
            let in_box = recipe.dead_letters.unwrap_or(0).min(2);
            // In line and in hand each is drawn on a larger one, so that it stands out.
            let drawn = 2 * (in_line + usize::from(recipe.poison_in_hand > 0));
            assert_eq!(
                triangles(&recipe, width),
                drawn + usize::try_from(in_box).unwrap_or(2),
                "{name} at {width}"
            );
        }
    }
}

#[test]
fn poison_carries_the_number_of_its_attempts() {
    for (width, recipe) in [(924.0, samples::POISON), (320.0, samples::POISON)] {
        let texts = text_areas(&scene(&recipe, &recipe.labels(width), width, Motion::Full));
        assert!(texts.iter().any(|(text, _)| text == "14"), "{texts:?}");
    }
}

#[test]
fn a_message_reaches_the_queue_at_the_instant_at_which_it_arrives() {
    let door_distance = |gap_done_millionths: u32| {
        let recipe = Recipe { gap_done_millionths, ..samples::GROWING };
        let scene = scene(&recipe, &SceneLabels::default(), 924.0, Motion::Full);
        let queue_left = scene.shapes.iter().find_map(|shape| match shape {
            Shape::Box { area, border: Some(_), .. } => Some(area.x),
            _ => None,
        });
        let nearest = scene.shapes.iter().find_map(|shape| match shape {
            Shape::Dot { center, is_moving: true, .. } => Some(center.x),
            _ => None,
        });
        queue_left.expect("a queue") - nearest.expect("a dot")
    };
    assert!(door_distance(1_000_000).abs() < 1e-9);
    assert!((door_distance(0) - 28.0).abs() < 1e-9);
    assert!((door_distance(500_000) - 14.0).abs() < 1e-9);
}

#[test]
fn reduced_motion_leaves_nothing_that_moves() {
    for (name, recipe) in samples::ALL {
        for width in WIDTHS {
            let scene = scene(&recipe, &recipe.labels(width), width, Motion::Reduced);
            let moving =
                |shape: &&Shape| matches!(shape, Shape::Dot { is_moving: true, .. } | Shape::Sector { .. });
            assert_eq!(scene.shapes.iter().find(moving), None, "{name} at {width}");
        }
    }
}

fn any_recipe() -> impl Strategy<Value = Recipe> {
    let count = prop_oneof![0..300_u64, Just(4_000_000), Just(u64::MAX / 64), 0..4_000_000_u64];
    let bound = prop_oneof![Just(Bound::None), count.clone().prop_map(Bound::Messages)];
    let flags = (any::<bool>(), 0..3_u8, 0..4_usize, 0..3_usize);
    let rates = (0..100_000_u64, 0..100_000_u64, 0..=1_000_000_u32);
    (flags, rates, 0..=128_usize, bound, count.clone(), count).prop_map(
        |((memory_alarm, blocked, policy, arrivals), rates, consumers, bound, waiting, lost)| Recipe {
            at_millis: lost % 1_000_000_007,
            producer_rate: rates.0,
            consumer_rate: rates.1,
            gap_done_millionths: rates.2,
            consumers,
            busy: consumers / 2,
            stopping: consumers / 3,
            bound,
            overflow: OverflowPolicy::ALL[policy],
            waiting,
            done: lost,
            lost,
            held_back: if blocked > 0 { lost } else { 0 },
            blocked_by: [None, Some(BlockedBy::Bound), Some(BlockedBy::MemoryAlarm)][usize::from(blocked)],
            memory_alarm,
            arrivals: ArrivalPattern::ALL[arrivals],
            health: samples::IN_TROUBLE.health,
            poison: if blocked == 0 { samples::NO_DEAD_LETTERS.poison } else { &[] },
            poison_in_hand: u32::from(blocked),
            dead_letters: (policy > 0).then_some(lost),
            database: (policy > 1).then_some(rates.0),
        },
    )
}

fn any_value() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), 0..100_u64, any::<u64>(), Just(u64::MAX)]
}

fn request(
    window: ChartWindow,
    resolution: Resolution,
    width_css: f64,
    marks: &[ChartMark],
) -> ChartRequest<'_> {
    ChartRequest {
        window,
        resolution,
        width_css,
        height_css: 92.0,
        font_width: 1.0,
        marks,
        time_label: &|span| span.to_string(),
        count_label: &|count| count.to_string(),
        span_label: &|span| span.to_string(),
    }
}

fn check_chart(chart: &ChartModel) {
    for ratio in [1.0, 2.0, 3.0] {
        let scale = Scale::canvas(ratio);
        let size = (scale.extent(chart.width_css), scale.extent(chart.height_css));
        let mut backend = Recording::new(size);
        paint_chart(chart, &Palette::DARK, scale, &mut backend).expect("a recording never fails");
        assert_eq!((backend.pixels, backend.measured.get()), (0, 0));
        let outside = backend.outside();
        assert!(outside <= 16, "{outside} units outside");
    }
    assert!(chart.top.is_finite() && chart.top > 0.0 && chart.length > 0.0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_snapshot_stays_inside_the_picture(recipe in any_recipe(), width in 0..9_usize) {
        check(&recipe, &recipe.labels(WIDTHS[width]), WIDTHS[width], "any");
    }

    #[test]
    fn any_series_gives_a_chart_at_once(
        values in prop::collection::vec((any_value(), any_value(), any_value()), 0..400),
        first in prop_oneof![Just(0), any::<u32>().prop_map(u64::from)],
        now in prop_oneof![0..500_u64, any::<u32>().prop_map(u64::from), Just(u64::MAX / 2_000_000)],
        resolution in 0..4_usize,
        width in prop_oneof![Just(0.0), Just(1.0), 2.0..1_000.0, Just(f64::NAN), Just(f64::INFINITY)],
        recipe in any_recipe(),
    ) {
        let resolution = Resolution::ALL[resolution];
        let bucket = |(index, value): (usize, &(u64, u64, u64))| Bucket {
            start: Instant::from_seconds(first) + Span::from_micros(resolution.width().micros() * index as u64),
            waiting: Extent { min: value.0, max: value.1, last: value.2 },
            oldest_age_micros: Extent { min: value.2, max: value.0, last: value.1 },
            lost_total: value.1,
            ..Bucket::default()
        };
        let buckets: Vec<_> = values.iter().enumerate().map(bucket).collect();
        let at = Instant::from_seconds(now);
        let snapshot = Snapshot { at, ..recipe.snapshot() };
        let marks = [ChartMark { at, label: recipe.labels(300.0).waiting }];
        for kind in ChartKind::ALL {
            let request = request(chart_window(at, resolution), resolution, width, &marks);
            check_chart(&ChartModel::of(kind, &buckets, &snapshot, &request));
        }
    }

    #[test]
    fn any_window_gives_a_chart_at_once(from in any::<u64>(), to in any::<u64>(), now in any::<u64>()) {
        let [from, to, now] = [from, to, now].map(Instant::from_micros);
        let snapshot = Snapshot { at: now, ..samples::GROWING.snapshot() };
        let window = ChartWindow { from, to, now };
        for kind in ChartKind::ALL {
            let request = request(window, Resolution::Second, 285.0, &[]);
            check_chart(&ChartModel::of(kind, &samples::GROWING.buckets(), &snapshot, &request));
        }
    }
}

#[test]
fn a_chart_without_room_is_empty_and_no_error() {
    for (width, height) in [(0.0, 0.0), (1.0, 1.0), (1.0, 92.0), (285.0, 1.0), (f64::NAN, f64::NAN)] {
        let window = chart_window(Instant::from_seconds(42), Resolution::Second);
        let request = ChartRequest { height_css: height, ..request(window, Resolution::Second, width, &[]) };
        let recipe = samples::GROWING;
        let chart = ChartModel::of(ChartKind::Waiting, &recipe.buckets(), &recipe.snapshot(), &request);
        let mut backend = Recording::new((4, 4));
        paint_chart(&chart, &Palette::LIGHT, Scale::canvas(1.0), &mut backend).expect("it is no error");
        assert_eq!(backend.shapes, 0, "{width} x {height}");
    }
}

#[test]
fn the_outlook_ends_at_the_bound_when_the_forecast_says_so() {
    let recipe = samples::GROWING;
    let window = chart_window(recipe.snapshot().at, Resolution::Second);
    let request = request(window, Resolution::Second, 285.0, &[]);
    let chart = ChartModel::of(ChartKind::Waiting, &recipe.buckets(), &recipe.snapshot(), &request);
    let corners: Vec<_> = chart.outlook.iter().map(|vertex| (vertex.seconds, vertex.value)).collect();
    assert_eq!(corners, [(42.08, 42.0), (51.08, 60.0), (chart.length, 60.0)]);
    assert_eq!(chart.bound, Some(60.0));
    assert!((chart.top - 60.0).abs() < f64::EPSILON);
}

#[test]
fn a_hundred_thousand_buckets_are_few_corners_on_the_canvas() {
    let bucket = |second: u64| Bucket {
        start: Instant::from_seconds(second),
        waiting: Extent::of(if second == 61_803 { 900 } else { second % 7 }),
        ..Bucket::default()
    };
    let buckets: Vec<_> = (0..100_000).map(bucket).collect();
    let window = ChartWindow {
        from: Instant::START,
        to: Instant::from_seconds(150_000),
        now: Instant::from_seconds(100_000),
    };
    let snapshot = Snapshot { at: window.now, ..samples::AT_REST.snapshot() };
    let request = request(window, Resolution::Second, 285.0, &[]);
    let chart = ChartModel::of(ChartKind::Waiting, &buckets, &snapshot, &request);
    assert!(chart.line.len() < 2_500, "{} corners", chart.line.len());
    assert!(chart.line.iter().any(|vertex| vertex.value >= 900.0), "the peak is seen");
}
