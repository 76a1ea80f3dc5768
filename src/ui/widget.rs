//! The whole widget, in reading order.

use std::mem;
use std::rc::Rc;

use yew::prelude::*;

use super::acts::{Act, Back, Change, Ears, On, Panel};
use super::charts::{canvas, charts, further};
use super::element::{Element, classed};
use super::focus::{self, Focus};
use super::kept::Kept;
use super::page::{Page, joined};
use super::{
    break_it, dead_letters, dial, file, glossary, header, log_actions, more, notices, present, rewind, share,
    status, story, table, trace,
};
use crate::app::access::Control;
use crate::app::message::Msg;
use crate::app::view::{ThemeName, ViewModel};
use crate::model::settings::Definition;

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
    /// The canvases of the further charts, likewise; each is there while its chart is open.
    pub further_refs: [NodeRef; 3],
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
    focus: Focus,
}

impl Component for Widget {
    type Message = Change;
    type Properties = WidgetProps;

    fn create(ctx: &Context<Self>) -> Self {
        Self { kept: Kept::new(&ctx.props().view), focus: Focus::default() }
    }

    fn changed(&mut self, ctx: &Context<Self>, old: &WidgetProps) -> bool {
        self.kept.follow(&ctx.props().view, &old.view);
        self.focus = Focus::now(&ctx.props().scene_ref);
        true
    }

    fn update(&mut self, ctx: &Context<Self>, change: Change) -> bool {
        let told = match change {
            Change::Opened(Panel::More, is_open) => Some(Msg::MoreOpened(is_open)),
            Change::Opened(Panel::Help, is_open) => Some(Msg::HelpOpened(is_open)),
            Change::Escaped(panel) => return self.escape(ctx, panel),
            Change::Opened(Panel::Share, is_open) => Some(Msg::ShareOpened(is_open)),
            Change::Opened(Panel::Breaking, is_open) => Some(Msg::BreakingOpened(is_open)),
            Change::Opened(Panel::DeadLetters, is_open) => Some(Msg::DeadLettersOpened(is_open)),
            Change::Opened(Panel::Trace, is_open) => Some(Msg::TraceOpened(is_open)),
            Change::Opened(Panel::History(producer, number, _), true) => {
                Some(Msg::MessagePicked(producer, number))
            }
            Change::Opened(Panel::Charts, is_open) => Some(Msg::ChartsOpened(is_open)),
            Change::Opened(Panel::Table, is_open) => Some(Msg::TableOpened(is_open)),
            Change::Opened(Panel::Glossary, is_open) => Some(Msg::GlossaryOpened(is_open)),
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
            access: Rc::clone(&props.view.access),
            closes: self.kept.last_open(&props.view),
        };
        let page =
            Page { view: &props.view, kept: &self.kept, prefix: &props.id_prefix, ears: Rc::new(ears) };
        widget(&page, props).into()
    }

    fn rendered(&mut self, ctx: &Context<Self>, _first_render: bool) {
        self.kept.set_lists(&ctx.props().view);
        self.focus.keep();
        if let Some(panel) = self.kept.to_focus.take() {
            focus::give_to_opener(&ctx.props().scene_ref, &opened_id(&ctx.props().id_prefix, panel));
        }
        if let Some(back) = self.kept.put_back.take() {
            go_on_from(ctx.props(), back);
        }
    }
}

impl Widget {
    /// Closes a part. A focus that was in it goes to its button; any other stays where it is.
    #[inline(never)]
    fn escape(&mut self, ctx: &Context<Self>, panel: Panel) -> bool {
        if mem::take(&mut self.kept.has_given_back) {
            return true;
        }
        self.kept.change(Change::Escaped(panel));
        let part = opened_id(&ctx.props().id_prefix, panel);
        if focus::is_outside(&ctx.props().scene_ref, &part) {
            self.kept.to_focus = None;
        }
        Component::update(self, ctx, Change::Opened(panel, false));
        true
    }
}

/// Gives the focus to what comes next after dials were put back, unless another can be put back.
#[inline(never)]
fn go_on_from(props: &WidgetProps, back: Back) {
    let dial = match back {
        Back::One(setting) => joined(&props.id_prefix, Definition::of(setting).alias),
        Back::All => String::new(),
    };
    focus::give_to_dial(&props.scene_ref, &joined(&dial, "input"));
}

/// The id of what a button opens.
#[inline(never)]
fn opened_id(prefix: &str, panel: Panel) -> String {
    let name = match panel {
        Panel::More => "more",
        Panel::Breaking => "ways",
        Panel::DeadLetters => "dead",
        Panel::Table => "table",
        Panel::Notices => "notices",
        Panel::Share => "share",
        Panel::Help => "help",
        Panel::Glossary => "glossary",
        Panel::Trace => "trace",
        Panel::Charts => "charts",
        Panel::History(producer, number, copy) => {
            return joined(prefix, &dead_letters::history_id(producer, number, copy));
        }
    };
    joined(prefix, name)
}

fn widget(page: &Page, props: &WidgetProps) -> Element {
    let view = page.view;
    let section = classed("section", "ql")
        .with("aria-labelledby", &page.id("title"))
        .with("lang", view.texts.language())
        .with("dir", view.texts.direction())
        .with("data-theme", theme_name(view.theme))
        .with("data-motion", motion_name(view.is_motion_reduced))
        .with("data-side", view.side.name());
    page.hearing(section, On::KeyDown, Act::AnyKey).child(body(page, props))
}

fn body(page: &Page, props: &WidgetProps) -> Element {
    let view = page.view;
    let picture = canvas(&props.scene_ref, Some(&view.picture_name));
    let can_trace = !page.is_hidden(Control::Trace);
    let picture = if can_trace { page.hearing(picture, On::Click, Act::Point) } else { picture };
    let scene = classed("div", "scene").child(picture);
    let dials = view.dials.iter().map(|shown| dial::dial(page, shown));
    classed("div", "ql-body")
        .child(header::header(page))
        .child(share::share(page))
        .child(present::help(page))
        .child(header::offers(page))
        .child(scene)
        .maybe(dead_letters::panel(page))
        .child(story::say(page))
        .maybe(notices::notices(page))
        .child(
            dials
                .fold(classed("div", "dials"), Element::child)
                .with_flag("hidden", page.is_hidden(Control::Dials)),
        )
        .maybe(view.locked.as_ref().map(|locked| locked_note(page, locked)))
        .maybe(log_tools(page))
        .child(tools(page))
        .child(rewind::rewind(page).with_flag("hidden", page.is_hidden(Control::LookBack)))
        .child(charts(page, &props.chart_refs).with_flag("hidden", page.is_hidden(Control::Charts)))
        .child(further(page, &props.further_refs).with_flag("hidden", page.is_hidden(Control::Charts)))
        .child(foot(page))
        .child(status::status(&view.announcement))
}

fn foot(page: &Page) -> Element {
    let foot = classed("div", "foot").child(file::file(page));
    glossary::glossary(page, table::table(page, trace::trace(page, foot)))
}

/// What is locked; the controls refer to it.
#[inline(never)]
fn locked_note(page: &Page, locked: &str) -> Element {
    classed("p", "locked").with("id", &page.id("locked")).text(locked)
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
        ThemeName::Projector => "projector",
        ThemeName::Forced => "forced",
    }
}
