//! What a careful author writes by hand for one queue or one log, without any of the model's promises:
//! floats, a heap of what happens next, a queue of arrival times, the mean wait. It knows nothing of
//! the model; the model's speed is measured beside it.

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, VecDeque};

/// A queue with `consumers` that finish `service_rate` a second each.
#[derive(Clone, Copy, Debug)]
pub struct Queue {
    /// Messages that arrive, a second.
    pub arrival_rate: f64,
    /// How many consumers there are.
    pub consumers: usize,
    /// Messages that each finishes, a second.
    pub service_rate: f64,
}

/// Attempts that fail, and what follows.
#[derive(Clone, Copy, Debug)]
pub struct Retries {
    /// The share of attempts that fail.
    pub failing: f64,
    /// How many attempts there are, the first included.
    pub attempts: u32,
    /// How long a failed message waits before it is in line again, in seconds.
    pub delay: f64,
}

/// A log of partitions, each with a reader of its own.
#[derive(Clone, Copy, Debug)]
pub struct Log {
    /// Records that arrive, a second.
    pub arrival_rate: f64,
    /// How many partitions there are.
    pub partitions: usize,
    /// Keys, one of which is drawn for each record; 0: records go to the partitions by turn.
    pub keys: u64,
    /// Records that each reader finishes, a second; `None`: nobody reads, and arrivals are steady.
    pub service_rate: Option<f64>,
    /// Records that are stored at most: the oldest are dropped.
    pub stored_max: u64,
}

/// What comes out.
#[derive(Clone, Copy, Debug, Default)]
pub struct Outcome {
    /// How long messages waited for their first attempt together, in seconds.
    pub waited: f64,
    /// Messages that failed at every attempt.
    pub dead_letters: u64,
    /// Records that a log stores.
    pub stored: u64,
}

/// Xorshift with 64 bits (Marsaglia 2003).
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) + 1) as f64 / (1_u64 << 53) as f64
    }

    fn exponential(&mut self, rate: f64) -> f64 {
        -self.uniform().ln() / rate
    }
}

/// Messages that arrive at random and take a random time.
#[must_use]
pub fn without_retries(queue: Queue, messages: u64) -> Outcome {
    let mut random = Random(0x1234_5678_9abc_def0);
    let (mut waiting, mut finishes) = (VecDeque::new(), BinaryHeap::new());
    let mut outcome = Outcome::default();
    let (mut next_arrival, mut arrived) = (random.exponential(queue.arrival_rate), 0);
    while arrived < messages {
        let finish = finishes.peek().map(|finish: &Reverse<Time>| finish.0.0);
        if finish.is_none_or(|finish| next_arrival < finish) {
            arrived += 1;
            if finishes.len() < queue.consumers {
                finishes.push(Reverse(Time(next_arrival + random.exponential(queue.service_rate))));
            } else {
                waiting.push_back(next_arrival);
            }
            next_arrival += random.exponential(queue.arrival_rate);
        } else if let Some(Reverse(Time(now))) = finishes.pop()
            && let Some(since) = waiting.pop_front()
        {
            outcome.waited += now - since;
            finishes.push(Reverse(Time(now + random.exponential(queue.service_rate))));
        }
    }
    outcome
}

/// The same with one consumer, where attempts fail and are made again.
#[must_use]
pub fn with_retries(queue: Queue, retries: Retries, messages: u64) -> Outcome {
    let mut random = Random(0x1234_5678_9abc_def0);
    let (mut waiting, mut events) = (VecDeque::new(), BinaryHeap::new());
    let mut outcome = Outcome::default();
    let (mut arrived, mut in_work) = (0, None);
    events.push(Reverse((Time(random.exponential(queue.arrival_rate)), Next::Arrival)));
    while arrived < messages
        && let Some(Reverse((Time(now), next))) = events.pop()
    {
        match next {
            Next::Arrival => {
                arrived += 1;
                waiting.push_back((now, 1));
                events.push(Reverse((Time(now + random.exponential(queue.arrival_rate)), Next::Arrival)));
            }
            Next::Again(attempt) => waiting.push_back((now, attempt)),
            Next::Finish => {
                let attempt = in_work.take().unwrap_or(1);
                if random.uniform() < retries.failing {
                    if attempt < retries.attempts {
                        events.push(Reverse((Time(now + retries.delay), Next::Again(attempt + 1))));
                    } else {
                        outcome.dead_letters += 1;
                    }
                }
            }
        }
        if in_work.is_none()
            && let Some((since, attempt)) = waiting.pop_front()
        {
            outcome.waited += if attempt == 1 { now - since } else { 0.0 };
            in_work = Some(attempt);
            events.push(Reverse((Time(now + random.exponential(queue.service_rate)), Next::Finish)));
        }
    }
    outcome
}

/// Records that stay where they are, and readers that go from one to the next.
#[must_use]
pub fn partitioned_log(log: Log, messages: u64) -> Outcome {
    let mut random = Random(0x1234_5678_9abc_def0);
    let mut partitions = vec![Partition::default(); log.partitions];
    let mut finishes = BinaryHeap::new();
    let mut outcome = Outcome::default();
    let (mut next_arrival, mut arrived) = (1.0 / log.arrival_rate, 0);
    while arrived < messages {
        let finish = finishes.peek().map(|finish: &Reverse<(Time, usize)>| finish.0.0.0);
        if finish.is_none_or(|finish| next_arrival < finish) {
            let to = log.partition(arrived, &mut random);
            arrived += 1;
            outcome.stored += 1;
            partitions[to].times.push_back(next_arrival);
            if outcome.stored > log.stored_max {
                outcome.stored -= 1;
                partitions[to].times.pop_front();
            }
            if let (Some(rate), false) = (log.service_rate, partitions[to].is_in_work) {
                partitions[to].is_in_work = true;
                finishes.push(Reverse((Time(next_arrival + random.exponential(rate)), to)));
            }
            next_arrival += match log.service_rate {
                Some(_) => random.exponential(log.arrival_rate),
                None => 1.0 / log.arrival_rate,
            };
        } else if let (Some(Reverse((Time(now), of))), Some(rate)) = (finishes.pop(), log.service_rate) {
            let partition = &mut partitions[of];
            partition.committed += 1;
            match partition.times.get(partition.committed) {
                Some(since) => {
                    outcome.waited += now - since;
                    finishes.push(Reverse((Time(now + random.exponential(rate)), of)));
                }
                None => partition.is_in_work = false,
            }
        }
    }
    outcome
}

/// When the records of a partition came, how many are done, and whether its reader works on the next.
#[derive(Clone, Debug, Default)]
struct Partition {
    times: VecDeque<f64>,
    committed: usize,
    is_in_work: bool,
}

impl Log {
    /// Where a record goes: by turn, or where a multiplicative hash of its key belongs.
    fn partition(&self, arrived: u64, random: &mut Random) -> usize {
        let number = match self.keys {
            0 => arrived,
            keys => (((random.uniform() * keys as f64) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)) >> 32,
        };
        (number % self.partitions as u64) as usize
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Next {
    Finish,
    Again(u32),
    Arrival,
}

#[derive(Clone, Copy, PartialEq)]
struct Time(f64);

impl Eq for Time {}

impl PartialOrd for Time {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Time {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}
