//! Runs by name: what is said, and that it is true, all the way.

use queue_lab::lesson::scenario_file;
use queue_lab::model::command::{Command, ConsumerDoes};
use queue_lab::model::rate::Rate;
use queue_lab::model::settings::{
    ArrivalPattern, Bound, Definition, OverflowPolicy, ServiceTime, Setting, Settings, Value,
};
use queue_lab::model::snapshot::LossRule;
use queue_lab::model::time::{Instant, Span};
use queue_lab::narrate::course::Course;
use queue_lab::narrate::format::Numerals;
use queue_lab::narrate::locale::Locale;
use queue_lab::narrate::narrator::{Narrator, Occasion, Visible};
use queue_lab::narrate::remark::{Advice, Next, Remark, Then};
use queue_lab::narrate::trouble::{Idleness, Trouble};
use queue_lab::narrate::words;

use super::check::check;
use super::story::{Story, at, dials, rate};

/// Everything that is said up to `seconds` is true, and none of it is of a kind in `never`.
fn true_throughout(settings: Settings, commands: Vec<queue_lab::model::command::TimedCommand>, seconds: u64) {
    let mut story = Story::new(settings, commands);
    story.hear_until(Instant::from_seconds(seconds), |account, snapshot, simulation| {
        for remark in [Some(account.happening), account.next, account.advice].iter().flatten() {
            assert_eq!(check(remark, snapshot, simulation), Ok(()));
        }
    });
}

#[test]
fn eight_against_six_is_full_in_t_all_the_way() {
    let mut story = Story::new(dials(8, 6), vec![]);
    let Remark::AtRest { then: Then::Fills(_, Some(time)), names_start: true, .. } =
        story.narrator.account().happening
    else {
        panic!("at rest it forecasts");
    };
    assert_eq!((time.span, time.is_about), (Span::from_seconds(30), false));
    let first_full = Span::from_micros(29_750_000);
    story.hear_until(Instant::from_micros(29_250_000), |account, snapshot, simulation| {
        assert_eq!(check(&account.happening, snapshot, simulation), Ok(()));
        let Remark::WillFillIn { full_in: Some(time), .. } = account.happening else {
            // In the last seconds only some messages are missing, and no time is needed.
            panic!("at {}: {account:?}", snapshot.at);
        };
        let left = first_full.micros().saturating_sub(snapshot.at.micros());
        let off = time.span.micros().abs_diff(left);
        assert!(!time.is_about && off <= 1_000_000.max(left / 20), "at {}: {time:?}", snapshot.at);
    });
}

#[test]
fn each_policy_does_what_its_sentence_says() {
    for (overflow, rule) in [
        (OverflowPolicy::Block, None),
        (OverflowPolicy::Reject, Some(LossRule::Rejected)),
        (OverflowPolicy::DropNew, Some(LossRule::DroppedNew)),
        (OverflowPolicy::DropOldest, Some(LossRule::DroppedOldest)),
    ] {
        let settings = Settings { overflow, ..dials(8, 6) };
        true_throughout(settings.clone(), vec![], 60);
        let mut story = Story::new(settings, vec![]);
        story.hear_until(Instant::from_seconds(31), |_, _, _| {});
        story.hear_until(Instant::from_seconds(60), |account, snapshot, _| {
            let is_full =
                matches!(account.happening, Remark::Full { overflow: said, .. } if said == overflow);
            assert!(is_full, "{overflow:?} at {}: {account:?}", snapshot.at);
            assert_eq!(snapshot.queue.recent_losses.last().map(|loss| loss.rule), rule);
        });
    }
}

#[test]
fn the_longer_line_only_waits_longer() {
    for (bound, wait) in [(60, 10), (120, 20)] {
        let settings = Settings { queue_bound: Bound::Messages(bound), ..dials(8, 6) };
        let mut story = Story::new(settings, vec![]);
        story.hear_until(Instant::from_seconds(70), |_, _, _| {});
        let (account, _) = story.hear_next();
        let Some(Remark::Next(Next::NewcomerWaits(time))) = account.next else {
            panic!("{account:?}");
        };
        assert!(time.span.micros().abs_diff(wait * 1_000_000) < 500_000, "{time:?}");
    }
}

#[test]
fn forty_two_stay_forty_two_once_the_producer_is_slowed() {
    let mut story = Story::new(dials(8, 6), vec![at(21, rate(Setting::ProducerRate, 6))]);
    story.hear_until(Instant::from_seconds(22), |_, _, _| {});
    story.hear_until(Instant::from_seconds(60), |account, snapshot, simulation| {
        let is_level = matches!(account.happening, Remark::LevelWithBacklog { waiting: 41..=43, .. });
        assert!(is_level, "at {}: {account:?}", snapshot.at);
        assert_eq!(check(&account.happening, snapshot, simulation), Ok(()));
        let Some(Remark::Next(Next::EveryNewcomerWaits(time))) = account.next else {
            panic!("{account:?}");
        };
        assert_eq!((time.span.micros() + 500_000) / 1_000_000, 7);
    });
}

#[test]
fn a_dial_is_answered_at_once_while_nothing_moves() {
    let mut story = Story::new(dials(6, 6), vec![]);
    assert!(matches!(story.narrator.account().happening, Remark::AtRest { then: Then::StaysEmpty, .. }));
    assert_eq!(story.simulation.apply(rate(Setting::ProducerRate, 8)), Ok(()));
    let snapshot = story.simulation.snapshot();
    story.narrator.observe(&snapshot, &Course::of(&story.simulation), Occasion::Command);
    let account = story.narrator.account();
    assert!(matches!(account.happening, Remark::AtRest { then: Then::Fills(..), .. }), "{account:?}");
    assert_eq!(check(&account.happening, &snapshot, &story.simulation), Ok(()));
}

#[test]
fn the_end_of_a_backlog_is_true_to_the_second() {
    true_throughout(dials(8, 6), vec![at(30, rate(Setting::ConsumerRate, 10))], 75);
    true_throughout(dials(2, 6), vec![at(5, Command::Burst { count: 50 })], 30);
    let blocked = Settings { overflow: OverflowPolicy::Block, ..dials(2, 6) };
    true_throughout(blocked, vec![at(5, Command::Burst { count: 500 })], 120);
}

#[test]
fn chance_is_told_truly_at_several_seeds() {
    for seed in 1..=5 {
        for (p, c) in [(8, 6), (6, 6), (5, 6), (2, 6)] {
            let settings = Settings {
                arrivals: ArrivalPattern::Poisson,
                service_time: ServiceTime::Exponential,
                queue_bound: Bound::Messages(20),
                seed,
                ..dials(p, c)
            };
            true_throughout(settings, vec![], 60);
        }
    }
}

#[test]
fn a_memory_smaller_than_the_pool_holds_consumers_back() {
    // 5 consumers of 2 a second, but room for 2 messages: 4 a second at most.
    let small = Settings { consumer_count: 5, broker_memory: 2, ..dials(8, 2) };
    true_throughout(small, vec![], 30);
    let burst = vec![at(5, Command::Burst { count: 100 })];
    let mut story = Story::new(Settings { consumer_count: 5, broker_memory: 2, ..dials(0, 2) }, burst);
    story.hear_until(Instant::from_micros(5_250_000), |account, snapshot, simulation| {
        assert_eq!(check(&account.happening, snapshot, simulation), Ok(()));
    });
    let Remark::HoldingBack { clears_in: Some(time), .. } = story.narrator.account().happening else {
        panic!("{:?}", story.narrator.account());
    };
    assert!(time.span.micros().abs_diff(24_500_000) < 1_000_000, "{time:?}");
}

#[test]
fn work_left_over_from_another_dial_is_no_even_pace() {
    let fixed = Command::Set { setting: Setting::ServiceTime, value: Value::Choice("fixed") };
    for seed in 1..=12 {
        let service_time = ServiceTime::Exponential;
        let settings = Settings { service_time, seed, ..dials(6, 6) };
        let commands =
            vec![at(5, Command::Burst { count: 40 }), at(8, fixed), at(9, rate(Setting::ProducerRate, 3))];
        true_throughout(settings, commands, 30);
    }
    // A job of nearly five messages' time stands before a line that would else be level.
    let mut story = Story::new(dials(6, 6), vec![at(2, Command::Burst { count: 30 })]);
    story.hear_until(Instant::from_seconds(3), |_, _, _| {});
    let mut snapshot = story.simulation.snapshot();
    let work = snapshot.consumers.each.first_mut().and_then(|consumer| consumer.work.as_mut());
    work.expect("the consumer is busy").finishes_in = Some(Span::from_millis(800));
    story.narrator.observe(&snapshot, &Course::of(&story.simulation), Occasion::Grid);
    assert_eq!(story.narrator.account().happening.kind(), "balanced");
}

#[test]
fn near_the_bound_chance_is_given_no_time() {
    let mut said = 0;
    for seed in 1..=5 {
        let settings = Settings { arrivals: ArrivalPattern::Poisson, seed, ..dials(8, 6) };
        let mut story = Story::new(settings, vec![]);
        story.hear_until(Instant::from_seconds(60), |account, snapshot, _| {
            if let Remark::WillFillIn { full_in: Some(time), .. } = account.happening {
                said += 1;
                assert!(time.is_about && snapshot.queue.waiting < 40, "at {}: {time:?}", snapshot.at);
            }
        });
    }
    assert!(said > 0, "a time is said while there is far to go");
}

#[test]
fn a_line_at_its_bound_does_not_flicker() {
    // 6.001 against 6: the line goes to and fro between its bound and one below.
    let settings = Settings { producer_rate: Rate::from_thousandths(6_001), ..dials(6, 6) };
    let mut story = Story::new(settings, vec![at(1, Command::Burst { count: 60 })]);
    story.hear_until(Instant::from_seconds(3), |_, _, _| {});
    let (first, _) = story.hear_next();
    let mut changes = 0;
    let mut kind = first.happening.kind();
    story.hear_until(Instant::from_seconds(600), |account, _, _| {
        changes += usize::from(account.happening.kind() != kind);
        kind = account.happening.kind();
    });
    assert!(changes <= 1, "{changes} changes");
}

#[test]
fn a_narrator_depends_on_nothing_but_snapshots_and_the_course() {
    let mut story = Story::new(dials(8, 6), vec![]);
    let mut copy = Narrator::new(Visible::ALL);
    copy.observe(&story.simulation.snapshot(), &Course::of(&story.simulation), Occasion::Command);
    story.hear_until(Instant::from_seconds(40), |account, snapshot, simulation| {
        copy.observe(snapshot, &Course::of(simulation), Occasion::Grid);
        assert_eq!(copy.account(), *account);
    });
    assert_eq!(copy, story.narrator);
}

#[test]
fn advice_names_only_what_is_on_screen() {
    let hidden = Visible {
        start: false,
        producer_rate: false,
        consumer_rate: false,
        consumer_count: false,
        queue_bound: false,
        producer_pause: false,
    };
    let advice = |visible: Visible| {
        let mut story = Story::with_visible(dials(8, 6), vec![], visible);
        let (account, _) = story.hear_next();
        account.advice
    };
    assert_eq!(advice(hidden), None);
    let only = |advice| Some(Remark::Advice(advice));
    let six = Rate::from_per_second(6);
    assert_eq!(
        advice(Visible { producer_rate: true, ..hidden }),
        only(Advice::SlowProducerTo { capacity: six, is_full: false })
    );
    let eight = Rate::from_per_second(8);
    assert_eq!(
        advice(Visible { consumer_rate: true, ..hidden }),
        only(Advice::SpeedUpConsumersTo { each: eight, consumers: 1 })
    );
    assert_eq!(advice(Visible { consumer_count: true, ..hidden }), only(Advice::AddConsumers(2)));
    let silent = |visible: Visible| Story::with_visible(dials(0, 6), vec![], visible).hear_next().0.advice;
    assert_eq!(silent(Visible { producer_rate: true, ..hidden }), only(Advice::StartProducer));
    assert_eq!(
        silent(Visible { producer_pause: true, producer_rate: true, ..hidden }),
        only(Advice::EndPause),
        "what was paused by a button goes on by it"
    );
}

#[test]
fn what_is_wrong_is_found() {
    // The checkers can fail: each of these is a true remark with one fact bent.
    let mut story = Story::new(dials(8, 6), vec![]);
    story.hear_until(Instant::from_seconds(10), |_, _, _| {});
    let (account, snapshot) = story.hear_next();
    let Remark::WillFillIn { pace, full_in: Some(time), overflow } = account.happening else {
        panic!("{account:?}");
    };
    let simulation = &story.simulation;
    let is_false = |remark: Remark| check(&remark, &snapshot, simulation).is_err();
    let late = queue_lab::narrate::remark::Estimate { span: time.span + Span::from_seconds(2), ..time };
    assert!(!is_false(account.happening));
    assert!(is_false(Remark::WillFillIn { pace, full_in: Some(late), overflow }));
    assert!(is_false(Remark::WillFillIn { pace, full_in: Some(time), overflow: OverflowPolicy::Block }));
    assert!(is_false(Remark::Full { pace, overflow }));
    assert!(is_false(Remark::Matched { pace }));
    assert!(is_false(Remark::DrainingIn { pace, empty_in: None }));
    assert!(is_false(Remark::KeepingUp { pace, busy_percent: 75 }));
    assert!(is_false(Remark::Idle { is_working: true }));
    assert!(is_false(Remark::HoveringAtBound { limit: queue_lab::narrate::remark::Limit::Bound, overflow }));
    assert!(is_false(Remark::Next(Next::NewcomerWaits(late))));
    let below = Advice::SlowProducerTo { capacity: Rate::from_per_second(9), is_full: false };
    assert!(is_false(Remark::Advice(below)));
    let set = Command::Set { setting: Setting::QueueBound, value: Value::Bound(Bound::None) };
    assert_eq!(story.simulation.apply(set), Ok(()));
    let unbounded = story.simulation.snapshot();
    assert!(check(&account.happening, &unbounded, &story.simulation).is_err());
}

#[test]
fn a_forecast_says_up_to_when_it_holds() {
    let locale = Locale::english();
    let burst = vec![at(5, Command::Burst { count: 80 })];
    let mut story = Story::of_scenario(dials(6, 6), burst);
    let (resting, _) = story.hear_now();
    assert_eq!(
        words::happening(&resting, &locale, Numerals::Screen),
        "With these dials 6 will arrive and 6 will finish each second. As many finish as arrive, so nothing \
         will wait. That holds until 00:05."
    );
    story.hear_until(Instant::from_seconds(6), |_, _, _| {});
    let (later, _) = story.hear_next();
    assert_eq!(later.until, None, "nothing is to come any more");
    // Full in 30 seconds, but the scenario slows the producer before.
    let slower = Story::of_scenario(dials(8, 6), vec![at(20, rate(Setting::ProducerRate, 4))]);
    let (resting, _) = slower.hear_now();
    assert!(matches!(resting.happening, Remark::AtRest { then: Then::Fills(_, None), .. }), "{resting:?}");
}

#[test]
fn where_dials_tell_too_little_only_what_was_counted_is_said() {
    let failing = Settings { failure_share: 500_000, ..dials(8, 6) };
    let mut story = Story::new(failing, vec![]);
    assert_eq!(story.hear_now().0.happening.kind(), "not-started");
    story.hear_until(Instant::from_seconds(20), |account, _, _| assert_eq!(account.advice, None));
    assert_eq!(story.narrator.account().happening.kind(), "counts");
    // A queue that is split: the line that stays, and the queues beside it, are counted together.
    let split = include_str!("../../../static/scenarios/n05-split-while-running.json");
    let split = split.replace("2000000", "2000").replace("\"at\": 4500", "\"at\": 2");
    let scenario = scenario_file::read(&split).0.expect("it is a scenario").scenario;
    let mut story = Story::of(scenario);
    story.hear_until(Instant::from_seconds(12), |account, snapshot, simulation| {
        assert_eq!((account.happening.kind(), account.advice), ("counts", None));
        for remark in [Some(account.happening), account.next].iter().flatten() {
            assert_eq!(check(remark, snapshot, simulation), Ok(()));
        }
    });
    assert_eq!(story.simulation.ledger().waiting, 0);
    // Poison in a plain queue, and a fix: what failed comes back at times that no dial tells.
    let trouble = vec![
        at(5, Command::Poison { producer: 0, count: 3 }),
        at(10, Command::DeployFix),
        at(12, rate(Setting::ProducerRate, 2)),
    ];
    let mut story = Story::new(dials(6, 6), trouble);
    story.hear_until(Instant::from_seconds(4), |account, _, _| {
        assert_eq!(account.happening.kind(), "matched");
    });
    story.hear_until(Instant::from_seconds(6), |_, _, _| {});
    story.hear_until(Instant::from_micros(9_750_000), |account, _, _| {
        assert_eq!(account.happening.kind(), "poison-keeps");
    });
    story.hear_until(Instant::from_seconds(10), |_, _, _| {});
    let (fixed, _) = story.hear_next();
    assert_eq!(fixed.happening.kind(), "counts");
    story.hear_until(Instant::from_seconds(20), |account, _, _| {
        assert_eq!(account.happening.kind(), "counts");
    });
}

#[test]
fn each_thing_that_is_broken_has_its_sentence() {
    let set = |name: &str, text: &str| {
        let row = Definition::by_name(name).expect("the name is in the table");
        Command::Set { setting: row.setting, value: row.read(text).0.expect("it is a value") }
    };
    let consumer = |does| Command::Consumer { pool: 0, number: 0, does };
    let poison = Command::Poison { producer: 0, count: 1 };
    let second = Span::from_seconds(30);
    for (commands, settings, kind, words) in [
        (vec![Command::BrokerDown], dials(6, 6), "no-broker", "The broker is down."),
        (vec![Command::FailOver { duration: second }], dials(6, 6), "no-broker", "takes over in 20 seconds"),
        (vec![Command::StopConsumers { pool: 0 }], dials(6, 6), "nobody-takes", "were told to stop"),
        (vec![consumer(ConsumerDoes::Crash)], dials(6, 6), "nobody-takes", "its only consumer has crashed"),
        (vec![consumer(ConsumerDoes::CrashLoop)], dials(6, 6), "nobody-takes", "has crashed"),
        (vec![consumer(ConsumerDoes::Hang)], dials(6, 6), "nobody-takes", "its only consumer hangs"),
        (vec![consumer(ConsumerDoes::Crash)], three(), "some-missing", "1 of 3 consumers finishes nothing"),
        (vec![poison], three(), "poison-keeps", "busy. This is try number 20. 5 arrive each second, and the"),
        (vec![set("downstream", "3")], dials(6, 6), "slow-database", "could finish 6 a second, but"),
        (
            vec![set("dlq", "kept"), set("attempts", "2"), poison],
            three(),
            "dead-letters",
            "1 message is set aside",
        ),
    ] {
        let commands = commands.into_iter().map(|command| at(5, command)).collect();
        let mut story = Story::new(settings, commands);
        story.hear_until(Instant::from_seconds(15), |account, snapshot, simulation| {
            assert_eq!(check(&account.happening, snapshot, simulation), Ok(()));
        });
        let account = story.narrator.account();
        let said = words::happening(&account, &Locale::english(), Numerals::Screen);
        assert_eq!(account.happening.kind(), kind, "{said}");
        assert!(said.contains(words), "{said}");
    }
}

/// Three consumers of two a second, against five.
fn three() -> Settings {
    Settings { consumer_count: 3, ..dials(5, 2) }
}

#[test]
fn one_poison_message_costs_a_third_of_three_consumers() {
    let mut story = Story::new(three(), vec![at(5, Command::Poison { producer: 0, count: 1 })]);
    story.hear_until(Instant::from_seconds(12), |_, _, _| {});
    let Remark::Trouble(Trouble::PoisonKeeps { busy: 1, consumers: 3, left: Some(left), .. }) =
        story.narrator.account().happening
    else {
        panic!("{:?}", story.narrator.account());
    };
    assert_eq!(left, Rate::from_per_second(4));
    let (_, before) = story.hear_next();
    story.hear_until(Instant::from_seconds(32), |_, _, _| {});
    let (_, after) = story.hear_next();
    let grown = after.queue.waiting - before.queue.waiting;
    assert!((19..=22).contains(&grown), "the line grows 1 a second: {grown} in 20 s");
}

#[test]
fn a_false_word_about_trouble_is_found() {
    let mut story = Story::new(three(), vec![at(5, Command::Poison { producer: 0, count: 1 })]);
    story.hear_until(Instant::from_seconds(9), |_, _, _| {});
    let (account, snapshot) = story.hear_next();
    let Remark::Trouble(said) = account.happening else { panic!("{account:?}") };
    let Trouble::PoisonKeeps { busy, consumers, attempt, arrivals, left, waiting } = said else {
        panic!("{said:?}");
    };
    let is_true = |trouble| check(&Remark::Trouble(trouble), &snapshot, &story.simulation).is_ok();
    assert!(is_true(said));
    for wrong in [
        Trouble::PoisonKeeps { busy: busy + 1, consumers, attempt, arrivals, left, waiting },
        Trouble::PoisonKeeps { busy, consumers, attempt: attempt + 1, arrivals, left, waiting },
        Trouble::PoisonKeeps { busy, consumers, attempt, arrivals, left: Some(Rate::ZERO), waiting },
        Trouble::PoisonKeeps { busy, consumers, attempt, arrivals, left, waiting: waiting + 1 },
        Trouble::NoBroker { up_in: None, held_back: 0 },
        Trouble::NobodyTakes { why: Idleness::Hung, consumers, waiting },
        Trouble::SomeMissing { missing: 1, consumers, waiting },
        Trouble::SlowDatabase { capacity: Rate::from_per_second(6), rate: Rate::ZERO, waiting },
        Trouble::DeadLetters { count: 1, oldest: Span::ZERO, waiting },
    ] {
        assert!(!is_true(wrong), "{wrong:?}");
    }
}
