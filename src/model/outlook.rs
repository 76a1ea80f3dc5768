//! What comes next if no dial moves: the fluid forecast.
//!
//! `Q(t) = max(0, Q₀ + (λ − μ)t)`: the number waiting moves at the difference between what
//! arrives and what can be finished (`fluid-backlog` among the reference vectors). It is exact
//! for steady arrivals and fixed work to within the messages in flight, and a mean otherwise.
//! There is no sampling here: two calls with the same inputs give the same outlook.

use super::rate::Rate;
use super::settings::Bound;
use super::time::Span;

/// Where the number waiting is heading, were no dial to move again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outlook {
    /// What the dials let in and out: arrivals asked for minus capacity, in thousandths a
    /// second. Positive: the line grows; negative: it shrinks while anything waits.
    pub growth_thousandths_per_second: i64,
    /// What happens next.
    pub next: NextEvent,
}

/// The next thing that changes the shape of the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextEvent {
    /// Nothing changes: in and out are equal, or nothing waits and nothing needs to.
    Level,
    /// The queue is at its bound and stays there.
    StaysFull,
    /// The broker's memory is full and stays full.
    StaysOutOfMemory,
    /// The queue reaches its bound.
    FullIn(Span),
    /// The broker's memory is full: the memory alarm is raised.
    OutOfMemoryIn(Span),
    /// The last waiting message is taken.
    EmptyIn(Span),
}

/// What the forecast starts from.
#[derive(Clone, Copy, Debug)]
pub struct OutlookInput {
    /// Arrivals the producer's dial asks for.
    pub arrivals: Rate,
    /// What all consumers together can finish.
    pub capacity: Rate,
    /// Messages waiting now.
    pub waiting: u64,
    /// Messages in a blocked producer's hand now.
    pub held_back: u64,
    /// Messages with consumers now.
    pub in_flight: u64,
    /// How many may wait.
    pub bound: Bound,
    /// Messages the broker can hold.
    pub memory: u64,
}

impl Outlook {
    /// The forecast from `input`.
    #[must_use]
    pub fn of(input: &OutlookInput) -> Self {
        let arrivals = i64::try_from(input.arrivals.thousandths()).unwrap_or(i64::MAX);
        let capacity = i64::try_from(input.capacity.thousandths()).unwrap_or(i64::MAX);
        let growth = arrivals - capacity;
        Self { growth_thousandths_per_second: growth, next: next_event(input, growth) }
    }
}

fn next_event(input: &OutlookInput, growth: i64) -> NextEvent {
    let difference = Rate::from_thousandths(growth.unsigned_abs());
    if growth > 0 {
        return while_growing(input, difference);
    }
    if growth == 0 || input.waiting + input.held_back == 0 {
        return NextEvent::Level;
    }
    // While the producer holds messages back its clock stands still, so these leave at the whole
    // capacity; only then does the difference count.
    let held_back = input.capacity.time_for_messages(input.held_back);
    let waiting = difference.time_for_messages(input.waiting);
    held_back
        .zip(waiting)
        .map_or(NextEvent::Level, |(held_back, waiting)| NextEvent::EmptyIn(held_back + waiting))
}

fn while_growing(input: &OutlookInput, difference: Rate) -> NextEvent {
    let room_in_memory = input.memory.saturating_sub(input.waiting + input.in_flight);
    let room_in_queue = match input.bound {
        Bound::Messages(bound) => bound.saturating_sub(input.waiting),
        Bound::None => u64::MAX,
    };
    match (room_in_queue, room_in_memory) {
        (0, _) => NextEvent::StaysFull,
        (_, 0) => NextEvent::StaysOutOfMemory,
        (queue, memory) if queue <= memory => {
            difference.time_for_messages(queue).map_or(NextEvent::Level, NextEvent::FullIn)
        }
        (_, memory) => {
            difference.time_for_messages(memory).map_or(NextEvent::Level, NextEvent::OutOfMemoryIn)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(arrivals: u64, capacity: u64, waiting: u64, bound: Bound, expected: NextEvent) {
        let input = OutlookInput {
            arrivals: Rate::from_per_second(arrivals),
            capacity: Rate::from_per_second(capacity),
            waiting,
            held_back: 0,
            in_flight: 0,
            bound,
            memory: 4_000_000,
        };
        assert_eq!(Outlook::of(&input).next, expected, "{input:?}");
    }

    #[test]
    fn messages_that_are_held_back_leave_at_the_whole_capacity() {
        let input = OutlookInput {
            arrivals: Rate::from_per_second(4),
            capacity: Rate::from_per_second(6),
            waiting: 20,
            held_back: 30,
            in_flight: 1,
            bound: Bound::Messages(20),
            memory: 4_000_000,
        };
        assert_eq!(Outlook::of(&input).next, NextEvent::EmptyIn(Span::from_seconds(15)));
    }

    #[test]
    fn the_forecast_is_the_fluid_one() {
        let sixty = Bound::Messages(60);
        check(8, 6, 0, sixty, NextEvent::FullIn(Span::from_seconds(30)));
        check(8, 6, 42, sixty, NextEvent::FullIn(Span::from_seconds(9)));
        check(8, 6, 60, sixty, NextEvent::StaysFull);
        check(6, 6, 42, sixty, NextEvent::Level);
        check(6, 10, 60, sixty, NextEvent::EmptyIn(Span::from_seconds(15)));
        check(6, 10, 0, sixty, NextEvent::Level);
        check(8, 6, 0, Bound::None, NextEvent::OutOfMemoryIn(Span::from_seconds(2_000_000)));
        check(8, 0, 0, sixty, NextEvent::FullIn(Span::from_micros(7_500_000)));
        check(0, 0, 10, sixty, NextEvent::Level);
    }
}
