//! `burrow-status.json`: how a partition of a group is doing, from Burrow's own tests.

use queue_lab::model::consumer_status::{Commit, OffsetWindow, WINDOW_INTERVALS};
use queue_lab::model::time::{Instant, Span};
use serde_json::Value;

use super::VectorFile;
use super::fields::Fields;

#[test]
fn partitions_have_the_status_that_burrow_gives_them() {
    let Some(mut file) = VectorFile::open("burrow-status") else { return };
    file.root.prose(&["source", "order_of_evaluation", "stopped_rule", "group_status"]);
    let default = file.root.text("window_default").to_owned();
    assert_eq!(default, format!("{WINDOW_INTERVALS} intervals"));
    for array in ["cases", "derived_cases"] {
        let cases = file.root.objects(array);
        file.run(array, cases, run_case);
    }
    file.finish();
}

fn run_case(case: &Fields) {
    case.prose(&["case", "note"]);
    let window = window(case);
    let now = Instant::from_seconds(case.count("time_now_s"));
    let allowed_lag = case.count("allowed_lag");
    if case.has("rules") {
        rules(&case.object("rules"), &window, now, allowed_lag);
    }
    let status = window.status(now, case.count("current_lag"), allowed_lag);
    assert_eq!(status.name(), case.text("status"), "{}", case.place());
}

/// The window as the case has it: as long as its lists. Places without a commit are empty.
fn window(case: &Fields) -> OffsetWindow {
    let (commits, log_ends) = (case.list("offsets"), case.list("broker_offsets"));
    let mut window = OffsetWindow::keeping(commits.len().max(log_ends.len()));
    for commit in commits.iter().filter(|commit| !commit.is_null()) {
        let Some(values) = commit.as_object() else { panic!("{}: {commit}", case.place()) };
        let commit = Fields::new(format!("{} / offsets", case.place()), values.clone());
        window.record_commit(Commit {
            offset: commit.count("offset"),
            at: Instant::START + Span::from_millis(commit.count("timestamp_ms")),
            lag: commit.count_or_null("lag"),
        });
        commit.all_were_read();
    }
    for log_end in log_ends {
        window.record_log_end(log_end.as_u64().unwrap_or_else(|| panic!("{}: {log_end}", case.place())));
    }
    window
}

/// What each rule alone says.
fn rules(wanted: &Fields, window: &OffsetWindow, now: Instant, allowed_lag: u64) {
    for name in wanted.keys() {
        let found = match name.as_str() {
            "lag_always_not_zero" => Value::from(window.always_lags(allowed_lag)),
            "rewind_index" => window.rewind().map_or(Value::from(-1), Value::from),
            "stopped" => Value::from(window.has_stopped(now)),
            "stalled" => Value::from(window.has_stalled()),
            "lag_not_decreasing" => Value::from(window.never_catches_up()),
            "recent_lag_zero" => Value::from(window.had_no_lag_lately()),
            _ => panic!("{}: nothing knows the rule {name}", wanted.place()),
        };
        assert_eq!(Some(&found), wanted.value(&name), "{}: {name}", wanted.place());
    }
}
