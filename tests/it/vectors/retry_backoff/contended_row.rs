//! One row that many clients write, each until it succeeds once: the model of the AWS
//! architecture blog's simulator, here with the product's backoff and the product's draws.
//!
//! A client reads the row's version and writes with it; the write succeeds where nobody wrote in
//! between. After a failure it waits, and reads again. Every message takes |N(10, 2)| ms. The
//! calls are the writes, and the completion is the instant of the last answer.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use queue_lab::model::retry::backoff::{Backoff, BackoffKind};
use queue_lab::model::rng::{DrawKey, Draws, Purpose};
use queue_lab::model::time::{Instant, Span};

use super::super::VectorFile;
use super::super::fields::Fields;
use super::{jitter_draws, mean_and_deviation};

const BASE: Span = Span::from_millis(5);
const CAP: Span = Span::from_millis(2_000);
const NETWORK_MEAN_MS: f64 = 10.0;
const NETWORK_DEVIATION_MS: f64 = 2.0;
/// Trials of each pair of algorithm and number of clients where only their order is asked for.
const TRIALS: u64 = 60;
/// How far two means of independent trials may lie apart, in standard errors of the difference.
const STANDARD_ERRORS: f64 = 4.0;
/// The number of clients from which the orderings speak of them.
const MANY: u64 = 50;

/// All of `aws_simulator_outcomes`.
pub fn outcomes(file: &mut VectorFile) {
    let simulator = file.root.object("aws_simulator_outcomes");
    simulator.prose(&["how"]);
    let table = Table::default();
    file.run("aws_simulator_outcomes.rows", simulator.objects("rows"), |row| {
        table.has_the_published_means(row)
    });
    for text in simulator.texts("robust_orderings") {
        assert!(table.has_ordering(&text), "{text}: not so here");
        file.ran += 1;
    }
    simulator.all_were_read();
}

fn backoff(algorithm: &str) -> Backoff {
    let kind = match algorithm {
        "None" => return Backoff::NONE,
        "Exponential" => BackoffKind::Exponential,
        "FullJitter" => BackoffKind::FullJitter,
        "EqualJitter" => BackoffKind::EqualJitter,
        "Decorr" => BackoffKind::DecorrelatedJitter,
        _ => panic!("{algorithm} is not known"),
    };
    Backoff { kind, base: BASE, cap: CAP }
}

/// Means and deviations over trials.
#[derive(Clone, Copy)]
struct Outcome {
    completion_ms: (f64, f64),
    calls: (f64, f64),
}

impl Outcome {
    #[allow(clippy::cast_precision_loss)]
    fn of(clients: u64, backoff: Backoff, trials: u64) -> Self {
        let (mut completions_ms, mut calls) = (Vec::new(), Vec::new());
        for trial in 1..=trials {
            let (completed_at, written) = Trial::new(trial, clients, backoff).run();
            completions_ms.push(completed_at.micros() as f64 / 1_000.0);
            calls.push(written as f64);
        }
        Self { completion_ms: mean_and_deviation(&completions_ms), calls: mean_and_deviation(&calls) }
    }
}

/// What is on its way, and where it arrives.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Message {
    ReadAtServer,
    VersionAtClient(u64),
    WriteAtServer(u64),
    AnswerAtClient(bool),
}

#[derive(Clone, Copy, Default)]
struct Client {
    attempts: u64,
    previous_delay: Option<Span>,
    messages: u64,
}

struct Trial {
    seed: u64,
    backoff: Backoff,
    clients: Vec<Client>,
    version: u64,
    calls: u64,
    /// By instant, then in the order in which they were sent.
    on_the_way: BinaryHeap<Reverse<(Instant, u64, usize, Message)>>,
    sent: u64,
}

impl Trial {
    fn new(seed: u64, clients: u64, backoff: Backoff) -> Self {
        let clients = (0..clients).map(|_| Client::default()).collect();
        let on_the_way = BinaryHeap::new();
        Self { seed, backoff, clients, version: 0, calls: 0, on_the_way, sent: 0 }
    }

    /// Runs until nothing is on its way. Returns the last instant and the number of writes.
    fn run(mut self) -> (Instant, u64) {
        (0..self.clients.len()).for_each(|client| self.send(Instant::START, client, Message::ReadAtServer));
        let mut last = Instant::START;
        while let Some(Reverse((now, _, client, message))) = self.on_the_way.pop() {
            last = now;
            self.arrive(now, client, message);
        }
        (last, self.calls)
    }

    fn arrive(&mut self, now: Instant, client: usize, message: Message) {
        match message {
            Message::ReadAtServer => self.send(now, client, Message::VersionAtClient(self.version)),
            Message::VersionAtClient(version) => self.send(now, client, Message::WriteAtServer(version)),
            Message::WriteAtServer(version) => {
                let is_current = version == self.version;
                self.calls += 1;
                self.version += u64::from(is_current);
                self.send(now, client, Message::AnswerAtClient(is_current));
            }
            Message::AnswerAtClient(true) => {}
            Message::AnswerAtClient(false) => {
                let wait = self.wait(client);
                self.send(now + wait, client, Message::ReadAtServer);
            }
        }
    }

    /// How long the client waits after one more failure. The simulator counts its attempts before
    /// it asks, so the first wait is that of n = 1.
    fn wait(&mut self, index: usize) -> Span {
        let client = &mut self.clients[index];
        client.attempts += 1;
        let key = DrawKey { origin: index as u64, role: 0, attempt: client.attempts };
        let delay = self.backoff.delay(client.attempts, client.previous_delay, jitter_draws(self.seed), key);
        client.previous_delay = Some(delay);
        delay
    }

    fn send(&mut self, now: Instant, client: usize, message: Message) {
        let delay = self.network_delay(client);
        self.sent += 1;
        self.on_the_way.push(Reverse((now + delay, self.sent, client, message)));
    }

    /// |N(10, 2)| ms, by Box and Muller.
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    fn network_delay(&mut self, index: usize) -> Span {
        let client = &mut self.clients[index];
        client.messages += 1;
        let draws = Draws::new(self.seed, Purpose::ServiceTime);
        let uniform = |role| {
            let key = DrawKey { origin: index as u64, role, attempt: client.messages };
            (draws.up_to(key, (1 << 53) - 1) + 1) as f64 / (1_u64 << 53) as f64
        };
        let normal = (-2.0 * uniform(1).ln()).sqrt() * (std::f64::consts::TAU * uniform(2)).cos();
        let millis = (NETWORK_MEAN_MS + NETWORK_DEVIATION_MS * normal).abs();
        Span::from_micros((millis * 1_000.0).round() as u64)
    }
}

const ALL: [&str; 5] = ["None", "Exponential", "FullJitter", "EqualJitter", "Decorr"];
const JITTERED: [&str; 3] = ["FullJitter", "EqualJitter", "Decorr"];

/// What was simulated so far, by number of clients, algorithm and number of trials.
#[derive(Default)]
struct Table(RefCell<BTreeMap<(u64, String, u64), Outcome>>);

impl Table {
    fn outcome(&self, clients: u64, name: &str, trials: u64) -> Outcome {
        let mut known = self.0.borrow_mut();
        let key = (clients, name.to_owned(), trials);
        *known.entry(key).or_insert_with(|| Outcome::of(clients, backoff(name), trials))
    }

    /// Both sides are means of independent trials, so their difference has a known standard error.
    /// That is meaningful for every row: the deviations between trials are small beside the means.
    #[allow(clippy::cast_precision_loss)]
    fn has_the_published_means(&self, row: &Fields) {
        let trials = row.count("trials");
        let found = self.outcome(row.count("clients"), row.text("algorithm"), trials);
        for (name, (mean, deviation)) in [("completion_ms", found.completion_ms), ("calls", found.calls)] {
            let (wanted, spread) = (row.number(&format!("mean_{name}")), row.number(&format!("sd_{name}")));
            let error = ((deviation.powi(2) + spread.powi(2)) / trials as f64).sqrt();
            let allowed = STANDARD_ERRORS * error;
            assert!(
                (mean - wanted).abs() <= allowed,
                "{}: {name} {mean}, not {wanted} ± {allowed}",
                row.place()
            );
            let ratio = deviation / spread;
            assert!(
                (0.5..2.0).contains(&ratio),
                "{}: {name} spreads by {deviation}, not {spread}",
                row.place()
            );
        }
    }

    /// Whether `holds` says yes at every number of clients of the rows, from `least` on.
    fn from(&self, least: u64, holds: impl Fn(u64) -> bool) -> bool {
        let all: BTreeSet<u64> = self.0.borrow().keys().map(|(clients, ..)| *clients).collect();
        let mut clients = all.into_iter().filter(|clients| *clients >= least).peekable();
        assert!(clients.peek().is_some(), "no row has {least} clients or more");
        clients.all(holds)
    }

    fn calls(&self, clients: u64, name: &str) -> f64 {
        self.outcome(clients, name, TRIALS).calls.0
    }

    fn completion_ms(&self, clients: u64, name: &str) -> f64 {
        self.outcome(clients, name, TRIALS).completion_ms.0
    }

    /// Whether what the sentence says is so here; fails for a sentence that is not known.
    fn has_ordering(&self, text: &str) -> bool {
        match text {
            "calls: None and Exponential are far above the three jittered variants from 50 clients up" => {
                self.from(MANY, |clients| self.plain_ones_call_far_more(clients))
            }
            "completion time: Exponential without jitter is the slowest by an order of magnitude" => {
                self.from(0, |clients| self.exponential_is_slowest(clients))
            }
            "None finishes fastest but makes the most calls (190 clients: ~8000 vs ~1770)" => {
                self.from(MANY, |clients| self.none_is_fastest_and_calls_most(clients))
                    && is_about(self.calls(190, "None"), 8_000.0)
                    && is_about(self.calls(190, "FullJitter"), 1_770.0)
            }
            "Full and Equal make about the same number of calls, Full finishes sooner than Equal" => self
                .from(0, |clients| {
                    let (full, equal) = ("FullJitter", "EqualJitter");
                    (self.calls(clients, full) / self.calls(clients, equal) - 1.0).abs() < 0.1
                        && self.completion_ms(clients, full) < self.completion_ms(clients, equal)
                }),
            "Decorrelated makes more calls than Full from 50 clients up" => {
                self.from(MANY, |clients| self.calls(clients, "Decorr") > self.calls(clients, "FullJitter"))
            }
            _ => panic!("{text}: this ordering is not known"),
        }
    }

    /// Far: by half at least.
    fn plain_ones_call_far_more(&self, clients: u64) -> bool {
        let far_above =
            |name| JITTERED.iter().all(|other| self.calls(clients, name) > 1.5 * self.calls(clients, other));
        ["None", "Exponential"].into_iter().all(far_above)
    }

    /// An order of magnitude: 10 times to the nearest power of ten, so more than 10^0.5 times. The
    /// published means are 4.6 times those of the next slowest at 10 clients, and 8 times or more
    /// from 20 on.
    fn exponential_is_slowest(&self, clients: u64) -> bool {
        let slowest = self.completion_ms(clients, "Exponential");
        let others = ALL.into_iter().filter(|name| *name != "Exponential");
        others.map(|name| self.completion_ms(clients, name)).all(|other| slowest > 10_f64.sqrt() * other)
    }

    fn none_is_fastest_and_calls_most(&self, clients: u64) -> bool {
        let others = ALL.into_iter().filter(|name| *name != "None");
        others.into_iter().all(|name| {
            self.completion_ms(clients, "None") < self.completion_ms(clients, name)
                && self.calls(clients, "None") > self.calls(clients, name)
        })
    }
}

fn is_about(found: f64, wanted: f64) -> bool {
    (found / wanted - 1.0).abs() < 0.05
}
