//! From facts about a log to whole sentences.

use super::remark::{LogNext, LogPace, LogRemark, LogThen, Standing, TeamThen, TeamTrouble};
use super::team_name::TeamName;
use crate::model::rate::Rate;
use crate::model::time::Span;
use crate::narrate::locale::Field;
use crate::narrate::words::{Words, words_of};

/// A standstill shorter than this is no length of time to tell.
const STILL_FROM: Span = Span::from_seconds(1);

/// What is happening.
#[inline(never)]
pub fn say(words: &mut Words<'_>, remark: &LogRemark) {
    match *remark {
        LogRemark::AtRest { pace, then, names_start } => at_rest(words, &pace, then, names_start),
        LogRemark::BrokerDown { back_in } => {
            words.say_plain("log.broker_down");
            if let Some(span) = back_in {
                words.say("log.broker_down.time", &[("time", Field::Time(span))]);
            }
        }
        LogRemark::Stuck { stuck, partition, behind, is_unreadable } => {
            stuck_at(words, stuck, partition, (behind, is_unreadable));
        }
        LogRemark::DeletedUnread { count } => words.say("log.deleted", &[("count", Field::Count(count))]),
        LogRemark::NobodyReads { behind, still_for } => nobody_reads(words, behind, still_for),
        LogRemark::Hung(standing) => stands(words, "log.hung", standing),
        LogRemark::Died(standing) => stands(words, "log.died", standing),
        LogRemark::TeamStands { ref team, trouble } => team_stands(words, team, trouble),
        LogRemark::Rebalancing { paused, partitions } if paused == partitions => {
            words.say_plain("log.rebalancing");
        }
        LogRemark::Rebalancing { paused, partitions } => {
            let fields = [("paused", Field::Count(paused)), ("partitions", Field::Count(partitions))];
            words.say("log.rebalancing.some", &fields);
        }
        LogRemark::OneBehind { partition, is_growing, is_alone } => {
            let key = if is_growing { "log.one_behind.grows" } else { "log.one_behind" };
            words.say(key, &[("partition", Field::Count(u64::from(partition)))]);
            if is_alone {
                words.say_plain("log.one_behind.alone");
            }
        }
        LogRemark::ReadsAgain { left } => words.say("log.again", &[("left", Field::Count(left))]),
        LogRemark::TeamBehind { ref team, behind, then } => team_behind(words, team, behind, then),
        LogRemark::Idle { readers, idle, partitions } => {
            let fields = [
                ("readers", Field::Count(readers)),
                ("idle", Field::Count(idle)),
                ("partitions", Field::Count(partitions)),
            ];
            words.say("log.idle", &fields);
        }
        LogRemark::Counts { behind, in_flight } => {
            words.say("log.counts", &[("behind", Field::Count(behind))]);
            if in_flight > 0 {
                words.say("log.counts.in_flight", &[("count", Field::Count(in_flight))]);
            }
        }
        _ => flows(words, remark),
    }
}

fn flows(words: &mut Words<'_>, remark: &LogRemark) {
    match *remark {
        LogRemark::Quiet => words.say_plain("log.quiet"),
        LogRemark::UpToDate { pace } if pace.arrivals == pace.capacity => {
            paced(words, "log.up_to_date.equal", &pace, pace.capacity);
        }
        LogRemark::UpToDate { pace } => paced(words, "log.up_to_date", &pace, pace.capacity),
        LogRemark::Level { pace, behind } => {
            let fields = [("arrivals", Field::Rate(pace.arrivals)), ("behind", Field::Count(behind))];
            words.say("log.level", &fields);
        }
        LogRemark::Draining { pace, caught_up_in } => {
            paced(words, "log.draining", &pace, pace.capacity);
            words.say_time("log.draining.time", caught_up_in);
        }
        LogRemark::Growing { pace, done } => paced(words, "log.growing", &pace, done),
        _ => {}
    }
}

/// What comes next.
#[inline(never)]
pub fn say_next(words: &mut Words<'_>, next: LogNext) {
    match next {
        LogNext::GoneIn(time) => words.say("log.next.gone_in", &[("time", Field::Time(time))]),
        LogNext::Tried { attempts, of: Some(of) } => {
            let fields = [("attempts", Field::Count(attempts)), ("of", Field::Count(of))];
            words.say("log.next.tried_of", &fields);
        }
        LogNext::Tried { attempts, of: None } => {
            words.say("log.next.tried", &[("attempts", Field::Count(attempts))]);
        }
        LogNext::OldestNotDone(age) => words.say("log.next.oldest", &[("time", Field::Time(age))]),
        LogNext::FallsBehind { count, every } => {
            let fields = [("count", Field::Count(count)), ("time", Field::Time(every))];
            words.say("log.next.falls_behind", &fields);
        }
        LogNext::HotPartition { came, could, window } => {
            let fields = [
                ("came", Field::Count(came)),
                ("could", Field::Count(could)),
                ("window", Field::Time(window)),
            ];
            words.say("log.next.hot", &fields);
        }
        LogNext::GoesOnIn(time) => words.say("log.next.goes_on", &[("time", Field::Time(time))]),
        LogNext::SetAside { count } => words.say("log.next.set_aside", &[("count", Field::Count(count))]),
        LogNext::Teams { teams } => words.say("log.next.teams", &[("teams", Field::Count(teams))]),
        LogNext::IdleAhead { idle, partitions } => {
            let fields = [("idle", Field::Count(idle)), ("partitions", Field::Count(partitions))];
            words.say("log.next.idle_ahead", &fields);
        }
        LogNext::Moved { came, done, window } => {
            let fields =
                [("came", Field::Count(came)), ("done", Field::Count(done)), ("window", Field::Time(window))];
            words.say("log.next.moved", &fields);
        }
    }
}

fn paced(words: &mut Words<'_>, key: &str, pace: &LogPace, done: Rate) {
    let fields = [
        ("arrivals", Field::Rate(pace.arrivals)),
        ("done", Field::Rate(done)),
        ("readers", Field::Count(pace.readers)),
    ];
    words.say(key, &fields);
}

fn at_rest(words: &mut Words<'_>, pace: &LogPace, then: LogThen, names_start: bool) {
    if then == LogThen::NothingArrives {
        words.say_plain("log.rest.nothing_arrives");
        return;
    }
    let fields = [("arrivals", Field::Rate(pace.arrivals)), ("done", Field::Rate(pace.capacity))];
    words.say("log.rest.pace", &fields);
    match then {
        LogThen::NothingArrives => {}
        LogThen::KeepsUp => words.say("log.rest.keeps_up", &[("readers", Field::Count(pace.readers))]),
        LogThen::FallsBehind { count, after } => {
            let fields = [("count", Field::Count(count)), ("time", Field::Time(after))];
            let key = if names_start { "log.rest.falls_behind.start" } else { "log.rest.falls_behind" };
            words.say(key, &fields);
        }
        LogThen::FallsBehindSoon => words.say_plain("log.rest.falls_behind_soon"),
    }
}

fn stuck_at(words: &mut Words<'_>, stuck: u64, partition: u32, (behind, is_unreadable): (u64, bool)) {
    let key = match (stuck, is_unreadable) {
        (1, false) => "log.stuck",
        (1, true) => "log.stuck.unreadable",
        (_, false) => "log.stuck.many",
        (_, true) => "log.stuck.many.unreadable",
    };
    let fields = [
        ("stuck", Field::Count(stuck)),
        ("partition", Field::Count(u64::from(partition))),
        ("behind", Field::Count(behind)),
    ];
    words.say(key, &fields);
}

fn nobody_reads(words: &mut Words<'_>, behind: u64, still_for: Span) {
    let key = if still_for < STILL_FROM { "log.nobody.now" } else { "log.nobody" };
    words.say(key, &[("behind", Field::Count(behind)), ("time", Field::Time(still_for))]);
}

fn stands(words: &mut Words<'_>, key: &str, standing: Standing) {
    let fields =
        [("members", Field::Count(standing.members)), ("partitions", Field::Count(standing.partitions))];
    words.say(key, &fields);
    if standing.behind > 0 {
        words.say("log.wait_there", &[("count", Field::Count(standing.behind))]);
    }
}

fn team_stands(words: &mut Words<'_>, team: &TeamName, trouble: TeamTrouble) {
    let team = ("team", Field::Text(team.as_str()));
    match trouble {
        TeamTrouble::Stuck { partition, behind, is_unreadable } => {
            let fields =
                [team, ("partition", Field::Count(u64::from(partition))), ("behind", Field::Count(behind))];
            words.say(if is_unreadable { "log.team.unreadable" } else { "log.team.stuck" }, &fields);
        }
        TeamTrouble::Nobody { behind } => {
            words.say("log.team.nobody", &[team, ("behind", Field::Count(behind))]);
        }
        TeamTrouble::Hung(standing) => team_standing(words, "log.team.hung", team, standing),
        TeamTrouble::Died(standing) => team_standing(words, "log.team.died", team, standing),
    }
}

fn team_standing(words: &mut Words<'_>, key: &str, team: (&str, Field<'_>), standing: Standing) {
    let fields = [team, ("members", Field::Count(standing.members))];
    words.say(key, &fields);
    if standing.behind > 0 {
        words.say("log.wait_there", &[("count", Field::Count(standing.behind))]);
    }
}

fn team_behind(words: &mut Words<'_>, team: &TeamName, behind: u64, then: TeamThen) {
    words.say("log.team", &[("team", Field::Text(team.as_str()))]);
    let behind = ("behind", Field::Count(behind));
    match then {
        TeamThen::CatchesUpIn(time) => words.say("log.team.catches_up", &[behind, ("time", words_of(time))]),
        TeamThen::FallsBehind => words.say("log.team.falls_behind", &[behind]),
        TeamThen::Open => words.say("log.team.behind", &[behind]),
    }
}
