//! `overflow-strategies.json`: what a full buffer does, against Akka's tests and channels of Rust
//! that were run.

use queue_lab::model::message::{Message, MessageId};
use queue_lab::model::settings::{Bound, OverflowPolicy};
use queue_lab::model::time::Instant;
use queue_lab::model::work_queue::rules::QueueRules;
use queue_lab::model::work_queue::{ConsumerIndex, Published, WorkQueue};
use serde_json::Value;

use super::VectorFile;
use super::fields::Fields;

#[test]
fn overflow_strategies() {
    let Some(mut file) = VectorFile::open("overflow-strategies") else { return };
    // What other engines call the policies, for people.
    file.root.prose(&["model", "names", "naming_trap", "rxjava_source", "reactor_source", "kotlin_source"]);
    let akka = file.root.object("akka");
    akka.prose(&["source"]);
    file.run("akka.cases", akka.objects("cases"), akka_case);
    akka.all_were_read();
    let recorded = file.root.object("recorded_rust");
    recorded.prose(&["how"]);
    file.run("recorded_rust.cases", recorded.objects("cases"), recorded_case);
    recorded.all_were_read();
    file.finish();
}

/// The product's queue as a buffer that is filled and then drained. All calls of its interface
/// are here.
struct Buffer {
    queue: WorkQueue,
    published: u64,
}

/// What the sender learns, or would learn if it looked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sent {
    Accepted,
    Full,
    MustWait,
}

const READER: ConsumerIndex = ConsumerIndex(0);

impl Buffer {
    fn new(bound: Bound, overflow: OverflowPolicy) -> Self {
        let rules = QueueRules { bound, overflow, ..QueueRules::default() };
        Self { queue: WorkQueue::new(rules), published: 0 }
    }

    fn send(&mut self, number: u64) -> Sent {
        self.published += 1;
        let now = Instant::from_seconds(self.published);
        match self.queue.publish(now, Message::plain(MessageId::new(0, number), now)) {
            Published::HandedOver(_) | Published::Accepted | Published::Duplicate => Sent::Accepted,
            Published::Rejected | Published::DroppedNew => Sent::Full,
            Published::NoRoom => Sent::MustWait,
        }
    }

    /// A reader takes one and leaves.
    fn receive(&mut self) -> Option<u64> {
        let delivery = self.queue.receive(Instant::from_seconds(self.published), READER, 1, None).pop()?;
        assert!(self.queue.acknowledge(delivery.tag), "what was handed over can be acknowledged");
        Some(delivery.id.number())
    }

    fn drain(&mut self) -> Vec<u64> {
        std::iter::from_fn(|| self.receive()).collect()
    }

    fn dropped_oldest(&self) -> u64 {
        self.queue.counts().dropped_oldest
    }
}

/// The policy that Akka calls so, if there is one here.
fn akka_policy(strategy: &str) -> Option<OverflowPolicy> {
    match strategy {
        "dropHead" => Some(OverflowPolicy::DropOldest),
        "dropNew" => Some(OverflowPolicy::DropNew),
        _ => None,
    }
}

/// A case that names several strategies runs for each that is offered here.
fn akka_case(case: &Fields) {
    case.prose(&["note"]);
    let policies: Vec<_> = case.text("strategy").split('|').filter_map(akka_policy).collect();
    assert!(!policies.is_empty(), "{}: no such policy is offered", case.place());
    let bound = Bound::Messages(case.count("capacity"));
    for policy in policies {
        let mut buffer = Buffer::new(bound, policy);
        (1..=case.count("arrivals")).for_each(|number| {
            buffer.send(number);
        });
        assert_eq!(buffer.drain(), numbers(case, "drained"), "{}: {policy:?}", case.place());
    }
}

/// Numbers such as `1..99,200`.
fn numbers(case: &Fields, key: &str) -> Vec<u64> {
    let number =
        |text: &str| text.parse::<u64>().unwrap_or_else(|_| panic!("{}: {key} {text}", case.place()));
    let part = |part: &str| match part.split_once("..") {
        Some((first, last)) => (number(first)..=number(last)).collect::<Vec<_>>(),
        None => vec![number(part)],
    };
    case.text(key).split(',').flat_map(part).collect()
}

/// The bound is the number in the engine's name.
fn recorded_case(case: &Fields) {
    case.prose(&["policy"]);
    let (engine, bound) = match case.text("engine").trim_end_matches(')').split_once('(') {
        Some((engine, bound)) => (engine, bound.parse().map_or_else(|_| panic!("{bound}"), Bound::Messages)),
        None => (case.text("engine"), Bound::None),
    };
    let operation = case.text("operation");
    match (engine, operation) {
        ("tokio::sync::mpsc::channel", "try_send 1..5, then drain") => try_send_five(case, bound),
        ("tokio::sync::mpsc::channel", "send 1,2; send(3) with 1 s timeout; recv one; send(4)") => {
            give_up_waiting(case, bound);
        }
        ("tokio::sync::mpsc::unbounded_channel", "send 1000 without a reader") => without_bound(case, bound),
        ("tokio::sync::broadcast::channel", "send 1..10, then one slow receiver reads") => {
            lagging(case, bound)
        }
        ("crossbeam_channel::bounded", "try_send with no waiting receiver") => {
            let sent = Buffer::new(bound, OverflowPolicy::Reject).send(1);
            assert_eq!(sent == Sent::Full, case.flag("rejected"), "{}", case.place());
        }
        _ => panic!("{}: {engine} and {operation} are not known", case.place()),
    }
}

fn drained_counts(case: &Fields) -> Vec<u64> {
    let number = |value: &Value| value.as_u64().unwrap_or_else(|| panic!("{}: {value}", case.place()));
    case.list("drained").iter().map(number).collect()
}

fn try_send_five(case: &Fields, bound: Bound) {
    let mut buffer = Buffer::new(bound, OverflowPolicy::Reject);
    for (number, result) in (1..=5).zip(case.texts("send_results")) {
        let wanted = match result.as_str() {
            "accepted" => Sent::Accepted,
            "full" => Sent::Full,
            _ => panic!("{}: {result} is not known", case.place()),
        };
        assert_eq!(buffer.send(number), wanted, "{}: {number}", case.place());
    }
    assert_eq!(case.texts("send_results").len(), 5, "{}", case.place());
    assert_eq!(buffer.drain(), drained_counts(case), "{}", case.place());
}

/// A sender that must wait and gives up has left nothing behind.
fn give_up_waiting(case: &Fields, bound: Bound) {
    let mut buffer = Buffer::new(bound, OverflowPolicy::Block);
    assert_eq!([buffer.send(1), buffer.send(2)], [Sent::Accepted; 2], "{}", case.place());
    let third = buffer.send(3);
    assert_eq!(third == Sent::MustWait, case.flag("send_3_waited_until_timeout"), "{}", case.place());
    let mut received: Vec<u64> = buffer.receive().into_iter().collect();
    let fourth = buffer.send(4);
    assert_eq!(fourth == Sent::Accepted, case.flag("send_4_accepted"), "{}", case.place());
    received.extend(buffer.drain());
    assert_eq!(received, drained_counts(case), "{}", case.place());
}

fn without_bound(case: &Fields, bound: Bound) {
    let mut buffer = Buffer::new(bound, OverflowPolicy::Reject);
    let accepted = (1..=1_000).filter(|number| buffer.send(*number) == Sent::Accepted).count();
    assert_eq!(accepted as u64, case.count("accepted"), "{}", case.place());
    assert_eq!(buffer.drain().len() as u64, case.count("drained"), "{}", case.place());
}

/// The receiver learns how many it missed, then reads what is left.
fn lagging(case: &Fields, bound: Bound) {
    let mut buffer = Buffer::new(bound, OverflowPolicy::DropOldest);
    (1..=10).for_each(|number| assert_eq!(buffer.send(number), Sent::Accepted, "{}", case.place()));
    let missed = std::iter::once(serde_json::json!({ "lagged": buffer.dropped_oldest() }));
    let events: Vec<Value> = missed.chain(buffer.drain().into_iter().map(Value::from)).collect();
    assert_eq!(events, case.list("events"), "{}", case.place());
}
