//! What a click does and what the page shows, without a browser.

pub mod link;
pub mod message;
pub mod speed;
pub mod view;
