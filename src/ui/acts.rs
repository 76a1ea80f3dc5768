//! From the browser's events to what a person did.

use std::rc::Rc;

use web_sys::wasm_bindgen::JsCast;
use web_sys::{Event, HtmlInputElement, HtmlSelectElement, KeyboardEvent, MouseEvent};
use yew::virtual_dom::{Listener, ListenerKind};
use yew::{Callback, TargetCast};

use super::guard;
use super::list::List;
use crate::app::access::{Access, Control};
use crate::app::breaking::Injection;
use crate::app::dead_letters::DeadLetterAct;
use crate::app::groups::Group;
use crate::app::keys;
use crate::app::log_view::Side;
use crate::app::message::{Msg, PointedAt};
use crate::app::saving::Saved;
use crate::model::settings::{Setting, Switch};

/// What a person does to a control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Act {
    /// Presses Start or Pause.
    Play,
    /// Presses Step.
    Step,
    /// Presses Reset.
    Reset,
    /// Moves the slider of the run so far.
    Rewind,
    /// Takes the way back from the past to the end.
    ReturnToTheEnd,
    /// Takes the jump forward on offer.
    Skip,
    /// Takes the prepared run on offer.
    ShowMe,
    /// Chooses the queue or the log.
    Show(Side),
    /// Asks for one more partition.
    AddPartition,
    /// Asks for one more consumer.
    AddConsumer,
    /// Asks for a second team.
    AddTeam,
    /// Breaks something, or mends it.
    Inject(Injection),
    /// Does something about the dead letters.
    Treat(DeadLetterAct),
    /// Ticks a dead letter, or clears that: the place of its producer, and its number.
    TickLetter(usize, u64),
    /// Steps a dial by its button.
    StepDial(Setting, i32),
    /// Moves a slider. Its thumb may be in a hand, so its place is now the person's.
    Slide(Setting),
    /// Types into a number field, but does not enter it yet.
    Type(Setting),
    /// Enters what was typed: by Enter, or by leaving the field.
    Enter(Setting),
    /// Presses a key in a number field; Escape gives it its number back.
    Press(Setting),
    /// Leaves a slider or a number field: its value is the model's again.
    LetGo(Place),
    /// Ticks "none" or clears it.
    TickNone(Setting),
    /// Ticks "as the broker has it" or clears it.
    TickAsBroker(Setting),
    /// Ticks what is on or off.
    Switch(Setting),
    /// Opens a group of dials.
    OpenGroup(Group),
    /// Puts a dial back.
    PutBack(Setting),
    /// Puts all dials back.
    PutAllBack,
    /// Asks for the whole screen, or gives it back.
    FullScreen,
    /// Asks for the projector's colours, or the usual ones.
    Projector,
    /// Presses a key anywhere in the widget.
    AnyKey,
    /// Takes one of a list.
    Choose(List),
    /// Opens a part of the page (true) or closes it.
    Open(Panel, bool),
    /// Picks a message: the place of its producer, and its number.
    Pick(usize, u64),
    /// Asks for the messages at hand now.
    RenewPicks,
    /// Points at the picture.
    Point,
    /// Enters the number of a message.
    EnterMessage,
    /// Copies the link.
    Copy,
    /// Saves the run as a file.
    Save,
    /// Saves the picture or the data as a file.
    SaveAs(Saved),
    /// Chooses a scenario file.
    OpenFile,
}

/// A control whose value belongs to the person who is using it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The slider of a setting.
    Slider(Setting),
    /// The number field of a setting.
    Field(Setting),
    /// The slider of the run so far.
    Rewind,
}

/// A part of the page that opens and closes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Panel {
    /// The further dials.
    More,
    /// The other ways to break it.
    Breaking,
    /// The dead letters.
    DeadLetters,
    /// The journey of the dead letter of that producer and number, of which so many rows stand before it.
    /// One is open at a time.
    History(usize, u64, usize),
    /// The journey of any message.
    Trace,
    /// The further charts.
    Charts,
    /// The table.
    Table,
    /// What the terms mean.
    Glossary,
    /// The notices.
    Notices,
    /// The link of the run.
    Share,
    /// The list of keys.
    Help,
}

/// What is put back to where it stood at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Back {
    /// One dial.
    One(Setting),
    /// All dials.
    All,
}

/// What the widget itself keeps of an act.
#[derive(Debug)]
pub enum Change {
    /// A control shows what a person gave it.
    Held(Place, String),
    /// A control shows the model's value again.
    LetGo(Place),
    /// Likewise by a key, which closes nothing then: a person takes back what was typed.
    GivenBack(Place),
    /// A dial is put back, or all are: what did it goes away.
    PutBack(Back),
    /// A list was used.
    Used(List, HtmlSelectElement),
    /// A part was opened or closed.
    Opened(Panel, bool),
    /// A part was closed by a key: its button gets the focus that was in it.
    Escaped(Panel),
}

/// The events that are listened for.
#[derive(Clone, Copy, Debug)]
pub(super) enum On {
    Click,
    Input,
    Change,
    KeyDown,
    Blur,
    PointerCancel,
}

/// Who is told of acts.
#[derive(Debug)]
pub(super) struct Ears {
    pub on_msg: Callback<Msg>,
    pub on_file: Callback<Event>,
    pub on_change: Callback<Change>,
    /// Which dials and buttons the page has.
    pub access: Rc<Access>,
    /// What a key closes: the part that was opened last.
    pub closes: Option<Panel>,
}

/// An event that an element listens for, and what it means there.
struct Hearing {
    on: On,
    act: Act,
    ears: Rc<Ears>,
}

impl Listener for Hearing {
    fn kind(&self) -> ListenerKind {
        match self.on {
            On::Click => ListenerKind::onclick,
            On::Input => ListenerKind::oninput,
            On::Change => ListenerKind::onchange,
            On::KeyDown => ListenerKind::onkeydown,
            On::Blur => ListenerKind::onblur,
            On::PointerCancel => ListenerKind::onpointercancel,
        }
    }

    fn handle(&self, event: Event) {
        if let Some(msg) = self.ears.hear(self.act, &event) {
            self.ears.on_msg.emit(msg);
        }
    }

    fn passive(&self) -> bool {
        false
    }
}

impl Ears {
    /// A listener to whose events an act belongs.
    pub(super) fn listener(self: &Rc<Self>, on: On, act: Act) -> Rc<dyn Listener> {
        Rc::new(Hearing { on, act, ears: Rc::clone(self) })
    }

    /// What is to be told to whoever mounted the widget. There is nothing where only the widget is
    /// concerned, and where an event does not tell what it should, which the browser never makes.
    fn hear(&self, act: Act, event: &Event) -> Option<Msg> {
        if !self.access.is_full()
            && let Some(locked) = self.locked(act)
        {
            return self.refuse(act, locked, event);
        }
        Some(match act {
            Act::Play => Msg::PlayToggled,
            Act::Step => step(event),
            Act::Reset => Msg::ResetPressed,
            Act::Skip => Msg::SkipPressed,
            Act::ShowMe => Msg::ShowMePressed,
            Act::Show(side) => Msg::SideChosen(side),
            Act::AddPartition => Msg::PartitionAdded,
            Act::AddConsumer => Msg::ConsumerAdded,
            Act::AddTeam => Msg::TeamAdded,
            Act::Inject(injection) => Msg::Injected(injection),
            Act::Treat(act) => Msg::DeadLettersTreated(act),
            Act::StepDial(setting, steps) => Msg::DialStepped(setting, steps),
            Act::Slide(setting) => {
                let text = input(event)?.value();
                let position = text.parse().ok()?;
                self.on_change.emit(Change::Held(Place::Slider(setting), text));
                Msg::SliderMoved(setting, position)
            }
            Act::Copy => Msg::CopyPressed,
            Act::Save => Msg::SavePressed,
            Act::ReturnToTheEnd => Msg::ReturnedToTheEnd,
            Act::Rewind => {
                let text = input(event)?.value();
                let seconds = text.parse().ok()?;
                self.on_change.emit(Change::Held(Place::Rewind, text));
                Msg::Rewound(seconds)
            }
            Act::Enter(setting) => {
                let text = input(event)?.value();
                self.on_change.emit(Change::LetGo(Place::Field(setting)));
                Msg::ValueEntered(setting, text)
            }
            Act::TickNone(setting) => Msg::NoneTicked(setting, input(event)?.checked()),
            Act::LetGo(Place::Slider(setting)) => {
                self.on_change.emit(Change::LetGo(Place::Slider(setting)));
                Msg::SliderReleased(setting)
            }
            Act::TickLetter(..)
            | Act::Pick(..)
            | Act::Point
            | Act::RenewPicks
            | Act::EnterMessage
            | Act::SaveAs(_)
            | Act::TickAsBroker(_)
            | Act::Switch(_)
            | Act::OpenGroup(_)
            | Act::PutBack(_)
            | Act::PutAllBack
            | Act::FullScreen
            | Act::Projector
            | Act::AnyKey => return self.hear_further(act, event),
            Act::Choose(list) => self.chosen(list, event)?,
            Act::OpenFile => {
                self.on_file.emit(event.clone());
                return None;
            }
            _ => {
                self.on_change.emit(change(act, event)?);
                return None;
            }
        })
    }

    /// The control of an act, if it is locked.
    #[inline(never)]
    fn locked(&self, act: Act) -> Option<Control> {
        guard::control_used(act).filter(|control| self.access.is_locked(*control))
    }

    /// Takes nothing. What the browser has changed already is set back as the page is shown anew.
    #[inline(never)]
    fn refuse(&self, act: Act, locked: Control, event: &Event) -> Option<Msg> {
        if let Act::Choose(list) = act {
            self.on_change.emit(Change::Used(list, event.target_dyn_into()?));
        }
        Some(Msg::LockedUsed(locked))
    }

    /// Likewise, of what nobody does before the page is there whole.
    #[inline(never)]
    fn hear_further(&self, act: Act, event: &Event) -> Option<Msg> {
        Some(match act {
            Act::TickLetter(producer, number) => {
                Msg::DeadLetterTicked(producer, number, input(event)?.checked())
            }
            Act::Pick(producer, number) => Msg::MessagePicked(producer, number),
            Act::Point => self.pointed_at(event)?,
            Act::RenewPicks => Msg::PicksRenewed,
            Act::EnterMessage => Msg::MessageEntered(input(event)?.value()),
            Act::SaveAs(what) => Msg::SavedAs(what),
            Act::TickAsBroker(setting) => Msg::AsBrokerTicked(setting, input(event)?.checked()),
            Act::Switch(setting) => {
                let name = Switch::NAMES.get(usize::from(input(event)?.checked()))?;
                Msg::ValueEntered(setting, (*name).to_owned())
            }
            Act::OpenGroup(group) => Msg::GroupOpened(group),
            Act::PutBack(setting) => {
                self.on_change.emit(Change::PutBack(Back::One(setting)));
                Msg::PutBack(setting)
            }
            Act::PutAllBack => {
                self.on_change.emit(Change::PutBack(Back::All));
                Msg::AllPutBack
            }
            Act::FullScreen => Msg::FullScreenPressed,
            Act::Projector => Msg::ProjectorPressed,
            _ => return self.key(event),
        })
    }

    /// A key that is one of the widget's goes no further. All others are the page's.
    fn key(&self, event: &Event) -> Option<Msg> {
        let press: &KeyboardEvent = event.dyn_ref()?;
        let is_of_page = press.ctrl_key() || press.alt_key() || press.meta_key() || press.is_composing();
        let key = press.key();
        if is_of_page || press.default_prevented() || takes(event, &key) {
            return None;
        }
        let taken = || {
            press.prevent_default();
            press.stop_propagation();
        };
        if key == keys::ESCAPE {
            let panel = self.closes?;
            taken();
            self.on_change.emit(Change::Escaped(panel));
            return None;
        }
        let msg = keys::pressed(&key, &self.access)?;
        taken();
        if let Msg::HelpOpened(is_open) = msg {
            self.on_change.emit(Change::Opened(Panel::Help, is_open));
            return None;
        }
        let is_held = press.repeat() && msg != Msg::Stepped;
        (!is_held).then_some(msg)
    }

    /// A click on the picture: the message there is picked, and its journey shown.
    #[inline(never)]
    fn pointed_at(&self, event: &Event) -> Option<Msg> {
        let click: &MouseEvent = event.dyn_ref()?;
        let canvas: web_sys::HtmlElement = event.target_dyn_into()?;
        self.on_change.emit(Change::Opened(Panel::Trace, true));
        Some(Msg::PicturePointedAt(PointedAt {
            x: click.offset_x(),
            y: click.offset_y(),
            width: canvas.client_width(),
            font_thousandths: 1_000,
        }))
    }

    fn chosen(&self, list: List, event: &Event) -> Option<Msg> {
        let select: HtmlSelectElement = event.target_dyn_into()?;
        let name = select.value();
        self.on_change.emit(Change::Used(list, select));
        Some(list.chosen(name))
    }
}

/// What changes in the widget alone.
fn change(act: Act, event: &Event) -> Option<Change> {
    match act {
        Act::Type(setting) => Some(Change::Held(Place::Field(setting), input(event)?.value())),
        Act::Press(setting) if is_escape(event) => Some(Change::GivenBack(Place::Field(setting))),
        Act::LetGo(place) => Some(Change::LetGo(place)),
        Act::Open(panel, is_open) => Some(Change::Opened(panel, is_open)),
        _ => None,
    }
}

/// Browsers turn Enter and Space on a button into a click that carries the Shift key, so one
/// reading serves mouse and keyboard.
fn step(event: &Event) -> Msg {
    let is_shifted = event.dyn_ref().is_some_and(MouseEvent::shift_key);
    if is_shifted { Msg::SteppedToNextInstant } else { Msg::Stepped }
}

fn is_escape(event: &Event) -> bool {
    event.dyn_ref().is_some_and(|press: &KeyboardEvent| press.key() == "Escape")
}

/// Whether what has the focus takes the key itself, as a text field and a list do. The one that closes
/// what is open is left to the widget.
fn takes(event: &Event, key: &str) -> bool {
    let is_list = event.target_dyn_into::<HtmlSelectElement>().is_some();
    let is_field = |field: HtmlInputElement| field.type_() == "text" && !field.read_only();
    key != keys::ESCAPE && (is_list || input(event).is_some_and(is_field))
}

fn input(event: &Event) -> Option<HtmlInputElement> {
    event.target_dyn_into()
}
