//! The whole widget, in reading order.

use std::rc::Rc;

use yew::prelude::*;

use super::acts::{Change, Ears, Panel};
use super::charts::{canvas, charts};
use super::element::{Element, classed};
use super::kept::Kept;
use super::page::Page;
use super::{
    break_it, dead_letters, dial, file, header, log_actions, more, notices, rewind, share, status, story,
    table,
};
use crate::app::message::Msg;
use crate::app::view::{ThemeName, ViewModel};

/// What the widget needs from whoever mounts it.
#[derive(Clone, Debug, Properties)]
pub struct WidgetProps {
    /// What to show.
    pub view: Rc<ViewModel>,
    /// Takes everything that a person does.
    pub on_msg: Callback<Msg>,
    /// Gets the change event of the file input; whoever mounts the widget reads the file and
    /// empties the input, so that the same file can be opened again.
    pub on_file: Callback<Event>,
    /// The canvas of the picture. It is rendered always and never replaced.
    pub scene_ref: NodeRef,
    /// The canvases of the charts, in the order of the view's captions, likewise.
    pub chart_refs: [NodeRef; 3],
    /// What every id in this instance starts with.
    pub id_prefix: AttrValue,
}

/// Whoever shows something new makes a new view for it, so there is no need to look into views.
impl PartialEq for WidgetProps {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.view, &other.view)
    }
}

/// The widget.
#[derive(Debug)]
pub struct Widget {
    kept: Kept,
}

impl Component for Widget {
    type Message = Change;
    type Properties = WidgetProps;

    fn create(ctx: &Context<Self>) -> Self {
        Self { kept: Kept::new(&ctx.props().view) }
    }

    fn changed(&mut self, ctx: &Context<Self>, old: &WidgetProps) -> bool {
        self.kept.follow(&ctx.props().view, &old.view);
        true
    }

    fn update(&mut self, ctx: &Context<Self>, change: Change) -> bool {
        let told = match change {
            Change::Opened(Panel::More, is_open) => Some(Msg::MoreOpened(is_open)),
            Change::Opened(Panel::Share, is_open) => Some(Msg::ShareOpened(is_open)),
            Change::Opened(Panel::Breaking, is_open) => Some(Msg::BreakingOpened(is_open)),
            Change::Opened(Panel::DeadLetters, is_open) => Some(Msg::DeadLettersOpened(is_open)),
            Change::Opened(Panel::Table, is_open) => Some(Msg::TableOpened(is_open)),
            Change::Opened(Panel::Notices, false) => Some(Msg::NoticesClosed),
            _ => None,
        };
        let shows = self.kept.change(change);
        if let Some(msg) = told {
            ctx.props().on_msg.emit(msg);
        }
        shows
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let props = ctx.props();
        let ears = Ears {
            on_msg: props.on_msg.clone(),
            on_file: props.on_file.clone(),
            on_change: ctx.link().callback(|change| change),
        };
        let page =
            Page { view: &props.view, kept: &self.kept, prefix: &props.id_prefix, ears: Rc::new(ears) };
        widget(&page, props).into()
    }

    fn rendered(&mut self, ctx: &Context<Self>, _first_render: bool) {
        self.kept.set_lists(&ctx.props().view);
    }
}

fn widget(page: &Page, props: &WidgetProps) -> Element {
    let view = page.view;
    classed("section", "ql")
        .with("aria-labelledby", &page.id("title"))
        .with("lang", view.texts.language())
        .with("dir", view.texts.direction())
        .with("data-theme", theme_name(view.theme))
        .with("data-motion", motion_name(view.is_motion_reduced))
        .child(body(page, props))
}

fn body(page: &Page, props: &WidgetProps) -> Element {
    let view = page.view;
    let scene = classed("div", "scene").child(canvas(&props.scene_ref, Some(&view.picture_name)));
    let dials = view.dials.iter().map(|shown| dial::dial(page, shown));
    classed("div", "ql-body")
        .child(header::header(page))
        .child(share::share(page))
        .child(header::offers(page))
        .child(scene)
        .maybe(dead_letters::panel(page))
        .child(story::say(page))
        .maybe(notices::notices(page))
        .child(dials.fold(classed("div", "dials"), Element::child))
        .maybe(log_tools(page))
        .child(tools(page))
        .child(rewind::rewind(page))
        .child(charts(page, &props.chart_refs))
        .child(table::table(page, classed("div", "foot").child(file::file(page))))
        .child(status::status(&view.announcement))
}

/// What can be done to a log, with the button for the further dials: the row below it is full.
fn log_tools(page: &Page) -> Option<Element> {
    let row = log_actions::log_actions(page)?;
    Some(classed("div", "tools").child(row).child(more::button(page)))
}

/// What breaks things and the further dials: all buttons in one row, and below it what they open.
fn tools(page: &Page) -> Element {
    let more_button = page.view.log_actions.is_none().then(|| more::button(page));
    classed("div", "tools")
        .child(break_it::row(page))
        .child(break_it::more_button(page))
        .maybe(more_button)
        .child(break_it::answer(page))
        .child(break_it::more_panel(page))
        .child(more::panel(page))
}

const fn motion_name(is_reduced: bool) -> &'static str {
    match is_reduced {
        true => "reduced",
        false => "full",
    }
}

const fn theme_name(theme: ThemeName) -> &'static str {
    match theme {
        ThemeName::Light => "light",
        ThemeName::Dark => "dark",
    }
}
