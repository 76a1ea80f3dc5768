//! The whole widget, in reading order.

use std::rc::Rc;

use yew::prelude::*;

use super::notices::Notices;
use super::{actions, charts, dial, header, more, parts, status, story, table};
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
pub struct Widget;

impl Component for Widget {
    type Message = ();
    type Properties = WidgetProps;

    fn create(_ctx: &Context<Self>) -> Self {
        Self
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        widget(ctx.props())
    }
}

fn widget(props: &WidgetProps) -> Html {
    let WidgetProps { view, on_msg, id_prefix: prefix, .. } = props;
    let title_id = parts::id(prefix, "title");
    html! {
        <section class="ql" aria-labelledby={title_id} lang={view.texts.language().to_owned()}
            dir={view.texts.direction().to_owned()} data-theme={theme_name(view.theme)}
            data-motion={motion_name(view.is_motion_reduced)}>
            <div class="ql-body">
                { header::header(view, on_msg, prefix) }
                { header::offers(view, on_msg) }
                <div class="scene">
                    <canvas ref={&props.scene_ref} role="img" aria-label={view.picture_name.clone()} />
                </div>
                { story::say(view) }
                <Notices texts={view.texts.clone()} notices={view.notices.clone()} on_msg={on_msg.clone()} />
                <div class="dials">
                    { for view.dials.iter().map(|shown| dial::dial(&view.texts, shown, on_msg, prefix)) }
                </div>
                <div class="tools">
                    { actions::actions(view, on_msg, prefix) }
                    { more::more(view, on_msg, prefix) }
                </div>
                { charts::charts(view, &props.chart_refs) }
                <div class="foot">
                    { actions::file(view, &props.on_file) }
                    { table::table(view, prefix) }
                </div>
                { status::status(&view.announcement) }
            </div>
        </section>
    }
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
