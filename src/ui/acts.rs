//! From the browser's events to what a person did.

use std::rc::Rc;

use web_sys::wasm_bindgen::JsCast;
use web_sys::{Event, HtmlInputElement, HtmlSelectElement, KeyboardEvent, MouseEvent};
use yew::virtual_dom::{Listener, ListenerKind};
use yew::{Callback, TargetCast};

use crate::app::breaking::Injection;
use crate::app::dead_letters::DeadLetterAct;
use crate::app::log_view::Side;
use crate::app::message::Msg;
use crate::model::settings::Setting;

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
    /// Takes one of a list.
    Choose(List),
    /// Opens a part of the page (true) or closes it.
    Open(Panel, bool),
    /// Copies the link.
    Copy,
    /// Saves the run as a file.
    Save,
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

/// A list to choose from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum List {
    /// How fast model time passes.
    Speed,
    /// The values of a setting.
    Values(Setting),
    /// What is to become of poison.
    Policy,
    /// Where the next poison message goes.
    PoisonPartition,
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
    /// The history of the dead letter with that number.
    History(u64),
    /// The table.
    Table,
    /// The notices.
    Notices,
    /// The link of the run.
    Share,
}

/// What the widget itself keeps of an act.
#[derive(Debug)]
pub enum Change {
    /// A control shows what a person gave it.
    Held(Place, String),
    /// A control shows the model's value again.
    LetGo(Place),
    /// A list was used.
    Used(List, HtmlSelectElement),
    /// A part was opened or closed.
    Opened(Panel, bool),
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

    fn chosen(&self, list: List, event: &Event) -> Option<Msg> {
        let select: HtmlSelectElement = event.target_dyn_into()?;
        let name = select.value();
        self.on_change.emit(Change::Used(list, select));
        Some(match list {
            List::Speed => Msg::SpeedChosen(name),
            List::Values(setting) => Msg::ValueEntered(setting, name),
            List::Policy => Msg::PolicyChosen(name),
            List::PoisonPartition => Msg::PoisonPartitionChosen(name),
        })
    }
}

/// What changes in the widget alone.
fn change(act: Act, event: &Event) -> Option<Change> {
    match act {
        Act::Type(setting) => Some(Change::Held(Place::Field(setting), input(event)?.value())),
        Act::Press(setting) if is_escape(event) => Some(Change::LetGo(Place::Field(setting))),
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

fn input(event: &Event) -> Option<HtmlInputElement> {
    event.target_dyn_into()
}
