//! Scripts that were recorded on RabbitMQ 3.10.8, on the product's broker.

use std::collections::BTreeMap;
use std::rc::Rc;

use queue_lab::model::broker::{Broker, Offered, QueueIndex};
use queue_lab::model::message::{DeathReason, Luggage, Message, MessageId, Past, Properties};
use queue_lab::model::settings::{Bound, OverflowPolicy};
use queue_lab::model::time::{Instant, Span};
use queue_lab::model::work_queue::rules::QueueRules;
use queue_lab::model::work_queue::{ConsumerIndex, Delivery, DeliveryTag, GivenBack, Published, WorkQueue};
use serde_json::{Value, json};

use super::VectorFile;
use super::fields::Fields;

#[test]
fn rabbitmq_recorded() {
    let Some(mut file) = VectorFile::open("rabbitmq-recorded") else { return };
    file.root.prose(&["broker", "caution", "reproducibility", "step_format"]);
    let scenarios = file.root.objects("scenarios");
    file.run("scenarios", scenarios, run_scenario);
    let alarm = file.root.object("resource_alarm");
    file.run("resource_alarm", vec![alarm], run_alarm);
    file.finish();
}

/// The consumer that stands for all `get` operations of a script.
const PULL: ConsumerIndex = ConsumerIndex(0);

/// One script while it runs: the broker, and what the script calls its parts.
struct Script {
    broker: Broker,
    now: Instant,
    queues: Vec<String>,
    /// Whether deliveries of the queue carry a delivery count.
    counts_returns: Vec<bool>,
    messages: Vec<String>,
    consumers: Vec<(String, QueueIndex)>,
    /// Where a message was delivered last.
    delivered: BTreeMap<String, (QueueIndex, DeliveryTag)>,
    pushed: Vec<(QueueIndex, Delivery)>,
}

fn run_scenario(case: &Fields) {
    case.prose(&["title", "name", "queue_type"]);
    let steps = case.objects("steps");
    let mut script = Script::new();
    for step in steps.iter().filter(|step| step.text("op") == "declare") {
        script.declare(step);
    }
    for step in steps.iter().filter(|step| step.text("op") == "declare") {
        script.connect(step);
    }
    for step in &steps {
        script.perform(step);
        script.settle();
        step.all_were_read();
    }
}

impl Script {
    fn new() -> Self {
        Self {
            broker: Broker::new(Vec::new(), u64::MAX),
            now: Instant::START,
            queues: Vec::new(),
            counts_returns: Vec::new(),
            messages: Vec::new(),
            consumers: vec![("get".to_owned(), QueueIndex(0))],
            delivered: BTreeMap::new(),
            pushed: Vec::new(),
        }
    }

    fn declare(&mut self, step: &Fields) {
        let kind = step.optional_text("type").unwrap_or("classic");
        let rules = if step.has("args") { rules(kind, &step.object("args")) } else { rules_of(kind, None) };
        self.broker.add_queue(WorkQueue::new(rules));
        self.queues.push(step.text("queue").to_owned());
        self.counts_returns.push(kind == "quorum");
    }

    fn connect(&mut self, step: &Fields) {
        if !step.has("args") {
            return;
        }
        let args = step.object("args");
        let target = args.optional_text("x-dead-letter-routing-key").map(|name| self.queue(name));
        self.broker.set_dead_letters_to(self.queue(step.text("queue")), target);
    }

    fn queue(&self, name: &str) -> QueueIndex {
        let place = self.queues.iter().position(|queue| queue == name);
        QueueIndex(place.unwrap_or_else(|| panic!("no queue {name} was declared")))
    }

    fn perform(&mut self, step: &Fields) {
        match step.text("op") {
            "declare" => {}
            "publish" => self.publish(step),
            "get" => self.get(step),
            "depth" => {
                let depth = self.broker.queue(self.queue(step.text("queue"))).ready().len();
                assert_eq!(depth, step.count("result"), "{}: depth", step.place());
            }
            "sleep_ms" => self.sleep(Span::from_millis(step.count("ms"))),
            "ack" => {
                let (queue, tag) = self.tag(step);
                assert!(self.broker.acknowledge(queue, tag), "{}: nothing to acknowledge", step.place());
            }
            "nack" => self.give_back(step, GivenBack::Requeued),
            "reject" => self.give_back(step, GivenBack::RejectedAndRequeued),
            "subscribe" => self.subscribe(step),
            "deliveries" => self.deliveries(step),
            "disconnect" => {
                let consumer = self.consumer(step.text("consumer"));
                self.disconnect(consumer);
            }
            "close_pull" => {
                (0..self.queues.len()).for_each(|queue| self.disconnect_from(QueueIndex(queue), PULL))
            }
            other => panic!("{}: no operation {other}", step.place()),
        }
    }

    fn publish(&mut self, step: &Fields) {
        let properties = Properties {
            bytes: step.optional_text("body").map_or(0, |body| body.len() as u64),
            ttl: step.optional_count("ttl_ms").map(Span::from_millis),
            priority: match step.value("priority") {
                None | Some(Value::Null) => 0,
                Some(_) => u8::try_from(step.count("priority")).expect("a priority fits a byte"),
            },
            ..Properties::default()
        };
        self.messages.push(step.text("id").to_owned());
        let id = MessageId::new(0, self.messages.len() as u64);
        let luggage = (properties != Properties::default()).then(|| Rc::new(Luggage::with(properties)));
        let queue = self.queue(step.text("queue"));
        let message = Message { id, accepted_at: self.now, luggage };
        let confirm = match self.broker.publish(self.now, queue, message) {
            Offered::Queue(Published::HandedOver(delivery)) => {
                self.record(queue, delivery);
                "confirm.ack"
            }
            Offered::Queue(Published::Accepted) => "confirm.ack",
            Offered::Queue(Published::Rejected) => "confirm.nack",
            other => panic!("{}: {other:?}", step.place()),
        };
        assert_eq!(confirm, step.text("result"), "{}: publish {}", step.place(), step.text("id"));
    }

    fn get(&mut self, step: &Fields) {
        let queue = self.queue(step.text("queue"));
        let received = self.broker.receive(self.now, queue, PULL, 1, None);
        let found = received.first().map_or(json!("empty"), |delivery| self.seen(queue, delivery, true));
        assert_eq!(Some(&found), step.value("result"), "{}: get", step.place());
        received.iter().for_each(|delivery| self.remember(queue, delivery));
    }

    fn sleep(&mut self, span: Span) {
        let end = self.now + span;
        while let Some(next) = self.next_expiry().filter(|next| *next <= end) {
            self.now = self.now.max(next);
            self.settle();
        }
        self.now = end;
    }

    fn next_expiry(&self) -> Option<Instant> {
        self.broker.queues().filter_map(WorkQueue::next_expiry).min()
    }

    fn tag(&self, step: &Fields) -> (QueueIndex, DeliveryTag) {
        let id = step.text("id");
        *self.delivered.get(id).unwrap_or_else(|| panic!("{}: {id} was never delivered", step.place()))
    }

    fn give_back(&mut self, step: &Fields, requeued: GivenBack) {
        let (queue, tag) = self.tag(step);
        let how = if step.flag("requeue") { requeued } else { GivenBack::Rejected };
        let returned = self.broker.give_back(self.now, queue, tag, how);
        assert!(returned.is_some(), "{}: nothing to give back", step.place());
    }

    fn subscribe(&mut self, step: &Fields) {
        let queue = self.queue(step.text("queue"));
        let consumer = ConsumerIndex(u32::try_from(self.consumers.len()).expect("few consumers"));
        self.consumers.push((step.text("consumer").to_owned(), queue));
        let prefetch = u32::try_from(step.count("prefetch")).expect("a prefetch fits");
        self.broker.queue_mut(queue).subscribe(consumer, (prefetch > 0).then_some(prefetch));
    }

    fn consumer(&self, name: &str) -> ConsumerIndex {
        let place =
            self.consumers.iter().position(|(consumer, _)| consumer == name).expect("it has subscribed");
        ConsumerIndex(u32::try_from(place).expect("few consumers"))
    }

    fn deliveries(&mut self, step: &Fields) {
        let consumer = self.consumer(step.text("consumer"));
        let (own, others): (Vec<_>, Vec<_>) = std::mem::take(&mut self.pushed)
            .into_iter()
            .partition(|(_, delivery)| delivery.consumer == consumer);
        self.pushed = others;
        let found: Vec<Value> =
            own.iter().map(|(queue, delivery)| self.seen(*queue, delivery, false)).collect();
        assert_eq!(found, step.list("result"), "{}: deliveries", step.place());
    }

    fn disconnect(&mut self, consumer: ConsumerIndex) {
        self.disconnect_from(self.consumers[consumer.0 as usize].1, consumer);
    }

    fn disconnect_from(&mut self, queue: QueueIndex, consumer: ConsumerIndex) {
        self.broker.queue_mut(queue).disconnect(consumer);
        while self.broker.take_back_orphan(self.now, queue).is_some() {}
    }

    /// Everything that the broker does by itself at this instant.
    fn settle(&mut self) {
        for index in (0..self.queues.len()).map(QueueIndex) {
            while self.broker.expire(self.now, index) {}
            while let Some(delivery) = self.broker.dispatch(self.now, index) {
                self.record(index, delivery);
            }
        }
    }

    fn record(&mut self, queue: QueueIndex, delivery: Delivery) {
        self.remember(queue, &delivery);
        self.pushed.push((queue, delivery));
    }

    fn name(&self, delivery: &Delivery) -> String {
        self.messages[usize::try_from(delivery.id.number()).expect("few messages") - 1].clone()
    }

    fn remember(&mut self, queue: QueueIndex, delivery: &Delivery) {
        self.delivered.insert(self.name(delivery), (queue, delivery.tag));
    }

    /// A delivery as the recording shows it: a count of zero only where it was asked for by `get`.
    fn seen(&self, queue: QueueIndex, delivery: &Delivery, shows_zero: bool) -> Value {
        let mut seen = json!({ "id": self.name(delivery), "redelivered": delivery.redelivered });
        if self.counts_returns[queue.0] && (shows_zero || delivery.returns > 0) {
            seen["x-delivery-count"] = json!(delivery.returns);
        }
        let message = self.broker.queue(queue).delivered(delivery.tag).expect("it was just delivered");
        if let Some(past) = message.past().filter(|past| !past.deaths.is_empty()) {
            self.show_deaths(past, &mut seen);
        }
        seen
    }

    fn show_deaths(&self, past: &Past, seen: &mut Value) {
        let death = |death: &queue_lab::model::message::Death| {
            let queue = &self.queues[death.queue.0];
            let reason = reason_name(death.reason);
            let mut shown = json!({ "queue": queue, "reason": reason, "count": death.count,
                "exchange": "", "routing-keys": [queue] });
            if let Some(ttl) = death.ttl {
                shown["original-expiration"] = json!((ttl.micros() / 1_000).to_string());
            }
            shown
        };
        seen["x-death"] = past.deaths.iter().map(death).collect();
        let (queue, reason) = past.first_death.expect("it died");
        seen["x-first-death-queue"] = json!(self.queues[queue.0]);
        seen["x-first-death-reason"] = json!(reason_name(reason));
    }
}

fn reason_name(reason: DeathReason) -> &'static str {
    match reason {
        DeathReason::Rejected => "rejected",
        DeathReason::Expired => "expired",
        DeathReason::MaxLength => "maxlen",
        DeathReason::DeliveryLimit => "delivery_limit",
    }
}

fn rules_of(kind: &str, delivery_limit: Option<u32>) -> QueueRules {
    match (kind, delivery_limit) {
        ("classic", None) => QueueRules::rabbitmq_classic(),
        ("quorum", limit) => QueueRules::rabbitmq_quorum(limit),
        other => panic!("no such queue: {other:?}"),
    }
}

fn rules(kind: &str, args: &Fields) -> QueueRules {
    let delivery_limit =
        args.optional_count("x-delivery-limit").map(|limit| u32::try_from(limit).expect("it fits"));
    let mut rules = rules_of(kind, delivery_limit);
    if let Some(bound) = args.optional_count("x-max-length") {
        rules.bound = Bound::Messages(bound);
    }
    rules.bound_bytes = args.optional_count("x-max-length-bytes");
    match args.optional_text("x-overflow") {
        None | Some("drop-head") => rules.overflow = OverflowPolicy::DropOldest,
        Some("reject-publish") => rules.overflow = OverflowPolicy::Reject,
        Some("reject-publish-dlx") => {
            rules.overflow = OverflowPolicy::Reject;
            rules.dead_letters_refused = true;
        }
        Some(other) => panic!("no overflow {other}"),
    }
    rules.ttl = args.optional_count("x-message-ttl").map(Span::from_millis);
    if let Some(priorities) = args.optional_count("x-max-priority") {
        rules.priority_max = u8::try_from(priorities).expect("a priority fits a byte");
    }
    rules.single_active_consumer = args.flag("x-single-active-consumer");
    if args.has("x-dead-letter-exchange") {
        assert_eq!(args.text("x-dead-letter-exchange"), "", "only the default exchange");
    }
    args.prose(&["x-dead-letter-routing-key"]);
    args.all_were_read();
    rules
}

/// The recording of the memory alarm: its steps are sentences, each of which is one operation.
fn run_alarm(case: &Fields) {
    case.prose(&["title"]);
    let mut broker = Broker::new(vec![WorkQueue::new(QueueRules::rabbitmq_classic())], u64::MAX);
    let queue = QueueIndex(0);
    let (mut events, mut got) = (Vec::new(), Vec::new());
    let publish = |broker: &mut Broker, number| {
        broker.publish(Instant::START, queue, Message::plain(MessageId::new(0, number), Instant::START))
    };
    let get = |broker: &mut Broker| {
        let received = broker.receive(Instant::START, queue, PULL, 1, None).pop();
        received.map_or(Value::Null, |delivery| json!(format!("m{}", delivery.id.number())))
    };
    for step in case.texts("steps") {
        match step.as_str() {
            "publish m1 (accepted)" => {
                assert_eq!(publish(&mut broker, 1), Offered::Queue(Published::Accepted))
            }
            "memory alarm raised" => broker.set_memory(0),
            "publisher connection receives connection.blocked (reason \"low on memory\")" => {
                assert!(broker.is_memory_full());
                events.push(json!("connection.blocked low on memory"));
            }
            "publish m2 on the blocked connection (not read by the broker)" => {
                assert_eq!(publish(&mut broker, 2), Offered::MemoryFull);
            }
            "separate consumer connection gets m1"
            | "separate consumer connection gets nothing more while the alarm is on" => {
                got.push(get(&mut broker))
            }
            "alarm cleared: publisher receives connection.unblocked" => {
                broker.set_memory(u64::MAX);
                assert!(!broker.is_memory_full());
                events.push(json!("connection.unblocked"));
                assert_eq!(publish(&mut broker, 2), Offered::Queue(Published::Accepted));
            }
            "consumer gets m2" => got.push(get(&mut broker)),
            other => panic!("{}: no step {other}", case.place()),
        }
    }
    let recorded = case.object("recorded");
    assert_eq!((events.as_slice(), got.as_slice()), (recorded.list("events"), recorded.list("got")));
    recorded.all_were_read();
}
