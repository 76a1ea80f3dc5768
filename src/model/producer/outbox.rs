//! What a producer does beside sending each message as it comes: it keeps to a limit, sheds what is
//! of low value, and sends again what was not confirmed.
//!
//! Most producers have no outbox, and pay nothing for it.

use super::super::gate::Gate;
use super::super::held::HeldBytes;
use super::super::message::MessageId;
use super::super::ordered::Ordered;
use super::super::rate::Rate;
use super::super::settings::{BrokerKind, Confirms, Idempotence, SendPath, Settings};
use super::super::state_hash::StateHasher;
use super::super::time::{Instant, Span};
use super::Producer;

/// By which rules a producer sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SendingRules {
    /// How it learns what became of a message.
    pub confirms: Confirms,
    /// Share of confirms that are lost, in millionths.
    pub confirm_loss: u32,
    /// How long it waits for a confirm: at least a microsecond, so that time passes between
    /// attempts.
    pub confirm_timeout: Span,
    /// How often it sends one message.
    pub attempts_max: Option<u64>,
    /// With how many messages unconfirmed it goes on.
    pub unconfirmed_max: u64,
    /// Whether a topic knows what it sends again and appends it once.
    pub is_idempotent: bool,
    /// While more wait, it sheds.
    pub shed_above: Option<u64>,
    /// Share of its messages that are of low value, in millionths.
    pub shed_share: u32,
    /// Messages a second that it hands over at most.
    pub shape_limit: Option<Rate>,
    /// Which way its messages go.
    pub path: SendPath,
    /// How long it waits for the answer to a call: at least a microsecond.
    pub call_timeout: Option<Span>,
}

/// What callers went through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallTimes {
    /// Calls that wait for a consumer.
    pub waiting: u64,
    /// Calls that came to an end: answered, failed, or timed out.
    pub ended: u64,
    /// How long their callers waited, together.
    pub total: Span,
    /// How long one waited at most.
    pub max: Span,
}

impl CallTimes {
    /// How long they waited on average; `None` where none has ended.
    #[must_use]
    pub fn mean(&self) -> Option<Span> {
        self.total.micros().checked_div(self.ended).map(Span::from_micros)
    }
}

/// A message whose confirm did not come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unconfirmed {
    /// Which message.
    pub id: MessageId,
    /// How often it was sent.
    pub attempt: u32,
    /// Whether the broker took it in: only the reply was lost. If not, it is still the producer's.
    pub is_placed: bool,
}

/// What a producer has yet to send, or to send again.
#[derive(Clone, Debug)]
pub struct Outbox {
    rules: SendingRules,
    gate: Gate,
    /// Messages that were presented and wait for the gate: its last ones.
    shaped: u64,
    /// By the instant of the next attempt, and in the order in which they were sent.
    unconfirmed: Ordered<Unconfirmed>,
    /// How many of these the broker does not have.
    unplaced: u64,
    sent_total: u64,
    /// What was confirmed at this very instant, by message: its reply is on its way.
    in_transit: Ordered<Unconfirmed>,
    in_transit_at: Instant,
    /// What its callers went through.
    pub calls: CallTimes,
}

/// Of an idempotent producer, at most so many batches are unconfirmed (Kafka
/// `max.in.flight.requests.per.connection`).
const IDEMPOTENT_UNCONFIRMED_MAX: u64 = 5;

impl SendingRules {
    /// As these settings say.
    #[must_use]
    pub fn of(settings: &Settings) -> Self {
        let is_idempotent = match settings.idempotence {
            Idempotence::AsBroker => settings.broker == BrokerKind::Kafka,
            Idempotence::Off => false,
            Idempotence::On => true,
        };
        let most = if is_idempotent { IDEMPOTENT_UNCONFIRMED_MAX } else { u64::MAX };
        Self {
            confirms: settings.confirms,
            confirm_loss: settings.confirm_loss_share,
            confirm_timeout: settings.confirm_timeout.max(Span::from_micros(1)),
            attempts_max: settings.send_attempts_max,
            unconfirmed_max: settings.unconfirmed_max.min(most),
            is_idempotent,
            shed_above: settings.shed_above,
            shed_share: settings.shed_share,
            shape_limit: settings.shape_limit,
            path: settings.send_path,
            call_timeout: settings.call_timeout.map(|timeout| timeout.max(Span::from_micros(1))),
        }
    }

    /// Whether each message is sent as it comes.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.confirms == Confirms::Instant
            && self.shed_above.is_none()
            && self.shape_limit.is_none()
            && self.path == SendPath::Queue
    }
}

impl Default for Outbox {
    fn default() -> Self {
        Self {
            rules: SendingRules::of(&Settings::default()),
            gate: Gate::new(None),
            shaped: 0,
            unconfirmed: Ordered::default(),
            unplaced: 0,
            sent_total: 0,
            in_transit: Ordered::default(),
            in_transit_at: Instant::START,
            calls: CallTimes::default(),
        }
    }
}

impl Outbox {
    /// Sets the rules. What is under way goes on by them.
    pub fn set_rules(&mut self, now: Instant, rules: SendingRules) {
        if rules.shape_limit != self.rules.shape_limit {
            self.gate.set_limit(now, rules.shape_limit);
        }
        self.rules = rules;
    }

    /// The rules.
    #[must_use]
    pub const fn rules(&self) -> &SendingRules {
        &self.rules
    }

    /// A message was presented. Returns whether it may be sent at once; if not, it waits behind the
    /// others.
    pub fn may_pass(&mut self, now: Instant) -> bool {
        let may = self.shaped == 0 && self.gate.is_open();
        if may {
            self.gate.close(now);
        } else {
            self.shaped += 1;
        }
        may
    }

    /// Messages that wait for the gate.
    #[must_use]
    pub const fn shaped(&self) -> u64 {
        self.shaped
    }

    /// Lets the next one through that may pass. Returns how far it is from the producer's last.
    fn take_shaped(&mut self) -> Option<u64> {
        let left = self.shaped.checked_sub(1).filter(|_| self.gate.is_open())?;
        self.shaped = left;
        Some(left)
    }

    /// The gate opens if it is time; or a message passed it.
    pub fn mind_gate(&mut self, now: Instant, has_passed: bool) {
        if has_passed {
            self.gate.close(now);
        } else if self.gate.opens_at().is_some_and(|at| at <= now) {
            self.gate.open(now);
        }
    }

    /// When it has something to do; `is_blocked`: a message waits for room before all others.
    #[must_use]
    pub fn due(&self, now: Instant, is_blocked: bool) -> Option<Instant> {
        let passes = (self.shaped > 0 && !is_blocked && self.gate.is_open()).then_some(now);
        let again = self.unconfirmed.first().map(|([at, ..], _)| Instant::from_micros(at));
        [passes, self.gate.opens_at(), again].into_iter().flatten().min().map(|at| at.max(now))
    }

    /// Whether so many messages lack their confirm that it waits with the next one.
    #[must_use]
    pub fn waits_for_confirms(&self) -> bool {
        self.rules.confirms == Confirms::Awaited
            && self.unconfirmed.len() as u64 >= self.rules.unconfirmed_max
    }

    /// The confirm did not come, and will not: another attempt follows once it is overdue.
    pub fn expect_nothing(&mut self, now: Instant, sent: Unconfirmed) {
        self.sent_total += 1;
        self.unplaced += u64::from(!sent.is_placed);
        let at = now + self.rules.confirm_timeout;
        self.unconfirmed.insert([at.micros(), self.sent_total, 0], sent);
    }

    /// Takes the first message whose confirm is overdue.
    pub fn take_overdue(&mut self, now: Instant) -> Option<Unconfirmed> {
        let ([at, ..], _) = self.unconfirmed.first()?;
        let (_, sent) = (at <= now.micros()).then(|| self.unconfirmed.pop_first())??;
        self.unplaced -= u64::from(!sent.is_placed);
        Some(sent)
    }

    /// Whether it may be sent again after so many attempts.
    #[must_use]
    pub fn may_send_again(&self, attempt: u32) -> bool {
        self.rules.attempts_max.is_none_or(|most| u64::from(attempt) < most)
    }

    /// How many lack their confirm.
    #[must_use]
    pub fn unconfirmed(&self) -> u64 {
        self.unconfirmed.len() as u64
    }

    /// Messages that it holds: those that wait for the gate, those that it sent and the broker does
    /// not have, and those of callers that wait for a consumer.
    #[must_use]
    pub const fn held_back(&self) -> u64 {
        self.shaped + self.unplaced + self.calls.waiting
    }

    /// The same, counted one by one.
    #[must_use]
    pub fn recount_held_back(&self) -> u64 {
        let callers = self.calls.waiting;
        self.shaped + callers + self.unconfirmed.iter().filter(|(_, sent)| !sent.is_placed).count() as u64
    }

    /// The confirm of a message is on its way, and arrives within this instant.
    pub fn confirm(&mut self, now: Instant, sent: Unconfirmed) {
        if self.in_transit_at != now {
            self.in_transit.clear();
            self.in_transit_at = now;
        }
        if (self.in_transit.len() as u64) < self.rules.unconfirmed_max {
            self.in_transit.insert([sent.id.raw(), 0, 0], Unconfirmed { is_placed: true, ..sent });
        }
    }

    /// The confirms that were on their way are lost. Returns them.
    pub fn lose_confirms(&mut self, now: Instant) -> Ordered<Unconfirmed> {
        let lost = std::mem::take(&mut self.in_transit);
        if self.in_transit_at == now { lost } else { Ordered::default() }
    }

    /// Counts the bytes it holds.
    pub fn count_held(&self, held: &mut HeldBytes) {
        held.own::<Self>(1);
        held.tree::<Unconfirmed>(self.unconfirmed.len());
    }

    /// Feeds the whole state to `hasher`.
    pub fn hash_into(&self, hasher: &mut StateHasher) {
        let rules = &self.rules;
        for value in [
            rules.confirms as u64,
            u64::from(rules.confirm_loss),
            rules.confirm_timeout.micros(),
            rules.attempts_max.unwrap_or(u64::MAX),
            rules.unconfirmed_max,
            rules.shed_above.unwrap_or(u64::MAX),
            u64::from(rules.shed_share),
            rules.shape_limit.map_or(u64::MAX, Rate::thousandths),
            self.shaped,
            self.sent_total,
            self.in_transit_at.micros(),
        ] {
            hasher.write(value);
        }
        self.hash_calls_into(hasher);
        self.gate.hash_into(hasher);
        for ([at, ..], sent) in self.unconfirmed.iter() {
            hasher.write(at);
            hasher.write(sent.id.raw());
            hasher.write(u64::from(sent.attempt) << 1 | u64::from(sent.is_placed));
        }
        self.in_transit.iter().for_each(|([id, ..], _)| hasher.write(id));
    }
}

impl Outbox {
    /// Feeds what has to do with direct calls to `hasher`: nothing, where there never was one.
    fn hash_calls_into(&self, hasher: &mut StateHasher) {
        let CallTimes { waiting, ended, total, max } = self.calls;
        if self.rules.path == SendPath::Direct || waiting + ended > 0 {
            let timeout = self.rules.call_timeout.map_or(u64::MAX, Span::micros);
            for value in [self.rules.path as u64, timeout, waiting, ended, total.micros(), max.micros()] {
                hasher.write(value);
            }
        }
    }
}

impl Producer {
    /// Sets by which rules it sends from now on.
    pub fn set_sending(&mut self, now: Instant, rules: SendingRules) {
        if self.outbox.is_some() || !rules.is_plain() {
            self.outbox.get_or_insert_default().set_rules(now, rules);
        }
    }

    /// What it does beside sending each message as it comes, if anything.
    #[must_use]
    pub fn outbox(&self) -> Option<&Outbox> {
        self.outbox.as_deref()
    }

    /// The same, to change it.
    pub fn outbox_mut(&mut self) -> Option<&mut Outbox> {
        self.outbox.as_deref_mut()
    }

    /// Takes the first message that it held back to keep to its limit, if it may be sent now.
    pub fn take_shaped(&mut self) -> Option<MessageId> {
        let outbox = self.outbox.as_mut().filter(|_| self.held.is_none())?;
        let back = outbox.take_shaped()?;
        Some(MessageId::new(self.sender, self.presented - back))
    }
}
