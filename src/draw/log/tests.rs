//! What holds for every picture of a log.

use proptest::prelude::*;

use super::super::log_samples::{self, LogRecipe};
use super::super::palette::Role;
use super::super::scale::Scale;
use super::super::scene::{Motion, Scene, SceneOptions, WIDE_FROM};
use super::super::shape::Shape;
use super::super::tests::{WIDTHS, check_texts, painted};
use super::labels::{LaneGroupWords, LaneWords, LogLabels};
use super::{Form, Standing, scene, shown, standing};
use crate::model::consumer_status::PartitionStatus;
use crate::model::snapshot::network::{LaneSnapshot, PartitionSnapshot};
use crate::model::snapshot::{ConsumerHealth, Snapshot};
use crate::model::time::Span;

fn of(snapshot: &Snapshot, labels: &LogLabels, width_css: f64, motion: Motion) -> Scene {
    scene(snapshot, labels, SceneOptions { width_css, motion, ..SceneOptions::default() })
}

fn check(snapshot: &Snapshot, labels: &LogLabels, width: f64, name: &str) {
    for motion in [Motion::Full, Motion::Reduced] {
        let scene = of(snapshot, labels, width, motion);
        let highest = if width < WIDE_FROM { 180.0 } else { 380.0 };
        assert!(scene.height_css <= highest, "{name} at {width}: {} px high", scene.height_css);
        for ratio in [1.0, 1.25, 3.0] {
            let drawn = painted(&scene, Scale::canvas(ratio));
            assert_eq!((drawn.pixels, drawn.measured.get()), (0, 0), "{name}: no pixels, no measuring");
            let outside = drawn.outside();
            assert!(outside <= 4, "{name} at {width} x {ratio}: {outside} units outside");
        }
        check_texts(&scene, name);
        let sizes = scene.shapes.iter().filter_map(|shape| match shape {
            Shape::Text(text) => Some(text.size),
            _ => None,
        });
        assert!(sizes.fold(99.0, f64::min) >= 12.0, "{name}: no text is smaller than 12 px");
    }
}

fn long(labels: &LogLabels) -> LogLabels {
    let longer = |text: &String| match text.as_str() {
        "" => String::new(),
        text => format!("{text} Überlastungsschutzverordnung"),
    };
    let group = |words: &LaneGroupWords| LaneGroupWords {
        committed: longer(&words.committed),
        reader: longer(&words.reader),
        lag: longer(&words.lag),
        lag_alone: longer(&words.lag_alone),
        trouble: longer(&words.trouble),
        line: longer(&words.line),
        line_short: longer(&words.line_short),
        attempts: longer(&words.attempts),
    };
    let lane = |words: &LaneWords| LaneWords {
        name: longer(&words.name),
        start: longer(&words.start),
        end: longer(&words.end),
        groups: words.groups.iter().map(group).collect(),
    };
    LogLabels {
        shown: labels.shown.clone(),
        topic: longer(&labels.topic),
        topic_detail: longer(&labels.topic_detail),
        groups_detail: longer(&labels.groups_detail),
        groups_short: longer(&labels.groups_short),
        broker_trouble: longer(&"down".to_owned()),
        scale: longer(&labels.scale),
        lanes: labels.lanes.iter().map(lane).collect(),
        strip: longer(&labels.strip),
        dead_letters: labels.dead_letters.each_ref().map(longer),
        retries: labels.retries.each_ref().map(longer),
        after_attempts: longer(&labels.after_attempts),
        strip_ends: [longer(&labels.strip_ends[0]), longer(&labels.strip_ends[1])],
    }
}

#[test]
fn everything_stays_inside_and_no_text_lies_on_another() {
    for (name, recipe) in log_samples::ALL {
        for width in WIDTHS {
            let (snapshot, labels) = (recipe.snapshot(), recipe.labels(width));
            check(&snapshot, &labels, width, name);
            check(&snapshot, &long(&labels), width, name);
        }
    }
}

#[test]
fn without_motion_nothing_depends_on_when_a_record_came() {
    for (name, recipe) in log_samples::ALL {
        for width in WIDTHS {
            let at = |newest_millis| {
                let recipe = LogRecipe { newest_millis, ..recipe };
                of(&recipe.snapshot(), &recipe.labels(width), width, Motion::Reduced)
            };
            assert_eq!(at(0), at(900), "{name} at {width}");
        }
    }
}

/// Where the boxes of unread records are, from the left.
fn newest_x(newest_millis: u64) -> f64 {
    let recipe = LogRecipe { newest_millis, ..log_samples::ONE_LANE };
    let scene = of(&recipe.snapshot(), &recipe.labels(924.0), 924.0, Motion::Full);
    let waiting = scene.shapes.iter().filter_map(|shape| match shape {
        Shape::Bar { area, ink } if ink.role == Role::Waiting => Some(area.x),
        _ => None,
    });
    waiting.fold(0.0, f64::max)
}

#[test]
fn while_time_stands_still_every_record_is_in_its_place() {
    let of = |newest_millis, is_running| {
        let recipe = LogRecipe { newest_millis, ..log_samples::ONE_LANE };
        let options = SceneOptions { width_css: 924.0, is_running, ..SceneOptions::default() };
        scene(&recipe.snapshot(), &recipe.labels(924.0), options)
    };
    assert_eq!(of(0, false), of(900, false));
    assert_ne!(of(0, true), of(0, false));
}

#[test]
fn a_new_record_comes_from_the_right_and_then_stays() {
    let (first, later, there) = (newest_x(0), newest_x(70), newest_x(900));
    assert!(first > later && later > there, "{first} {later} {there}");
    assert!((newest_x(150) - there).abs() < 1e-9, "it is there at once");
}

fn cells_of(role: Role, snapshot: &Snapshot) -> usize {
    let scene = of(snapshot, &log_samples::words(snapshot, 924.0), 924.0, Motion::Reduced);
    let is_it = |shape: &&Shape| matches!(shape, Shape::Bar { ink, .. } if ink.role == role);
    scene.shapes.iter().filter(is_it).count()
}

#[test]
fn every_record_in_sight_has_one_cell_and_poison_a_triangle_instead() {
    let mut snapshot = log_samples::ONE_LANE.snapshot();
    snapshot.network.topics[0].partitions[0].log_end = 20;
    let lane = &mut snapshot.network.groups[0].partitions[0];
    (lane.committed, lane.head, lane.position, lane.in_hand, lane.lag) = (Some(14), 14, Some(14), 0, 6);
    assert_eq!((cells_of(Role::Kept, &snapshot), cells_of(Role::Waiting, &snapshot)), (14, 6));
    let lane = &mut snapshot.network.groups[0].partitions[0];
    (lane.poison, lane.head_fails) = (0b10_0001, true);
    assert_eq!(cells_of(Role::Waiting, &snapshot), 4);
    let scene = of(&snapshot, &log_samples::words(&snapshot, 924.0), 924.0, Motion::Reduced);
    let is_triangle = |shape: &&Shape| matches!(shape, Shape::Triangle { .. });
    // The first is drawn small with the cells, and in its size upon them.
    assert_eq!(scene.shapes.iter().filter(is_triangle).count(), 3);
}

#[test]
fn nothing_but_poison_and_dead_letters_is_a_triangle() {
    for (name, recipe) in log_samples::ALL {
        let mut snapshot = recipe.snapshot();
        snapshot
            .network
            .groups
            .iter_mut()
            .flat_map(|group| &mut group.partitions)
            .for_each(|lane| (lane.poison, lane.head_fails) = (0, false));
        snapshot.network.topics.iter_mut().for_each(|topic| topic.not_sent_back = 0);
        for width in WIDTHS {
            let scene = of(&snapshot, &recipe.labels(width), width, Motion::Full);
            let triangle = |shape: &&Shape| matches!(shape, Shape::Triangle { .. });
            assert_eq!(scene.shapes.iter().find(triangle), None, "{name} at {width}");
        }
    }
}

#[test]
fn a_flag_stands_before_the_first_record_that_is_not_committed() {
    let pole_x = |committed: u64| {
        let mut snapshot = log_samples::ONE_LANE.snapshot();
        let lane = &mut snapshot.network.groups[0].partitions[0];
        (lane.committed, lane.head, lane.position) = (Some(committed), committed, Some(committed));
        (lane.in_hand, lane.lag) = (0, 22 - committed);
        let scene = of(&snapshot, &log_samples::words(&snapshot, 924.0), 924.0, Motion::Reduced);
        let pole = scene.shapes.iter().find_map(|shape| match shape {
            Shape::Bar { area, ink } if ink.role == Role::Consumer => Some(area.x),
            _ => None,
        });
        pole.expect("a flag")
    };
    assert!((pole_x(10) - pole_x(4) - 6.0 * 19.0).abs() < 1e-9, "six cells of 19 px");
}

#[test]
fn many_partitions_name_the_worst_and_few_all() {
    let shown_of = |recipe: &LogRecipe, width| shown(&recipe.snapshot(), width).expect("a topic");
    let many = shown_of(&log_samples::MANY, 924.0);
    assert_eq!((many.form, many.lanes.len()), (Form::Strip, 4));
    assert_eq!(many.lanes[..2], [0, 1], "those that do not move on come before greater lags");
    assert_eq!(many.lanes[2], 2, "then the greatest lag");
    assert_eq!(shown_of(&log_samples::TWELVE, 924.0).lanes, (0..12).collect::<Vec<_>>());
    assert_eq!(shown_of(&log_samples::TWELVE, 320.0).form, Form::Strip);
    assert_eq!(
        (shown_of(&log_samples::STUCK, 924.0).top, shown_of(&log_samples::FAR_BEHIND, 924.0).top),
        (None, Some(50_000))
    );
}

#[test]
fn a_group_that_does_not_move_on_is_told_from_a_slow_one() {
    let base = log_samples::STUCK.snapshot().network.groups[0].partitions[0];
    let of = |change: fn(&mut LaneSnapshot)| {
        let mut lane = base;
        change(&mut lane);
        standing(&lane)
    };
    assert_eq!(of(|_| {}), Standing::Moves);
    assert_eq!(of(|lane| lane.reader = None), Standing::NotRead);
    assert_eq!(of(|lane| lane.is_stopped = true), Standing::Stopped);
    let dead = ConsumerHealth::Crashed;
    assert_eq!(of(|lane| lane.reader_health = Some(ConsumerHealth::Crashed)), Standing::ReaderIs(dead));
    assert_eq!(
        of(|lane| lane.head_fails = true),
        Standing::Moves,
        "tried for the first time, it has not failed"
    );
    assert_eq!(of(|lane| (lane.head_fails, lane.head_attempts) = (true, 2)), Standing::Stuck);
    let lingers = of(|lane| lane.status = PartitionStatus::Stall);
    assert!(lingers == Standing::Lingers && lingers.is_well(), "nothing fails there");
    assert_eq!(
        of(|lane| (lane.poison, lane.head_attempts) = (2, 2)),
        Standing::Moves,
        "poison lies behind it"
    );
    assert_eq!(of(|lane| (lane.reader, lane.lag) = (None, 0)), Standing::Moves, "there is nothing to read");
}

#[test]
fn without_a_topic_there_is_only_paper() {
    let mut snapshot = log_samples::ONE_LANE.snapshot();
    snapshot.network.topics.clear();
    assert_eq!(of(&snapshot, &log_samples::words(&snapshot, 924.0), 924.0, Motion::Full).shapes, []);
}

fn any_offset() -> impl Strategy<Value = u64> {
    prop_oneof![0..60_u64, Just(0), 0..10_000_000_u64, Just(u64::MAX / 4)]
}

fn any_partition() -> impl Strategy<Value = (PartitionSnapshot, LaneSnapshot)> {
    let offsets = (any_offset(), any_offset(), any_offset(), 0..3_u64);
    let lane = (any::<bool>(), any::<bool>(), any::<u32>(), any::<u32>(), any::<u8>());
    (offsets, lane).prop_map(
        |((start, length, behind, in_hand), (has_reader, has_begun, poison, attempts, health))| {
            let log_end = start.saturating_add(length);
            let committed = has_begun.then(|| log_end.saturating_sub(behind));
            let lane = LaneSnapshot {
                committed,
                position: has_reader.then(|| committed.unwrap_or_default().saturating_add(in_hand)),
                lag: committed.map_or(0, |committed| log_end - committed),
                reader: has_reader.then_some(u64::from(health)),
                reader_health: Some(if health % 3 == 0 { ConsumerHealth::Hung } else { ConsumerHealth::Up }),
                in_hand,
                head: committed.unwrap_or_default().max(start),
                head_attempts: attempts,
                head_fails: poison % 2 == 1,
                poison,
                oldest_unfinished: None,
                paused_for: None,
                ..log_samples::STUCK.snapshot().network.groups[0].partitions[0]
            };
            (PartitionSnapshot { log_start: start, log_end, newest_at: None, came_recently: 0 }, lane)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_log_stays_inside_the_picture(
        partitions in prop::collection::vec(any_partition(), 1..20),
        two_groups in any::<bool>(),
        newest_millis in 0..200_u64,
        width in 0..9_usize,
    ) {
        let mut snapshot = log_samples::ONE_LANE.snapshot();
        let newest_at = Some(snapshot.at - Span::from_millis(newest_millis));
        let with_time = |(partition, _): &(PartitionSnapshot, LaneSnapshot)| PartitionSnapshot { newest_at, ..*partition };
        snapshot.network.topics[0].partitions = partitions.iter().map(with_time).collect();
        let group = &mut snapshot.network.groups[0];
        group.partitions = partitions.iter().map(|(_, lane)| *lane).collect();
        if two_groups {
            let mut second = group.clone();
            second.partitions.reverse();
            // What another partition's group has committed means nothing beyond this one's end.
            for (lane, partition) in second.partitions.iter_mut().zip(&snapshot.network.topics[0].partitions) {
                lane.committed = lane.committed.map(|committed| committed.min(partition.log_end));
            }
            snapshot.network.groups.push(second);
        }
        let labels = log_samples::words(&snapshot, WIDTHS[width]);
        check(&snapshot, &labels, WIDTHS[width], "any");
    }
}
