//! Tracing a message: which one is picked, and its journey up to the instant that is shown.

use super::log_view::Side;
use super::message::PointedAt;
use super::picture::{self, CanvasSize};
use super::state::App;
use super::view::{TraceLine, TracePick, TracePicks, TraceView};
use crate::draw::log;
use crate::draw::target::Target;
use crate::model::broker::QueueIndex;
use crate::model::message::MessageId;
use crate::model::routes::{GroupIndex, TopicIndex};
use crate::model::snapshot::Snapshot;
use crate::model::timeline::Progress;
use crate::model::trace::{TraceStep, Tracer, What};
use crate::narrate::format::{self, Numerals};
use crate::narrate::locale::{Field, Locale};
use crate::narrate::trace::{
    Whereabouts, line, loss_line, names_who, precise_clock, team, whereabouts, whereabouts_line,
};

/// Real time of a frame after which a journey is followed no further, in milliseconds from its start.
const WORK_MILLIS: f64 = 12.0;
/// Events between two looks at the clock.
const EVENTS_PER_SLICE: u64 = 500;
/// What lies so many events behind the nearest instant that is remembered is not followed again.
const EVENTS_MAX: u64 = 4_000_000;
/// How many messages of each kind are on offer.
const PICKS_MAX: usize = 8;
/// How many lines of a journey are shown, the last ones.
const LINES_MAX: usize = 200;

/// What a person is tracing.
#[derive(Clone, Debug, Default)]
pub(super) struct Trace {
    /// Whether "Trace a message" is open.
    pub is_open: bool,
    picked: Option<Picked>,
    /// What was wrong with the number typed last.
    problem: Option<String>,
    /// The messages on offer. They stand still while the run goes on, so that they can be pressed.
    picks: Picks,
}

#[derive(Clone, Debug)]
struct Picked {
    producer: usize,
    number: u64,
    /// None: its journey is too far away, or it is not offered where the run stands.
    tracer: Option<Tracer>,
    is_behind: bool,
    is_too_far: bool,
    /// It was picked just now: where it is has yet to be said.
    is_new: bool,
}

impl App {
    /// A message was picked, by the place of its producer and its number there.
    #[inline(never)]
    pub(super) fn pick(&mut self, producer: usize, number: u64) {
        self.trace.problem = None;
        let picked =
            Picked { producer, number, tracer: None, is_behind: true, is_too_far: false, is_new: true };
        self.trace.picked = Some(picked);
    }

    /// The picture was pointed at: the message there is picked, if there is one.
    #[inline(never)]
    pub(super) fn pick_at(&mut self, at: PointedAt) {
        let zoom = picture::zoom(self, f64::from(at.width));
        let size = CanvasSize {
            width_css: f64::from(at.width) / zoom,
            height_css: 0.0,
            font_width: f64::from(at.font_thousandths) / 1_000.0,
        };
        let target = picture::target(self, size, (f64::from(at.x) / zoom, f64::from(at.y) / zoom));
        match target.and_then(|target| self.message_at(target)) {
            Some(id) => self.pick(usize::from(id.producer_index()), id.number()),
            None => self.announcer.answer(self.locale.text("trace.nothing_there").to_owned()),
        }
    }

    pub(super) fn message_at(&self, target: Target) -> Option<MessageId> {
        let (simulation, snapshot) = (self.run.simulation(), self.run.snapshot());
        match target {
            Target::InLine(before) => {
                simulation.broker().queue(QueueIndex(0)).ready().iter().nth(before).map(|message| message.id)
            }
            Target::AtConsumer(place) => simulation.held_by(place),
            Target::Record { partition, offset } => {
                let topic = log::shown(snapshot, 0.0)?.topic;
                record_at(self, TopicIndex(topic), partition, offset)
            }
        }
    }

    /// A number was typed: of a message of the first producer.
    #[inline(never)]
    pub(super) fn pick_by_entry(&mut self, text: &str) {
        let last = self.run.simulation().presented(0);
        let digits: String = text.chars().filter(|letter| !matches!(letter, ',' | ' ')).collect();
        let fields = |number| [("number", Field::Count(number)), ("last", Field::Count(last))];
        match digits.parse::<u64>() {
            Ok(number) if (1..=last).contains(&number) => self.pick(0, number),
            Ok(_) if last == 0 => self.refuse_pick(self.locale.text("trace.no_message").to_owned()),
            Ok(number) => self.refuse_pick(self.locale.format("trace.unknown", &fields(number))),
            Err(_) => self.refuse_pick(self.locale.text("trace.not_a_number").to_owned()),
        }
    }

    fn refuse_pick(&mut self, problem: String) {
        self.announcer.answer(problem.clone());
        self.trace.problem = Some(problem);
    }

    /// "Trace a message" was opened or closed.
    pub(super) fn open_trace(&mut self, is_open: bool) {
        self.trace.is_open = is_open;
        self.renew_picks();
    }

    /// The messages on offer are those at hand now.
    #[inline(never)]
    pub(super) fn renew_picks(&mut self) {
        self.trace.picks = match self.side() {
            _ if !self.trace.is_open => Picks::new(),
            Side::Queue => of_queue(self),
            Side::Log => of_log(self),
            Side::Both => of_queue(self).into_iter().chain(of_log(self)).collect(),
        };
    }

    /// The run starts anew: the journey is to be found in that, and what is on offer and was refused was
    /// of the other one.
    #[inline(never)]
    pub(super) fn forget_journey(&mut self) {
        self.trace.problem = None;
        self.renew_picks();
        if let Some(picked) = &mut self.trace.picked {
            (picked.tracer, picked.is_too_far) = (None, false);
        }
    }

    /// Whether a journey has yet to be followed to the instant that is shown.
    pub(super) fn has_to_trace(&self) -> bool {
        self.is_journey_open() && self.trace.picked.as_ref().is_some_and(|picked| picked.is_behind)
    }

    /// Whether a message is picked, be its journey on the page or not.
    pub(super) const fn has_picked(&self) -> bool {
        self.trace.picked.is_some()
    }

    /// The message whose journey is on the page.
    pub(super) fn traced(&self) -> Option<MessageId> {
        let picked = self.trace.picked.as_ref().filter(|_| self.is_journey_open())?;
        self.run.simulation().id_of(picked.producer, picked.number)
    }

    fn is_journey_open(&self) -> bool {
        self.trace.is_open || self.is_dead_letters_open
    }

    /// Follows the picked message to the instant that is shown, as far as a frame allows.
    pub(super) fn follow_picked(&mut self, elapsed: &mut dyn FnMut() -> f64) {
        if self.trace.is_open && !self.is_playing && self.goal.is_none() {
            self.renew_picks();
        }
        if self.has_picked() && self.is_journey_open() {
            self.follow_on(elapsed);
        }
    }

    #[inline(never)]
    fn follow_on(&mut self, elapsed: &mut dyn FnMut() -> f64) {
        let Some(mut picked) = self.trace.picked.take() else { return };
        let now = self.run.snapshot().at;
        if !self.run.is_at(now) {
            self.trace.picked = Some(picked);
            return;
        }
        let log = self.run.log();
        let stays_too_far = picked.is_too_far && !self.is_in_the_past();
        if !stays_too_far && !picked.tracer.as_ref().is_some_and(|tracer| tracer.belongs_to(log, now)) {
            let found = self.run.trace(picked.producer, picked.number);
            picked.is_too_far = found.as_ref().is_some_and(|(_, events)| *events > EVENTS_MAX);
            picked.tracer = found.filter(|(_, events)| *events <= EVENTS_MAX).map(|(tracer, _)| tracer);
        }
        picked.is_behind = false;
        if let Some(tracer) = &mut picked.tracer {
            while tracer.advance(log, now, EVENTS_PER_SLICE) != Progress::There {
                picked.is_behind = elapsed() > WORK_MILLIS;
                if picked.is_behind {
                    break;
                }
            }
        }
        let said = (picked.is_new && !picked.is_behind).then(|| self.picked_line(&picked));
        picked.is_new &= picked.is_behind;
        self.trace.picked = Some(picked);
        if let Some(said) = said {
            self.announcer.answer(said);
        }
    }

    fn picked_line(&self, picked: &Picked) -> String {
        let text = verdict(self, picked).join(" ");
        let fields = [("number", Field::Count(picked.number)), ("text", Field::Text(&text))];
        self.locale.format("trace.picked", &fields)
    }
}

/// The part of the page, while it is open.
#[inline(never)]
pub(super) fn view(app: &App) -> TraceView {
    let picked = app.trace.picked.as_ref();
    let number = picked.map(|picked| picked.number);
    let title = number.map(|number| app.locale.format("trace.journey", &[("number", Field::Count(number))]));
    TraceView {
        picks: picks(app),
        renew: app.is_playing.then(|| app.locale.text("trace.renew").to_owned()),
        problem: app.trace.problem.clone(),
        title: title.unwrap_or_default(),
        verdict: match picked {
            None => vec![app.locale.text("trace.none_yet").to_owned()],
            Some(picked) => verdict(app, picked),
        },
        lines: picked.map(|picked| lines(app, picked)).unwrap_or_default(),
    }
}

/// The journey of the picked message, if it is that one, as lines with their times.
pub(super) fn journey(app: &App, producer: usize, number: u64) -> Vec<String> {
    let Some(picked) = app.trace.picked.as_ref() else { return Vec::new() };
    if (picked.producer, picked.number) != (producer, number) {
        return Vec::new();
    }
    let lines = lines(app, picked).into_iter().map(|line| [line.time, line.text].join(" "));
    lines.collect()
}

fn lines(app: &App, picked: &Picked) -> Vec<TraceLine> {
    let snapshot = app.run.snapshot();
    let has_teams = log::shown(snapshot, 0.0).is_some_and(|shown| shown.groups.len() > 1);
    let steps = picked.tracer.as_ref().map(Tracer::steps).unwrap_or_default();
    let shown = steps.iter().rev().filter(|step| !is_told_by_another(step, steps));
    let mut lines: Vec<TraceLine> = shown
        .take(LINES_MAX)
        .map(|step| TraceLine {
            time: precise_clock(step.at, &app.locale),
            text: told(step, snapshot, has_teams, &app.locale),
            is_loss: matches!(step.what, What::Lost(_)),
        })
        .collect();
    lines.reverse();
    lines
}

/// What happened; with whose doing it was where several teams read.
fn told(step: &TraceStep, snapshot: &Snapshot, has_teams: bool, locale: &Locale) -> String {
    let text = line(step, snapshot, locale);
    if !has_teams || step.by.is_none() || names_who(step.what) {
        return text;
    }
    let fields = [("team", Field::Text(team(step.by, snapshot))), ("text", Field::Text(&text))];
    locale.format("trace.team", &fields)
}

/// A topic takes a message in by writing it down: that is one line.
fn is_told_by_another(step: &TraceStep, steps: &[TraceStep]) -> bool {
    let is_stored = |other: &TraceStep| other.at == step.at && matches!(other.what, What::Stored(_));
    step.what == What::Accepted && steps.iter().any(is_stored)
}

/// Where it is, and why it was lost if it was: of a log for each group.
fn verdict(app: &App, picked: &Picked) -> Vec<String> {
    let fields = |time| [("number", Field::Count(picked.number)), ("time", Field::Text(time))];
    let Some(tracer) = &picked.tracer else {
        let key = if picked.is_too_far { "trace.not_kept" } else { "trace.not_yet" };
        return vec![app.locale.format(key, &fields(""))];
    };
    let mut verdict = match app.side() {
        Side::Log => of_groups(tracer.steps(), app.run.snapshot(), &app.locale),
        Side::Both if app.feeds_a_topic(picked.producer) => {
            of_groups(tracer.steps(), app.run.snapshot(), &app.locale)
        }
        Side::Queue | Side::Both => of_all(tracer.steps(), &app.locale),
    };
    if picked.is_behind {
        verdict.push(app.locale.format("trace.on_the_way", &fields(&format::clock(tracer.now()))));
    }
    verdict
}

fn of_all(steps: &[TraceStep], locale: &Locale) -> Vec<String> {
    let Some(at) = whereabouts(steps) else { return Vec::new() };
    let mut lines = vec![whereabouts_line(at, locale)];
    if let Whereabouts::Lost(loss) = at {
        lines.push(loss_line(loss, "", locale));
    }
    lines
}

fn of_groups(steps: &[TraceStep], snapshot: &Snapshot, locale: &Locale) -> Vec<String> {
    let pools = &snapshot.network.pools;
    let first = pools.len() - snapshot.network.groups.len().min(pools.len());
    let teams = pools.iter().enumerate().skip(first).zip(&snapshot.network.groups);
    let mut lines = Vec::new();
    for ((place, pool), group) in teams {
        if pool.count == 0 || !was_written_to(&group.from, steps, snapshot) {
            continue;
        }
        let own = steps.iter().filter(|step| step.by.is_none_or(|by| by.pool == place));
        let Some(at) = whereabouts(own) else { continue };
        let text = match at {
            Whereabouts::Lost(loss) => loss_line(loss, &pool.name, locale),
            at => whereabouts_line(at, locale),
        };
        let fields = [("team", Field::Text(&pool.name)), ("text", Field::Text(&text))];
        lines.push(locale.format("trace.team", &fields));
    }
    // What no topic got has one fate for all.
    if lines.is_empty() { of_all(steps, locale) } else { lines }
}

/// Whether the message was ever a record of the topic of that name: whoever reads another one, such as
/// that for retries, never gets it.
fn was_written_to(topic: &str, steps: &[TraceStep], snapshot: &Snapshot) -> bool {
    let name_of = |place: TopicIndex| snapshot.network.topics.get(place.0).map(|topic| topic.name.as_str());
    steps.iter().any(|step| matches!(step.what, What::Stored(at) if name_of(at.topic) == Some(topic)))
}

/// The messages at hand, by where they are.
fn picks(app: &App) -> Vec<TracePicks> {
    let groups = app.trace.picks.iter().filter(|(_, ids)| !ids.is_empty());
    let pick = |id: &MessageId| {
        let number = format::count(&app.locale, id.number(), Numerals::Screen);
        TracePick {
            producer: usize::from(id.producer_index()),
            number: id.number(),
            spoken: app.locale.format("trace.pick", &[("number", Field::Text(&number))]),
            label: number,
        }
    };
    groups
        .map(|(key, ids)| TracePicks {
            label: app.locale.text(key).to_owned(),
            picks: ids.iter().take(PICKS_MAX).map(pick).collect(),
        })
        .collect()
}

type Picks = Vec<(&'static str, Vec<MessageId>)>;

fn of_queue(app: &App) -> Picks {
    let (simulation, snapshot) = (app.run.simulation(), app.run.snapshot());
    let queue = simulation.broker().queue(QueueIndex(0));
    let of_first = |number: u64| simulation.id_of(0, number);
    let recent = |numbers: Vec<u64>| numbers.into_iter().rev().filter_map(of_first).collect();
    vec![
        ("trace.at_hand.next", queue.ready().iter().take(PICKS_MAX).map(|message| message.id).collect()),
        ("trace.at_hand.in_flight", queue.unanswered().map(|(message, _)| message.id).collect()),
        (
            "trace.at_hand.to_retry",
            queue.delayed_messages().take(PICKS_MAX).map(|message| message.id).collect(),
        ),
        (
            "trace.at_hand.done",
            recent(snapshot.consumers.recent_finishes.iter().map(|finish| finish.number).collect()),
        ),
        ("trace.at_hand.lost", recent(snapshot.queue.recent_losses.iter().map(|loss| loss.number).collect())),
    ]
}

/// Of the group that the picture shows first: what it reads next in each partition, what its members
/// have, and what it was done with last.
fn of_log(app: &App) -> Picks {
    let (simulation, snapshot) = (app.run.simulation(), app.run.snapshot());
    let shown = log::shown(snapshot, 0.0).map(|shown| shown.groups).unwrap_or_default();
    let Some((place, group)) =
        shown.first().and_then(|place| Some((*place, snapshot.network.groups.get(*place)?)))
    else {
        return Vec::new();
    };
    let topic = simulation.broker().logs.group(GroupIndex(place)).topic();
    let record = |partition: usize, offset: u64| record_at(app, topic, partition, offset);
    let lanes = || group.partitions.iter().enumerate();
    let unread = (0..PICKS_MAX as u64).flat_map(|behind| {
        lanes().filter_map(move |(partition, lane)| record(partition, lane.head + lane.in_hand + behind))
    });
    let in_hand = lanes().flat_map(|(partition, lane)| {
        (lane.head..lane.head + lane.in_hand).filter_map(move |offset| record(partition, offset))
    });
    let done = (1..=PICKS_MAX as u64).flat_map(|before| {
        let offset = move |lane: u64| lane.checked_sub(before);
        lanes().filter_map(move |(partition, lane)| record(partition, offset(lane.committed?)?))
    });
    vec![
        ("trace.at_hand.unread", unread.take(PICKS_MAX).collect()),
        ("trace.at_hand.in_flight", in_hand.take(PICKS_MAX).collect()),
        ("trace.at_hand.done", done.take(PICKS_MAX).collect()),
    ]
}

fn record_at(app: &App, topic: TopicIndex, partition: usize, offset: u64) -> Option<MessageId> {
    let log = app.run.simulation().broker().logs.topic(topic);
    Some(log.partition(u32::try_from(partition).ok()?)?.record(offset)?.id)
}
