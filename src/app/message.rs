//! What a person or the page did, in the past tense.

use super::access::Control;
use super::breaking::Injection;
use super::dead_letters::DeadLetterAct;
use super::groups::Group;
use super::log_view::Side;
use super::saving::Saved;
use crate::model::settings::Setting;

/// Everything that can change the app.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Msg {
    /// Start or pause was pressed.
    PlayToggled,
    /// Step was pressed: one model second.
    Stepped,
    /// Step was pressed with Shift: to the next instant at which anything happens.
    SteppedToNextInstant,
    /// Reset was pressed: back to the link's or scenario's start.
    ResetPressed,
    /// A speed was chosen, by its name in links, such as `10`.
    SpeedChosen(String),
    /// The jump forward on offer was taken.
    SkipPressed,
    /// The slider of the run so far was moved, to this second.
    Rewound(u64),
    /// The way back from the past to the end was taken.
    ReturnedToTheEnd,
    /// A dial's slider was moved, to this position.
    SliderMoved(Setting, u32),
    /// A dial was stepped up (+1) or down (−1) by its button.
    DialStepped(Setting, i32),
    /// A value was typed or chosen, as text; `none` for no bound.
    ValueEntered(Setting, String),
    /// A slider was let go.
    SliderReleased(Setting),
    /// The tick box "as the broker has it" beside a number was ticked (true) or cleared (false).
    AsBrokerTicked(Setting, bool),
    /// A group of dials was opened.
    GroupOpened(Group),
    /// A dial that was moved shall stand where it stood at the start.
    PutBack(Setting),
    /// All dials shall.
    AllPutBack,
    /// A control that is locked was used.
    LockedUsed(Control),
    /// A part of the page shall be put away, or come back.
    PartToggled(Control),
    /// The list of keys was opened (true) or closed (false).
    HelpOpened(bool),
    /// The whole screen is asked for, or given back.
    FullScreenPressed,
    /// The browser did not give the whole screen.
    FullScreenRefused,
    /// The projector's colours and sizes are asked for, or the usual ones.
    ProjectorPressed,
    /// Moving dots shall stand still, or move again.
    MotionToggled,
    /// More or less shall be announced.
    AnnouncementsChanged,
    /// The tick box "none" beside a number was ticked (true) or cleared (false).
    NoneTicked(Setting, bool),
    /// "Show me: 8 against 6" was pressed.
    ShowMePressed,
    /// The queue or the log was chosen.
    SideChosen(Side),
    /// One more partition was asked for.
    PartitionAdded,
    /// One more consumer was asked for.
    ConsumerAdded,
    /// A second team was asked for.
    TeamAdded,
    /// Something to break, or to mend, was pressed.
    Injected(Injection),
    /// The partition for the next poison message was chosen, by its number.
    PoisonPartitionChosen(String),
    /// To where offsets are to be moved was chosen, by its name.
    ResetToChosen(String),
    /// What is to become of poison was chosen, by its name.
    PolicyChosen(String),
    /// A dead letter was ticked (true), or its tick cleared: the place of its producer, and its number.
    DeadLetterTicked(usize, u64, bool),
    /// Something was done about the dead letters.
    DeadLettersTreated(DeadLetterAct),
    /// A scenario file was opened: its name and text.
    FileOpened(String, String),
    /// A scenario file is too large to be read: its name.
    FileTooLarge(String),
    /// A file or address could not be read: its name.
    FileFailed(String),
    /// A scenario's address is on another site, so it was not fetched.
    AddressElsewhere(String),
    /// There is no scenario of that name or at that address.
    ScenarioNotFound(String),
    /// "More dials" was opened (true) or closed (false).
    MoreOpened(bool),
    /// "More ways to break it" was opened (true) or closed (false).
    BreakingOpened(bool),
    /// The dead letters were opened (true) or closed (false).
    DeadLettersOpened(bool),
    /// The further charts were opened (true) or closed (false).
    ChartsOpened(bool),
    /// The table was opened (true) or closed (false).
    TableOpened(bool),
    /// The meanings of terms were opened or closed.
    GlossaryOpened(bool),
    /// A message was picked: the place of its producer, and its number there.
    MessagePicked(usize, u64),
    /// The picture was pointed at.
    PicturePointedAt(PointedAt),
    /// The number of a message was entered.
    MessageEntered(String),
    /// The messages to pick from shall be those at hand now.
    PicksRenewed,
    /// "Trace a message" was opened (true) or closed (false).
    TraceOpened(bool),
    /// "Share" was opened (true) or closed (false).
    ShareOpened(bool),
    /// The link shall be copied.
    CopyPressed,
    /// It was copied (true), or the browser did not allow it.
    Copied(bool),
    /// The picture or the data shall be saved as a file.
    SavedAs(Saved),
    /// The run shall be saved as a file.
    SavePressed,
    /// The notices were closed.
    NoticesClosed,
}

/// A point of the picture, in whole CSS pixels from its upper left corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointedAt {
    /// From the left.
    pub x: i32,
    /// From the top.
    pub y: i32,
    /// The picture's width.
    pub width: i32,
    /// How wide the page's typeface is, in thousandths of what is expected.
    pub font_thousandths: i32,
}

/// What the browser is asked to do for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Give the widget the whole screen, or take it back.
    FullScreen,
    /// Put a text on the clipboard.
    Copy(String),
    /// Offer the picture as it stands, as a PNG file.
    SavePicture {
        /// Its name.
        name: String,
    },
    /// Offer a file to save.
    Save {
        /// Its name.
        name: String,
        /// Its text.
        text: String,
    },
}
