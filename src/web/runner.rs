//! The one owner of all that a widget holds in the browser: app, page, canvases, frame, timer,
//! observers. Everything goes through `try_borrow`: after a fault nothing can be borrowed, and
//! nothing runs any more.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use gloo_timers::callback::Timeout;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::{Element, Event, HtmlCanvasElement, HtmlInputElement};
use yew::{AppHandle, Callback, NodeRef, Renderer};

use super::browser::{self, FetchFailed};
use super::canvas;
use super::frame::Frame;
use super::watch::{Change, Watch};
use crate::app::further_charts;
use crate::app::link::Link;
use crate::app::message::{Msg, PointedAt, Request};
use crate::app::picture::{self, PictureWords};
use crate::app::{App, FILE_BYTES_MAX, view_of};
use crate::draw::chart::ChartKind;
use crate::narrate::locale::Locale;
use crate::ui::{Widget, WidgetProps};

/// While it runs, texts and charts are renewed so often; the picture with every frame.
const TEXT_MILLIS: f64 = 125.0;

/// A mounted widget.
#[derive(Clone)]
pub struct Runner {
    state: Rc<RefCell<State>>,
}

struct State {
    app: App,
    root: Element,
    page: Option<AppHandle<Widget>>,
    scene_ref: NodeRef,
    chart_refs: [NodeRef; 3],
    further_refs: [NodeRef; 3],
    frame: Option<Frame>,
    timer: Option<Timeout>,
    watch: Option<Watch>,
    texts_at: f64,
    /// The picture's words, as old as the texts around it.
    words: PictureWords,
    is_in_view: bool,
}

impl Runner {
    /// Mounts a widget in `root` as `link` describes it.
    pub fn mount(root: Element, link: &Link) -> Self {
        let mut app = App::new(Rc::new(Locale::english()), link);
        look_around(&mut app, &root);
        app.set_address(browser::page_address());
        let state = State {
            app,
            root: root.clone(),
            page: None,
            scene_ref: NodeRef::default(),
            chart_refs: std::array::from_fn(|_| NodeRef::default()),
            further_refs: std::array::from_fn(|_| NodeRef::default()),
            frame: None,
            timer: None,
            watch: None,
            texts_at: 0.0,
            words: PictureWords::default(),
            is_in_view: true,
        };
        let runner = Self { state: Rc::new(RefCell::new(state)) };
        runner.begin(root);
        runner
    }

    fn begin(&self, root: Element) {
        let Some(props) = self.with(|state| state.props(self)) else { return };
        let page = Renderer::<Widget>::with_root_and_props(root.clone(), props).render();
        let weak = Rc::downgrade(&self.state);
        let watch = Watch::new(&root, move |change| with_runner(&weak, |runner| runner.changed(change)));
        self.with(|state| {
            state.page = Some(page);
            state.watch = Some(watch);
        });
        self.fetch_wanted_scenario();
        self.settle();
    }

    /// A person or the page did something.
    pub fn send(&self, mut msg: Msg) {
        let start = browser::now();
        if let Msg::PicturePointedAt(at) = &mut msg {
            self.measure(at);
        }
        self.with(|state| state.app.update(msg, start, &mut || browser::now() - start));
        self.settle();
        self.do_requested();
    }

    #[inline(never)]
    fn save_picture(&self, name: &str) {
        let picture = self.with(|state| {
            let canvas = state.scene_ref.cast::<HtmlCanvasElement>()?;
            canvas::png(&canvas, picture::palette(&state.app))
        });
        if let Some(address) = picture.flatten() {
            browser::download(name, &address);
        }
    }

    /// Tells how wide the letters of the picture are that was pointed at.
    #[inline(never)]
    fn measure(&self, at: &mut PointedAt) {
        let canvas = self.with(|state| state.scene_ref.cast::<HtmlCanvasElement>()).flatten();
        if let Some(thousandths) = canvas.as_ref().and_then(canvas::font_thousandths) {
            at.font_thousandths = thousandths;
        }
    }

    /// Does what the app asks of the browser.
    fn do_requested(&self) {
        match self.with(|state| state.app.take_request()).flatten() {
            Some(Request::Save { name, text }) => _ = browser::save(&name, &text),
            Some(Request::FullScreen) => self.toggle_full_screen(),
            Some(Request::SavePicture { name }) => self.save_picture(&name),
            Some(Request::Copy(text)) => {
                let weak = Rc::downgrade(&self.state);
                spawn_local(async move {
                    let is_copied = browser::copy(&text).await;
                    with_runner(&weak, |runner| runner.send(Msg::Copied(is_copied)));
                });
            }
            None => {}
        }
    }

    /// The request has to be made while the press is being heard, so its first part runs at once.
    #[inline(never)]
    fn toggle_full_screen(&self) {
        let Some(root) = self.with(|state| state.root.clone()) else { return };
        let asked = browser::ask_full_screen(&root);
        let weak = Rc::downgrade(&self.state);
        spawn_local(async move {
            if !browser::is_granted(asked).await {
                with_runner(&weak, |runner| runner.send(Msg::FullScreenRefused));
            }
        });
    }

    /// Parameters have changed.
    pub fn follow(&self, link: &Link) {
        let start = browser::now();
        self.with(|state| state.app.follow_change(link, start, &mut || browser::now() - start));
        self.fetch_wanted_scenario();
        self.settle();
    }

    /// Asks the app something; `None` after a fault.
    pub fn with_app<T>(&self, ask: impl FnOnce(&App) -> T) -> Option<T> {
        self.state.try_borrow().ok().map(|state| ask(&state.app))
    }

    /// Ends everything and empties the page's part.
    pub fn destroy(&self) {
        let page = self.with(|state| {
            (state.frame, state.timer, state.watch) = (None, None, None);
            state.page.take()
        });
        if let Some(page) = page.flatten() {
            page.destroy();
        }
    }

    /// Brings the whole page up to date and sees to what comes next.
    fn settle(&self) {
        self.show_texts();
        self.with(|state| {
            state.paint_scene();
            state.paint_charts();
        });
        self.see_to_next();
    }

    /// Renews everything outside the canvases. The page's handle is taken out meanwhile, so that
    /// nothing is borrowed while the page calls back.
    fn show_texts(&self) {
        let Some(Some((mut page, props))) = self.with(|state| {
            state.texts_at = browser::now();
            state.renew_words();
            Some((state.page.take()?, state.props(self)))
        }) else {
            return;
        };
        page.update(props);
        self.with(|state| state.page = Some(page));
    }

    fn on_frame(&self, now: f64) {
        let are_texts_due = self.with(|state| {
            state.frame = None;
            let start = browser::now();
            state.app.frame(now, &mut || browser::now() - start);
            now - state.texts_at >= TEXT_MILLIS || !state.app.needs_frames()
        });
        if are_texts_due == Some(true) {
            self.show_texts();
            self.with(|state| state.paint_charts());
        }
        self.with(|state| state.paint_scene());
        self.see_to_next();
    }

    /// Asks for a frame if one is needed and can be seen, and for a timer if something is due
    /// without one.
    fn see_to_next(&self) {
        self.with(|state| {
            if state.app.has_near_goal() && !state.is_seen() {
                // Nobody sees it, and somebody asked for it: a frame may never come.
                (state.frame, state.timer) = (None, Some(self.unseen_frame()));
            } else if !state.app.needs_frames() || !state.is_seen() {
                state.frame = None;
                state.app.frames_stopped();
                state.timer = state.app.wake_at().filter(|_| state.is_seen()).map(|at| self.timer(at));
            } else if state.frame.is_none() {
                state.timer = None;
                let weak = Rc::downgrade(&self.state);
                let on_frame = move |now| with_runner(&weak, |runner| runner.on_frame(now));
                state.frame = Some(Frame::new(on_frame));
            }
        });
    }

    fn unseen_frame(&self) -> Timeout {
        let weak = Rc::downgrade(&self.state);
        Timeout::new(0, move || with_runner(&weak, |runner| runner.on_frame(browser::now())))
    }

    fn timer(&self, at: f64) -> Timeout {
        let weak = Rc::downgrade(&self.state);
        let wait = (at - browser::now()).clamp(0.0, 60_000.0).ceil();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        Timeout::new(wait as u32, move || with_runner(&weak, |runner| runner.wake()))
    }

    fn wake(&self) {
        self.with(|state| {
            state.timer = None;
            state.app.wake(browser::now());
        });
        self.show_texts();
        self.see_to_next();
    }

    fn changed(&self, change: Change) {
        let looks_other = self.with(|state| {
            let looks = |app: &App| (app.theme(), app.is_motion_reduced(), app.is_full_screen());
            let before = looks(&state.app);
            match change {
                Change::InView(is_in_view) => state.is_in_view = is_in_view,
                Change::Colours => look_around(&mut state.app, &state.root),
                Change::Size | Change::PageVisibility => {}
            }
            before != looks(&state.app)
        });
        match (change, looks_other) {
            (Change::Colours, Some(true)) => return self.settle(),
            (Change::Colours, _) => return,
            _ => {}
        }
        self.with(|state| {
            state.renew_words();
            state.paint_scene();
            state.paint_charts();
        });
        self.see_to_next();
    }

    fn fetch_wanted_scenario(&self) {
        let Some(Some(address)) = self.with(|state| state.app.take_wanted_scenario()) else {
            return;
        };
        let weak = Rc::downgrade(&self.state);
        spawn_local(async move {
            let fetched = browser::fetch_text(&address).await;
            with_runner(&weak, |runner| match fetched {
                Ok(text) => runner.scenario_arrived(&address, &text),
                Err(FetchFailed::Elsewhere) => runner.send(Msg::AddressElsewhere(address)),
                Err(FetchFailed::NotFound) => runner.send(Msg::ScenarioNotFound(address)),
            });
        });
    }

    fn scenario_arrived(&self, address: &str, text: &str) {
        let start = browser::now();
        self.with(|state| state.app.scenario_arrived(address, text, start, &mut || browser::now() - start));
        self.settle();
    }

    fn open_file(&self, event: &Event) {
        let input = event.target().and_then(|target| target.dyn_into::<HtmlInputElement>().ok());
        let Some((name, bytes, file)) = input.as_ref().and_then(browser::chosen_file) else { return };
        #[allow(clippy::cast_precision_loss)]
        if bytes > FILE_BYTES_MAX as f64 {
            return self.send(Msg::FileTooLarge(name));
        }
        let weak = Rc::downgrade(&self.state);
        spawn_local(async move {
            let msg = match browser::file_text(&file).await {
                Some(text) => Msg::FileOpened(name, text),
                None => Msg::FileFailed(name),
            };
            with_runner(&weak, |runner| runner.send(msg));
        });
    }

    fn with<T>(&self, act: impl FnOnce(&mut State) -> T) -> Option<T> {
        self.state.try_borrow_mut().ok().map(|mut state| act(&mut state))
    }
}

impl State {
    fn props(&self, runner: &Runner) -> WidgetProps {
        let (to_send, to_open) = (Rc::downgrade(&runner.state), Rc::downgrade(&runner.state));
        WidgetProps {
            view: Rc::new(view_of(&self.app)),
            on_msg: Callback::from(move |msg| with_runner(&to_send, |runner| runner.send(msg))),
            on_file: Callback::from(move |event| with_runner(&to_open, |runner| runner.open_file(&event))),
            scene_ref: self.scene_ref.clone(),
            chart_refs: self.chart_refs.clone(),
            further_refs: self.further_refs.clone(),
            id_prefix: "ql".into(),
        }
    }

    fn paint_scene(&self) {
        if let Some(canvas) = self.scene_ref.cast::<HtmlCanvasElement>() {
            canvas::paint_scene(&canvas, &self.app, &self.words);
        }
    }

    fn renew_words(&mut self) {
        let width = self.scene_ref.cast::<HtmlCanvasElement>().map(|canvas| canvas.client_width());
        let width = f64::from(width.unwrap_or_default());
        self.words = picture::words(&self.app, width / picture::zoom(&self.app, width));
    }

    fn paint_charts(&self) {
        for (node, kind) in self.chart_refs.iter().zip(ChartKind::ALL) {
            if let Some(canvas) = node.cast::<HtmlCanvasElement>() {
                canvas::paint_one_chart(
                    &canvas,
                    picture::shown_kind(kind, self.app.run().snapshot()),
                    &self.app,
                );
            }
        }
        if self.app.are_charts_open() {
            self.paint_further_charts();
        }
    }

    #[inline(never)]
    fn paint_further_charts(&self) {
        for (node, kind) in self.further_refs.iter().zip(further_charts::kinds(&self.app)) {
            if let Some(canvas) = node.cast::<HtmlCanvasElement>() {
                canvas::paint_one_chart(&canvas, kind, &self.app);
            }
        }
    }

    fn is_seen(&self) -> bool {
        let page = browser::window().and_then(|window| window.document());
        self.is_in_view && page.is_none_or(|page| !page.hidden())
    }
}

fn look_around(app: &mut App, root: &Element) {
    app.set_host_dark(browser::host_colours(root).is_dark());
    app.set_forced_colours(browser::forced_colours(root));
    app.set_full_screen(browser::has_full_screen(root));
    app.set_motion_reduced(browser::media_matches("(prefers-reduced-motion: reduce)"));
}

fn with_runner(state: &Weak<RefCell<State>>, act: impl FnOnce(&Runner)) {
    if let Some(state) = state.upgrade() {
        act(&Runner { state });
    }
}
