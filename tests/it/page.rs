//! The page as HTML, rendered natively: what assistive technology finds in it.

mod access;
mod html;
mod lab;
mod literals;
mod sample;
mod traces;

use std::future::Future;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use queue_lab::app::view::{ThemeName, ViewModel};
use queue_lab::narrate::locale::{Locale, Pseudo};
use queue_lab::ui::{Widget, WidgetProps};
use yew::{Callback, NodeRef, ServerRenderer};

use html::{Element, Page};
use sample::{full, log_at_rest, resting};

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn wait_for<T>(future: impl Future<Output = T>) -> T {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(value) => return value,
            Poll::Pending => thread::park(),
        }
    }
}

/// The page of a view, which is made where it is rendered.
fn render(view: fn() -> ViewModel) -> (String, Page) {
    let props = move || WidgetProps {
        view: Rc::new(view()),
        on_msg: Callback::noop(),
        on_file: Callback::noop(),
        scene_ref: NodeRef::default(),
        chart_refs: <[NodeRef; 3]>::default(),
        further_refs: <[NodeRef; 3]>::default(),
        id_prefix: "one".into(),
    };
    let html = wait_for(ServerRenderer::<Widget>::with_props(props).hydratable(false).render());
    let page = Page::parse(&html);
    (html, page)
}

/// The one control of that name.
fn by_name<'a>(page: &'a Page, name: &str) -> &'a Element {
    let mut found = page.elements.iter().filter(|one| is_control(one) && page.name_of(one) == name);
    let first = found.next().unwrap_or_else(|| panic!("there is no control {name:?}"));
    assert!(found.next().is_none(), "{name:?} is there twice");
    first
}

fn is_control(element: &Element) -> bool {
    matches!(element.name.as_str(), "button" | "input" | "select")
}

#[test]
fn every_control_has_a_name_of_its_own() {
    let (_, page) = render(full);
    let controls: Vec<_> = page.elements.iter().filter(|element| is_control(element)).collect();
    assert!(controls.len() > 20, "only {} controls", controls.len());
    let mut names: Vec<_> = controls.iter().map(|one| (page.name_of(one), one.get("type"))).collect();
    assert!(names.iter().all(|(name, _)| !name.trim().is_empty()), "{names:?}");
    names.sort();
    names.windows(2).for_each(|two| assert_ne!(two[0], two[1], "two controls of one kind and name"));
}

#[test]
fn one_side_of_the_switch_is_pressed_and_a_log_has_buttons_of_its_own() {
    let texts = |page: &Page| -> Vec<(String, Option<String>)> {
        let buttons = page.elements.iter().filter(|element| element.name == "button");
        buttons.map(|one| (page.name_of(one), one.get("aria-pressed").map(str::to_owned))).collect()
    };
    let pressed = |page: &Page, name: &str| {
        texts(page).into_iter().find(|(own, _)| own == name).unwrap_or_else(|| panic!("no button {name}")).1
    };
    let (_, queue) = render(resting);
    let (_, log) = render(log_at_rest);
    for (page, is_log) in [(&queue, "false"), (&log, "true")] {
        assert_eq!(pressed(page, "Log").as_deref(), Some(is_log));
        assert_ne!(pressed(page, "Queue"), pressed(page, "Log"));
    }
    for name in ["Add a partition", "Add a consumer", "Add a second team"] {
        assert_eq!(pressed(&log, name), None, "{name} is no switch");
        assert!(texts(&queue).iter().all(|(own, _)| own != name), "{name} belongs to the log");
    }
}

#[test]
fn ids_are_unique_and_every_reference_holds() {
    let (_, page) = render(full);
    let mut ids: Vec<_> = page.elements.iter().filter_map(|element| element.get("id")).collect();
    assert!(ids.iter().all(|id| id.starts_with("one-")));
    ids.sort_unstable();
    ids.windows(2).for_each(|two| assert_ne!(two[0], two[1]));
    for attribute in ["for", "aria-labelledby", "aria-describedby", "aria-controls"] {
        let listed = page.elements.iter().filter_map(|element| element.get(attribute));
        listed
            .flat_map(|list| list.split(' '))
            .for_each(|id| assert!(ids.contains(&id), "{attribute}: {id}"));
    }
}

#[test]
fn sliders_are_native_and_say_their_value_with_its_unit() {
    let (_, page) = render(full);
    let sliders: Vec<_> = page.all("input").filter(|input| input.get("type") == Some("range")).collect();
    // Two dials, and the run so far.
    assert_eq!(sliders.len(), 3);
    for (slider, dial) in sliders.into_iter().zip(full().dials) {
        assert_eq!(slider.get("aria-valuetext"), Some(dial.spoken.as_str()));
        assert!(!dial.spoken.contains(','), "some screen readers read commas as other signs");
        assert_eq!(slider.get("value"), Some(dial.slider_value.to_string().as_str()));
        assert_eq!((slider.get("min"), slider.get("step")), (Some("0"), Some("1")));
        assert_eq!(slider.get("max"), Some(dial.slider_max.to_string().as_str()));
        assert_eq!(page.name_of(slider), dial.label);
        assert!(slider.get("role").is_none() && slider.get("aria-valuenow").is_none());
    }
}

#[test]
fn number_fields_state_their_limits_and_what_was_wrong() {
    let (_, page) = render(full);
    let fields: Vec<_> = page.by_class("number").collect();
    assert_eq!(fields.len(), 4);
    for field in &fields {
        assert_eq!((field.get("type"), field.get("inputmode")), (Some("text"), Some("decimal")));
        let described = page.texts_of(field.get("aria-describedby").expect("it is described"));
        assert!(described.contains(" to "), "{described}");
    }
    let wrong: Vec<_> = fields.iter().filter(|field| field.get("aria-invalid") == Some("true")).collect();
    let described =
        wrong.iter().map(|field| page.texts_of(field.get("aria-describedby").unwrap_or_default()));
    let described: Vec<_> = described.collect();
    assert_eq!(described.len(), 2, "{described:?}");
    assert!(described[0].contains("200000 is too large.") && described[1].contains("abc is not a number."));
}

#[test]
fn there_is_one_live_region_and_the_same_text_twice_changes_places_in_it() {
    let spoken = |view| {
        let (_, page) = render(view);
        let (at, region) = page
            .elements
            .iter()
            .enumerate()
            .find(|(_, element)| element.get("role") == Some("status"))
            .expect("there is a live region");
        assert_eq!((region.text.as_str(), region.get("aria-live")), ("It runs.", Some("polite")));
        let live = page.elements.iter().filter(|one| one.get("aria-live").is_some());
        assert_eq!(live.count(), 1);
        assert!(page.elements.iter().all(|one| one.get("role") != Some("alert")));
        let inner = page.elements.iter().filter(|one| one.around.last() == Some(&at));
        inner.map(|one| one.text.clone()).collect::<Vec<_>>()
    };
    let first = spoken(full);
    let second = spoken(|| {
        let mut view = full();
        view.announcement.serial += 1;
        view
    });
    assert_eq!(first.len(), 2);
    assert_eq!(first, second.into_iter().rev().collect::<Vec<_>>());
}

#[test]
fn the_table_has_every_row() {
    let (_, page) = render(full);
    let view = full();
    let table = page.position(|one| one.name == "table" && one.get("class") == Some("numbers"));
    let is_in_it = |one: &&Element| one.around.iter().any(|around| Some(*around) == table);
    let heads: Vec<_> =
        page.all("th").filter(is_in_it).filter(|head| head.get("scope") == Some("row")).collect();
    let cells: Vec<_> = page.all("td").filter(is_in_it).collect();
    assert_eq!((heads.len(), cells.len()), (view.table.len(), view.table.len()));
    for ((head, cell), row) in heads.iter().zip(&cells).zip(&view.table) {
        assert_eq!((head.text.as_str(), cell.text.as_str()), (row.name.as_str(), row.value.as_str()));
    }
    assert_eq!(page.all("caption").count(), 1);
    assert_eq!(page.all("th").filter(is_in_it).filter(|head| head.get("scope") == Some("col")).count(), 2);
}

#[test]
fn the_canvases_are_named_images_and_always_there() {
    let (_, page) = render(full);
    let names: Vec<_> = page.all("canvas").map(|canvas| canvas.get("aria-label")).collect();
    let view = full();
    let charts = view.charts.iter().chain(&view.further_charts).map(|chart| chart.description.as_str());
    let expected: Vec<_> = [view.picture_name.as_str()].into_iter().chain(charts).map(Some).collect();
    assert_eq!(names, expected);
    assert!(page.all("canvas").all(|canvas| canvas.get("role") == Some("img")));
    let (_, page) = render(|| ViewModel { charts: Vec::new(), further_charts: Vec::new(), ..full() });
    assert_eq!(page.all("canvas").count(), 4);
}

#[test]
fn the_sentences_stand_in_words_and_the_tone_does_too() {
    let (_, page) = render(full);
    let view = full();
    let happening = page.by_class("happening").next().expect("there is a sentence");
    assert_eq!(happening.text, format!("{}{}", view.texts.text("tone.alarm"), view.story.happening));
    assert!(page.by_class("next").any(|next| Some(&next.text) == view.story.next.as_ref()));
    assert!(page.by_class("advice").any(|advice| Some(&advice.text) == view.story.advice.as_ref()));
}

#[test]
fn notices_show_and_can_be_closed() {
    let (_, page) = render(full);
    let lines = page.all("li").filter(|line| !line.has_class("step-line"));
    let notices: Vec<_> = lines.map(|notice| notice.text.clone()).collect();
    assert_eq!(notices, full().notices);
    let close = full().texts.text("notices.close").to_owned();
    assert!(page.all("button").any(|button| page.name_of(button) == close));
    let (_, page) = render(resting);
    assert_eq!(page.by_class("notices").count(), 0);
}

#[test]
fn the_one_dark_button_comes_before_what_it_starts() {
    let (_, page) = render(resting);
    let primary: Vec<_> = page.by_class("primary").collect();
    assert_eq!(primary.len(), 1);
    assert_eq!(page.name_of(primary[0]), resting().texts.text("transport.start"));
    let start = page.position(|element| element.has_class("primary"));
    assert!(start < page.position(|element| element.name == "canvas"));
    let (_, running) = render(full);
    let dark: Vec<_> = running.by_class("primary").map(|button| button.text.clone()).collect();
    assert_eq!(dark, [full().texts.text("transport.pause"), "Redrive 1 selected at 1 a second"]);
}

#[test]
fn offers_stand_only_while_they_hold() {
    let offers = |page: &Page| page.by_class("chip").map(|chip| chip.text.clone()).collect::<Vec<_>>();
    assert_eq!(offers(&render(resting).1), ["Show me: 8 against 6"]);
    assert_eq!(
        offers(&render(full).1),
        ["Show me: 8 against 6", "Skip to full (9 s)", "2 dead letters · Open"]
    );
}

#[test]
fn nothing_is_inline_that_a_strict_policy_forbids() {
    let (html, page) = render(full);
    assert!(!html.contains("<style") && !html.contains("<script"));
    for element in &page.elements {
        assert!(element.attributes.keys().all(|name| name != "style" && !name.starts_with("on")));
        assert!(element.get("tabindex").is_none() && element.get("autofocus").is_none());
    }
}

#[test]
fn language_direction_and_colours_are_those_of_the_view() {
    let (_, page) = render(|| ViewModel {
        texts: Rc::new(Locale::pseudo(Pseudo::Rtl)),
        theme: ThemeName::Dark,
        is_motion_reduced: true,
        ..full()
    });
    let root = page.elements.first().expect("there is a root");
    assert_eq!((root.get("dir"), root.get("data-theme")), (Some("rtl"), Some("dark")));
    assert_eq!((root.get("lang"), root.get("data-motion")), (Some(full().texts.language()), Some("reduced")));
}

#[test]
fn markup_in_texts_stays_text() {
    let (_, plain) = render(full);
    let (_, hostile) = render(|| {
        let mut view = ViewModel { texts: Rc::new(Locale::pseudo(Pseudo::Xss)), ..full() };
        view.notices = vec!["<img src=x onerror=alert(1)>".into(), "\"><b>".into()];
        view.show_me = "<i>8</i>".into();
        view
    });
    let names = |page: &Page| page.elements.iter().map(|one| one.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&plain), names(&hostile));
}
