//! Which instants of a run are remembered.
//!
//! Checkpoints are evenly spaced in events, because events are what it takes to get from one to
//! the next: any instant lies at most one spacing behind one. A run that goes on gets new ones;
//! where there are too many, every second one is dropped and the spacing doubles.

use super::super::held::HeldBytes;
use super::super::time::Instant;
use super::State;

/// The most checkpoints there are.
pub const CHECKPOINTS_MAX: usize = 64;
/// There are never fewer once the run is so long, as long as they fit into [`BYTES_MAX`].
pub const CHECKPOINTS_MIN: usize = 12;
/// What they may hold together, in bytes as [`HeldBytes`] counts them. This comes first: a run
/// whose whole long line is exchanged again and again has fewer checkpoints.
pub const BYTES_MAX: u64 = 64_000_000;

/// The spacing at first, in events: less than a millisecond's work.
const SPACING_MIN: u64 = 2_048;

/// Remembered states, the earliest first. The first one is the start, which is never dropped.
#[derive(Clone, Debug)]
pub struct Checkpoints<W> {
    remembered: Vec<Remembered<W>>,
    spacing: u64,
    /// How many events from the start the next one is due at.
    next_due: u64,
}

#[derive(Clone, Debug)]
struct Remembered<W> {
    state: State<W>,
    /// The bytes that it holds and the one before does not. What two states share, those between
    /// them share too; so these add up.
    bytes: u64,
}

impl<W: Clone> Checkpoints<W> {
    /// Nothing is remembered yet: a run that nobody moves needs no copy of its start.
    pub const fn of_nothing() -> Self {
        Self { remembered: Vec::new(), spacing: SPACING_MIN, next_due: SPACING_MIN }
    }

    /// Remembers the start, before the run leaves it.
    pub fn keep_start(&mut self, start: &State<W>) {
        if self.remembered.is_empty() {
            self.remember(start);
        }
    }

    #[inline(never)]
    fn remember(&mut self, start: &State<W>) {
        let bytes = bytes_beyond(None, start);
        self.remembered.push(Remembered { state: start.clone(), bytes });
    }

    /// The remembered states, the earliest first.
    pub fn states(&self) -> impl ExactSizeIterator<Item = &State<W>> {
        self.remembered.iter().map(|remembered| &remembered.state)
    }

    /// The remembered states, to change what is not of the run.
    pub fn states_mut(&mut self) -> impl Iterator<Item = &mut State<W>> {
        self.remembered.iter_mut().map(|remembered| &mut remembered.state)
    }

    /// What all hold together.
    pub fn bytes(&self) -> u64 {
        self.remembered.iter().map(|remembered| remembered.bytes).sum()
    }

    /// The state to start from on the way to `target`, where that is nearer than `here`.
    pub fn nearer(&self, here: &State<W>, target: Instant) -> Option<&State<W>> {
        let later = self.remembered.partition_point(|other| other.state.simulation.now() <= target);
        let nearest = &self.remembered.get(later.checked_sub(1)?)?.state;
        let is_past = here.simulation.now() > target;
        (is_past || nearest.work > here.work).then_some(nearest)
    }

    /// Whether the next one is due where the run stands.
    pub const fn is_due(&self, here: &State<W>) -> bool {
        here.work >= self.next_due
    }

    /// How many events are left until one is due; any number once it is.
    pub const fn events_to_next(&self, here: &State<W>) -> u64 {
        match self.next_due.saturating_sub(here.work) {
            0 => u64::MAX,
            left => left,
        }
    }

    /// Remembers the state of a complete instant, if one is due.
    pub fn take_if_due(&mut self, here: &State<W>) {
        if !self.is_due(here) {
            return;
        }
        let last = self.remembered.last().map(|last| &last.state);
        let bytes = bytes_beyond(last, here);
        self.remembered.push(Remembered { state: here.clone(), bytes });
        // After a great many events at one instant the spacing suits the run at once.
        self.spacing = self.spacing.max(here.work / CHECKPOINTS_MAX as u64);
        self.next_due = here.work + self.spacing;
        self.make_room();
    }

    /// Forgets what comes after `instant`.
    pub fn forget_after(&mut self, instant: Instant) {
        self.remembered.retain(|other| other.state.simulation.now() <= instant);
        self.next_due = self.remembered.last().map_or(0, |last| last.state.work) + self.spacing;
    }

    fn make_room(&mut self) {
        let is_heavy = |own: &Self| own.bytes() > BYTES_MAX;
        while self.remembered.len() > CHECKPOINTS_MAX
            || (is_heavy(self) && self.remembered.len() >= 2 * CHECKPOINTS_MIN)
        {
            self.thin_out();
        }
        while is_heavy(self) && self.remembered.len() > 1 {
            self.drop_costliest();
        }
    }

    /// Drops every second one: those that are nearer to the one before than the new spacing.
    fn thin_out(&mut self) {
        self.spacing *= 2;
        let mut next = 0;
        self.remembered.retain(|other| {
            let stays = other.state.work >= next;
            if stays {
                next = other.state.work + self.spacing;
            }
            stays
        });
        let last = self.remembered.last().map_or(0, |last| last.state.work);
        self.next_due = self.next_due.max(last + self.spacing);
        (1..self.remembered.len()).for_each(|place| self.count_again(place));
    }

    /// Drops the one with which the most bytes go.
    fn drop_costliest(&mut self) {
        let costliest = (1..self.remembered.len()).max_by_key(|place| self.bytes_freed_by(*place));
        if let Some(place) = costliest {
            self.remembered.remove(place);
            self.count_again(place);
        }
    }

    fn bytes_freed_by(&self, place: usize) -> u64 {
        let bytes = |place: usize| self.remembered.get(place).map_or(0, |other| other.bytes);
        let after = self
            .remembered
            .get(place + 1)
            .map(|next| bytes_beyond(self.remembered.get(place - 1).map(|other| &other.state), &next.state));
        (bytes(place) + bytes(place + 1)).saturating_sub(after.unwrap_or_default())
    }

    fn count_again(&mut self, place: usize) {
        let before = place.checked_sub(1).and_then(|before| self.remembered.get(before));
        let Some(own) = self.remembered.get(place) else { return };
        let bytes = bytes_beyond(before.map(|other| &other.state), &own.state);
        if let Some(own) = self.remembered.get_mut(place) {
            own.bytes = bytes;
        }
    }
}

/// The bytes that `state` holds and `before` does not.
fn bytes_beyond<W>(before: Option<&State<W>>, state: &State<W>) -> u64 {
    let mut held = HeldBytes::default();
    before.iter().for_each(|before| before.simulation.count_held(&mut held));
    let mut beyond = held.beyond();
    state.simulation.count_held(&mut beyond);
    beyond.own::<State<W>>(1);
    beyond.bytes()
}
