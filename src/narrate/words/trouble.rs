//! What is wrong, in words.

use super::super::locale::Field;
use super::super::trouble::{Idleness, Trouble};
use super::Words;

impl Words<'_> {
    #[inline(never)]
    pub(super) fn trouble(&mut self, trouble: &Trouble) {
        match *trouble {
            Trouble::NoBroker { up_in, held_back } => {
                match up_in {
                    Some(time) => self.say("trouble.failing_over", &[("time", Field::Time(time))]),
                    None => self.say_plain("trouble.broker_down"),
                }
                if held_back > 0 {
                    self.say("trouble.outside", &[("count", Field::Count(held_back))]);
                }
            }
            Trouble::NobodyTakes { why, consumers, waiting } => {
                self.say(idleness_key(why), &[("consumers", Field::Count(consumers))]);
                self.say_waiting(waiting);
            }
            Trouble::PoisonKeeps { .. } => self.poison_keeps(trouble),
            Trouble::SomeMissing { missing, consumers, waiting } => {
                let fields = [("missing", Field::Count(missing)), ("consumers", Field::Count(consumers))];
                self.say("trouble.some_missing", &fields);
                self.say_waiting(waiting);
            }
            Trouble::SlowDatabase { capacity, rate, waiting } => {
                let fields = [("capacity", Field::Rate(capacity)), ("rate", Field::Rate(rate))];
                self.say("trouble.database", &fields);
                self.say_waiting(waiting);
            }
            Trouble::DeadLetters { count, oldest, waiting } => {
                let fields = [("count", Field::Count(count)), ("time", Field::Time(oldest))];
                self.say("trouble.dead_letters", &fields);
                self.say_waiting(waiting);
            }
        }
    }

    fn poison_keeps(&mut self, trouble: &Trouble) {
        let Trouble::PoisonKeeps { busy, consumers, attempt, arrivals, left, waiting } = *trouble else {
            return;
        };
        let fields = [
            ("busy", Field::Count(busy)),
            ("consumers", Field::Count(consumers)),
            ("attempt", Field::Count(attempt)),
        ];
        self.say("trouble.poison", &fields);
        match left {
            Some(left) if left.is_zero() => self.say_plain("trouble.poison.alone"),
            Some(left) => {
                let fields = [("arrivals", Field::Rate(arrivals)), ("left", Field::Rate(left))];
                self.say("trouble.poison.left", &fields);
            }
            None => {}
        }
        self.say_waiting(waiting);
    }

    fn say_waiting(&mut self, waiting: u64) {
        self.say("counts.waiting", &[("count", Field::Count(waiting))]);
    }
}

const fn idleness_key(why: Idleness) -> &'static str {
    match why {
        Idleness::Stopped => "trouble.stopped",
        Idleness::Crashed => "trouble.crashed",
        Idleness::Hung => "trouble.hung",
        Idleness::Mixed => "trouble.nobody",
    }
}
