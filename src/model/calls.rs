//! Direct calls: who waits for a consumer, or for its answer.

use super::broker::QueueIndex;
use super::held::HeldBytes;
use super::message::MessageId;
use super::ordered::Ordered;
use super::state_hash::StateHasher;
use super::time::Instant;

/// The most callers that wait for a consumer; a further call is refused, as by a full listen
/// backlog.
pub const CALLERS_MAX: usize = 10_000;

/// A call that nobody has answered yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// Which message.
    pub id: MessageId,
    /// Whose consumers it calls: those of this queue.
    pub queue: QueueIndex,
    /// Since when its sender waits.
    pub since: Instant,
    /// Until when; `None`: for ever.
    pub until: Option<Instant>,
    /// When it is too late for the message, if it ever is.
    pub deadline: Option<Instant>,
    /// Which call of the run it is, from when it is open.
    pub order: u64,
    /// Where it stands.
    pub stage: CallStage,
}

/// Where a call stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallStage {
    /// Its sender waits for a consumer.
    Waiting,
    /// A consumer works on it.
    Working,
    /// A consumer works on it, and its sender does not wait any more.
    Abandoned,
}

impl Call {
    /// The call of a sender that waits from now on, for ever, with a message that is never too late.
    #[must_use]
    pub const fn new(id: MessageId, queue: QueueIndex, since: Instant) -> Self {
        Self { id, queue, since, until: None, deadline: None, order: 0, stage: CallStage::Waiting }
    }
}

/// All calls that nobody has answered yet.
#[derive(Clone, Debug, Default)]
pub struct Calls {
    /// By message.
    open: Ordered<Call>,
    /// Those that wait for a consumer, by queue, in the order in which they came.
    waiting: Ordered<()>,
    /// By the instant at which their senders wait no longer.
    timeouts: Ordered<()>,
    total: u64,
}

impl Calls {
    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// How many wait for a consumer.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// All of them, by message.
    pub fn iter(&self) -> impl Iterator<Item = &Call> {
        self.open.iter().map(|(_, call)| call)
    }

    /// A sender waits for a consumer: the last in order.
    pub fn open(&mut self, call: Call) {
        self.total += 1;
        let (id, order) = (call.id.raw(), self.total);
        self.open.insert([id, 0, 0], Call { order, ..call });
        self.waiting.insert([call.queue.0 as u64, order, id], ());
        if let Some(until) = call.until {
            self.timeouts.insert([until.micros(), order, id], ());
        }
    }

    /// The call that has waited longest for a consumer of `queue`.
    #[must_use]
    pub fn next_waiting(&self, queue: QueueIndex) -> Option<&Call> {
        let ([of, _, id], ()) = self.waiting.next_from([queue.0 as u64, 0, 0])?;
        self.open.get(&[id, 0, 0]).filter(|_| of == queue.0 as u64)
    }

    /// A consumer starts on the call. Returns it.
    pub fn start(&mut self, id: MessageId) -> Option<Call> {
        let call = self.open.get_mut(&[id.raw(), 0, 0])?;
        call.stage = CallStage::Working;
        self.waiting.remove(&[call.queue.0 as u64, call.order, id.raw()]);
        Some(*call)
    }

    /// The call comes to an end. Returns it.
    pub fn end(&mut self, id: MessageId) -> Option<Call> {
        let call = self.open.remove(&[id.raw(), 0, 0])?;
        self.waiting.remove(&[call.queue.0 as u64, call.order, id.raw()]);
        self.forget_timeout(&call);
        Some(call)
    }

    /// Takes the first sender that waits no longer at `now`. A call that a consumer works on goes
    /// on without it.
    pub fn time_out(&mut self, now: Instant) -> Option<Call> {
        let ([until, _, id], ()) =
            self.timeouts.first().filter(|([until, ..], ())| *until <= now.micros())?;
        let call = *self.open.get(&[id, 0, 0])?;
        self.timeouts.remove(&[until, call.order, id]);
        if call.stage == CallStage::Waiting {
            return self.end(call.id);
        }
        if let Some(goes_on) = self.open.get_mut(&[id, 0, 0]) {
            goes_on.stage = CallStage::Abandoned;
        }
        Some(call)
    }

    /// When the first sender waits no longer.
    #[must_use]
    pub fn next_timeout(&self) -> Option<Instant> {
        self.timeouts.first().map(|([until, ..], ())| Instant::from_micros(until))
    }

    fn forget_timeout(&mut self, call: &Call) {
        if let Some(until) = call.until {
            self.timeouts.remove(&[until.micros(), call.order, call.id.raw()]);
        }
    }

    /// Counts the bytes it holds beside itself.
    pub fn count_held(&self, held: &mut HeldBytes) {
        held.tree::<Call>(self.open.len());
        held.tree::<[u64; 3]>(self.waiting.len() + self.timeouts.len());
    }

    /// Feeds the whole state to `hasher`.
    pub fn hash_into(&self, hasher: &mut StateHasher) {
        for ([id, ..], call) in self.open.iter() {
            hasher.write(id);
            hasher.write(call.queue.0 as u64);
            hasher.write(call.since.micros());
            hasher.write(call.until.map_or(u64::MAX, Instant::micros));
            hasher.write(call.deadline.map_or(u64::MAX, Instant::micros));
            hasher.write(call.order << 2 | call.stage as u64);
        }
    }
}
