//! Scripts whose results were validated on SQS itself, on the product's broker.

use std::collections::BTreeMap;
use std::rc::Rc;

use queue_lab::model::broker::{Broker, Offered, QueueIndex, RedriveRefused};
use queue_lab::model::message::{Luggage, Message, MessageId, Properties};
use queue_lab::model::rate::Rate;
use queue_lab::model::time::{Instant, MICROS_PER_SECOND, Span};
use queue_lab::model::work_queue::rules::{DeliveryLimit, QueueRules};
use queue_lab::model::work_queue::{ConsumerIndex, Delivery, DeliveryTag, Published, WorkQueue};
use serde_json::Value;

use super::VectorFile;
use super::fields::Fields;

#[test]
fn sqs_aws_validated() {
    let Some(mut file) = VectorFile::open("sqs-aws-validated") else { return };
    file.root.prose(&["source", "notes", "documented_only", "not_verified"]);
    let scenarios = file.root.objects("scenarios");
    file.run("scenarios", scenarios, run_scenario);
    file.finish();
}

const RECEIVER: ConsumerIndex = ConsumerIndex(0);

/// One script while it runs: the broker, and what the script calls its parts.
struct Script {
    broker: Broker,
    now: Instant,
    queues: Vec<String>,
    /// Queues whose deduplication id is the body where none is given.
    content_dedup: Vec<bool>,
    /// Bodies, groups and deduplication ids by the number that stands for them.
    texts: Vec<String>,
    bodies: Vec<String>,
    /// All receipts of a body, the latest last.
    receipts: BTreeMap<String, Vec<(QueueIndex, DeliveryTag)>>,
}

fn run_scenario(case: &Fields) {
    case.prose(&["test", "title", "snapshot_recorded_on_AWS"]);
    let steps = case.objects("steps");
    let mut script = Script::new();
    for step in &steps {
        script.perform(step);
        script.settle();
        step.all_were_read();
    }
}

fn seconds(value: f64) -> Span {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
    Span::from_micros((value * MICROS_PER_SECOND as f64).round() as u64)
}

impl Script {
    fn new() -> Self {
        Self {
            broker: Broker::new(Vec::new(), u64::MAX),
            now: Instant::START,
            queues: Vec::new(),
            content_dedup: Vec::new(),
            texts: Vec::new(),
            bodies: Vec::new(),
            receipts: BTreeMap::new(),
        }
    }

    fn perform(&mut self, step: &Fields) {
        step.prose(&["note"]);
        match step.text("op") {
            "create" => self.create(step),
            "send" => self.send(step),
            "receive" => self.receive(step),
            "sleep_s" => self.sleep_until(self.now + seconds(step.number("s"))),
            "delete" => self.delete(step),
            "change_visibility" => self.change_visibility(step),
            "counts" => self.counts(step),
            "redrive" => self.redrive(step),
            "note" => self.note(step),
            other => panic!("{}: no operation {other}", step.place()),
        }
    }

    fn create(&mut self, step: &Fields) {
        let mut rules = if step.flag("fifo") { QueueRules::sqs_fifo() } else { QueueRules::sqs_standard() };
        if let Some(visibility) = step.optional_number("visibility_s") {
            rules.visibility_timeout = Some(seconds(visibility));
        }
        if let Some(retention) = step.optional_number("retention_s") {
            rules.retention = Some(seconds(retention));
        }
        let redrive = step.has("redrive").then(|| step.object("redrive"));
        if let Some(redrive) = &redrive {
            let limit = u32::try_from(redrive.count("max_receive_count")).expect("it fits");
            rules.delivery_limit = Some(DeliveryLimit::Receives(limit));
        }
        let queue = self.broker.add_queue(WorkQueue::new(rules));
        self.queues.push(step.text("queue").to_owned());
        self.content_dedup.push(step.flag("content_dedup"));
        if let Some(redrive) = redrive {
            self.broker.set_dead_letters_to(queue, Some(self.queue(redrive.text("dlq"))));
            redrive.all_were_read();
        }
    }

    fn queue(&self, name: &str) -> QueueIndex {
        let place = self.queues.iter().position(|queue| queue == name);
        QueueIndex(place.unwrap_or_else(|| panic!("no queue {name} was created")))
    }

    /// The number that stands for a text.
    fn number_of(&mut self, text: &str) -> u64 {
        let place = self.texts.iter().position(|known| known == text).unwrap_or_else(|| {
            self.texts.push(text.to_owned());
            self.texts.len() - 1
        });
        place as u64
    }

    fn send(&mut self, step: &Fields) {
        let queue = self.queue(step.text("queue"));
        let body = step.text("body").to_owned();
        let given = step.optional_text("dedup").map(str::to_owned);
        let deduplication = given.or_else(|| self.content_dedup[queue.0].then(|| body.clone()));
        let properties = Properties {
            bytes: body.len() as u64,
            group: step.optional_text("group").map_or(0, |group| self.number_of(group)),
            deduplication: deduplication.map(|text| self.number_of(&text)),
            ..Properties::default()
        };
        self.send_body(queue, body, properties);
    }

    fn send_body(&mut self, queue: QueueIndex, body: String, properties: Properties) {
        self.bodies.push(body);
        let message = Message {
            id: MessageId::new(0, self.bodies.len() as u64),
            accepted_at: self.now,
            luggage: Some(Rc::new(Luggage::with(properties))),
        };
        let sent = self.broker.publish(self.now, queue, message);
        assert!(matches!(sent, Offered::Queue(Published::Accepted | Published::Duplicate)), "{sent:?}");
    }

    fn receive(&mut self, step: &Fields) {
        let queue = self.queue(step.text("queue"));
        let times = step.optional_count("times").unwrap_or(1);
        let received: Vec<Delivery> = (0..times).flat_map(|_| self.receive_once(queue, step)).collect();
        let bodies: Vec<String> = received.iter().map(|delivery| self.body(delivery)).collect();
        for expected in ["expect", "expect_bodies_any_order"].into_iter().filter(|key| step.has(key)) {
            let (mut found, mut expected_bodies) = (bodies.clone(), step.texts(expected));
            if expected == "expect_bodies_any_order" {
                found.sort();
                expected_bodies.sort();
            }
            assert_eq!(found, expected_bodies, "{}", step.place());
        }
        if step.has("any_of") {
            assert!(is_one_of(&bodies, step.list("any_of")), "{}: {bodies:?}", step.place());
        }
        if let Some(count) = step.optional_count("expect_count") {
            assert_eq!(bodies.len() as u64, count, "{}", step.place());
        }
        received.iter().for_each(|delivery| self.check_delivery(queue, delivery, step));
    }

    /// Receives once, waiting for a message as long as the step says.
    fn receive_once(&mut self, queue: QueueIndex, step: &Fields) -> Vec<Delivery> {
        let max = u32::try_from(step.optional_count("max").unwrap_or(1)).expect("it fits");
        let visibility = step.optional_number("visibility_s").map(seconds);
        let end = self.now + step.optional_number("wait_s").map_or(Span::ZERO, seconds);
        loop {
            let received = self.broker.receive(self.now, queue, RECEIVER, max, visibility);
            for delivery in &received {
                self.receipts.entry(self.body(delivery)).or_default().push((queue, delivery.tag));
            }
            self.settle();
            match self.next_expiry().filter(|next| *next <= end && received.is_empty()) {
                Some(next) => self.sleep_until(next),
                None => return received,
            }
        }
    }

    fn check_delivery(&self, queue: QueueIndex, delivery: &Delivery, step: &Fields) {
        if let Some(count) = step.optional_count("receive_count_of_each") {
            assert_eq!(u64::from(delivery.deliveries), count, "{}: receive count", step.place());
        }
        let message = self.broker.queue(queue).delivered(delivery.tag);
        if step.flag("attributes_kept") {
            let bytes = message.map(|message| message.properties().bytes);
            assert_eq!(bytes, Some(self.body(delivery).len() as u64), "{}: attributes", step.place());
        }
        if let Some(source) = step.optional_text("dead_letter_source") {
            let died_in = message.and_then(Message::past).and_then(|past| Some(past.deaths.first()?.queue));
            assert_eq!(died_in, Some(self.queue(source)), "{}: source", step.place());
        }
    }

    fn body(&self, delivery: &Delivery) -> String {
        self.bodies[usize::try_from(delivery.id.number()).expect("few messages") - 1].clone()
    }

    fn receipt(&self, step: &Fields) -> (QueueIndex, DeliveryTag) {
        let receipts = self.receipts.get(step.text("body")).expect("it was received");
        let which = step
            .optional_count("receipt")
            .map_or(receipts.len(), |number| usize::try_from(number).unwrap_or(usize::MAX));
        receipts[which - 1]
    }

    fn delete(&mut self, step: &Fields) {
        let (queue, tag) = self.receipt(step);
        let is_deleted = self.broker.acknowledge(queue, tag);
        let expected = step.optional_text("expect").unwrap_or("ok");
        assert_eq!(if is_deleted { "ok" } else { "error" }, expected, "{}", step.place());
    }

    fn change_visibility(&mut self, step: &Fields) {
        let (queue, tag) = self.receipt(step);
        let is_changed = self.broker.extend_lease(self.now, queue, tag, seconds(step.number("s")));
        assert!(is_changed, "{}", step.place());
    }

    fn counts(&self, step: &Fields) {
        let queue = self.broker.queue(self.queue(step.text("queue")));
        let expected = step.object("expect");
        for key in expected.keys() {
            let found = match key.as_str() {
                "visible" => queue.ready().len(),
                "not_visible" => queue.in_flight(),
                "delayed" => queue.delayed(),
                other => panic!("{}: no count {other}", step.place()),
            };
            assert_eq!(found, expected.count(&key), "{}: {key}", step.place());
        }
    }

    fn redrive(&mut self, step: &Fields) {
        let (from, to) = (self.queue(step.text("source")), self.queue(step.text("destination")));
        let rate = step.optional_count("max_per_second").map(Rate::from_per_second);
        let started = self.broker.start_redrive(self.now, from, to, rate);
        let Some(expect) = step.value("expect") else { return assert_eq!(started, Ok(())) };
        if expect.as_str() == Some("error: only one active task per source queue") {
            return assert_eq!(started, Err(RedriveRefused::AlreadyRunning));
        }
        let (expect, start) = (step.object("expect"), self.now);
        let to_move = self.broker.redrive_of(from).map(|task| task.to_move);
        let moved = self.finish_redrive(from);
        for key in expect.keys() {
            match key.as_str() {
                "status" => assert_eq!(expect.text("status"), "COMPLETED"),
                "moved" => assert_eq!(moved, expect.count("moved"), "{}", step.place()),
                "to_move" => assert_eq!(to_move, Some(expect.count("to_move")), "{}", step.place()),
                "duration_at_least_s" => {
                    let least = seconds(expect.number("duration_at_least_s"));
                    assert!(self.now.since(start) >= least, "{}: {}", step.place(), self.now.since(start));
                }
                other => panic!("{}: expects {other}", step.place()),
            }
        }
    }

    /// Waits until the redrive has ended. Returns how many messages it moved.
    fn finish_redrive(&mut self, from: QueueIndex) -> u64 {
        let mut moved = 0;
        while self.broker.redrive_of(from).is_some() {
            if let Some(next) = self.broker.next_redrive() {
                self.sleep_until(self.now.max(next));
            }
            moved += u64::from(self.broker.redrive_due(self.now).is_some());
        }
        moved
    }

    /// A remark that says what is already there.
    fn note(&mut self, step: &Fields) {
        let text = step.text("text");
        let (count, queue) =
            text.split_once(" messages in ").unwrap_or_else(|| panic!("{}: {text}", step.place()));
        let (count, queue): (u64, _) = (count.parse().expect("a number"), self.queue(queue));
        (1..=count)
            .for_each(|number| self.send_body(queue, format!("message-{number}"), Properties::default()));
    }

    fn next_expiry(&self) -> Option<Instant> {
        self.broker.queues().filter_map(WorkQueue::next_expiry).min()
    }

    fn sleep_until(&mut self, end: Instant) {
        while let Some(next) = self.next_expiry().filter(|next| *next <= end) {
            self.now = self.now.max(next);
            self.settle();
        }
        self.now = end;
    }

    /// Everything that the broker does by itself at this instant.
    fn settle(&mut self) {
        for queue in (0..self.queues.len()).map(QueueIndex) {
            while self.broker.expire(self.now, queue) {}
        }
    }
}

fn is_one_of(bodies: &[String], orders: &[Value]) -> bool {
    orders.iter().any(|order| {
        let texts = order.as_array().into_iter().flatten().filter_map(Value::as_str);
        texts.eq(bodies.iter().map(String::as_str))
    })
}
