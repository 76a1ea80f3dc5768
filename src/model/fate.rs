//! What becomes of an attempt: decided by the message, its attempt, and what was deployed.
//!
//! Poison fails every time until a fix is deployed; other failures are drawn for each start of
//! handling. A policy changes what follows from a failure, never whether there is one.

use super::held::HeldBytes;
use super::message::MessageId;
use super::ordered::Ordered;
use super::retry::FailureKind;
use super::rng::{DrawKey, Draws, Purpose};
use super::routes::Role;
use super::state_hash::StateHasher;

/// Decides attempts.
#[derive(Clone, Debug)]
pub struct Fates {
    failures: Draws,
    poisons: Draws,
    calls: Draws,
    wrong: Draws,
    shedding: Draws,
    confirms: Draws,
    /// Messages that were poisoned by a command.
    poisoned: Ordered<()>,
    is_fixed: bool,
}

/// How likely attempts fail, in millionths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FailureShares {
    /// Attempts that fail and may succeed the next time.
    pub transient: u32,
    /// Messages that fail every time.
    pub poison: u32,
}

impl Fates {
    /// The fates of the run of `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self {
            failures: Draws::new(seed, Purpose::Failure),
            poisons: Draws::new(seed, Purpose::Poison),
            calls: Draws::new(seed, Purpose::CallFailure),
            wrong: Draws::new(seed, Purpose::WrongResult),
            shedding: Draws::new(seed, Purpose::Shedding),
            confirms: Draws::new(seed, Purpose::ConfirmLoss),
            poisoned: Ordered::default(),
            is_fixed: false,
        }
    }

    /// Makes a message poison.
    pub fn poison(&mut self, id: MessageId) {
        self.poisoned.insert([id.origin(), 0, 0], ());
    }

    /// How many messages were made poison.
    #[must_use]
    pub fn poisoned(&self) -> u64 {
        self.poisoned.len() as u64
    }

    /// A fix is deployed: attempts that start from now on can succeed at poison.
    pub const fn deploy_fix(&mut self) {
        self.is_fixed = true;
    }

    /// Whether a fix is deployed.
    #[must_use]
    pub const fn is_fixed(&self) -> bool {
        self.is_fixed
    }

    /// Whether a message can still fail every time.
    #[must_use]
    pub fn may_meet_poison(&self, share_millionths: u32) -> bool {
        !self.is_fixed && (share_millionths > 0 || !self.poisoned.is_empty())
    }

    /// Whether the message is poison, fixed or not.
    #[must_use]
    pub fn is_poison(&self, id: MessageId, share_millionths: u32) -> bool {
        let by_share = share_millionths > 0 && happens(self.poisons, id, 0, 1, share_millionths);
        by_share || (!self.poisoned.is_empty() && self.poisoned.contains(&[id.origin(), 0, 0]))
    }

    /// Why the attempt number `start` of those of `role` at handling the message fails, if it does.
    #[must_use]
    #[inline(always)]
    pub fn failure(
        &self,
        id: MessageId,
        role: Role,
        start: u32,
        shares: FailureShares,
    ) -> Option<FailureKind> {
        let can_fail = shares.transient > 0 || shares.poison > 0 || !self.poisoned.is_empty();
        if can_fail { self.drawn_failure(id, role, start, shares) } else { None }
    }

    #[inline(never)]
    fn drawn_failure(
        &self,
        id: MessageId,
        role: Role,
        start: u32,
        shares: FailureShares,
    ) -> Option<FailureKind> {
        if !self.is_fixed && self.is_poison(id, shares.poison) {
            return Some(FailureKind::Permanent);
        }
        let fails = shares.transient > 0
            && happens(self.failures, id, u32::from(role.0), u64::from(start), shares.transient);
        fails.then_some(FailureKind::Transient)
    }

    /// Whether call number `call` of that attempt of those of `role` fails at the other side.
    #[must_use]
    pub fn call_fails(
        &self,
        id: MessageId,
        role: Role,
        start: u32,
        call: u64,
        share_millionths: u32,
    ) -> bool {
        // Nobody starts a message as often as that.
        let place = start ^ u32::from(role.0) << 24;
        share_millionths > 0 && happens(self.calls, id, place, call, share_millionths)
    }

    /// Whether the message is of low value.
    #[must_use]
    pub fn is_of_low_value(&self, id: MessageId, share_millionths: u32) -> bool {
        share_millionths > 0 && happens(self.shedding, id, 0, 1, share_millionths)
    }

    /// Whether the confirm of that attempt at sending the message is lost.
    #[must_use]
    pub fn loses_confirm(&self, id: MessageId, attempt: u32, share_millionths: u32) -> bool {
        share_millionths > 0 && happens(self.confirms, id, 0, u64::from(attempt), share_millionths)
    }

    /// Whether an attempt at the message that succeeds now has a wrong result.
    #[must_use]
    pub fn is_wrong(&self, id: MessageId, share_millionths: u32) -> bool {
        share_millionths > 0 && !self.is_fixed && happens(self.wrong, id, 0, 1, share_millionths)
    }

    /// Counts the bytes it holds beside itself.
    pub fn count_held(&self, held: &mut HeldBytes) {
        held.tree::<u64>(self.poisoned.len());
    }

    /// Feeds the whole state to `hasher`.
    pub fn hash_into(&self, hasher: &mut StateHasher) {
        hasher.write(u64::from(self.is_fixed));
        self.poisoned.iter().for_each(|([id, ..], ())| hasher.write(id));
    }
}

fn happens(draws: Draws, id: MessageId, role: u32, attempt: u64, share_millionths: u32) -> bool {
    let key = DrawKey { origin: id.origin(), role, attempt };
    draws.up_to(key, 999_999) < u64::from(share_millionths)
}
