//! Questions to the browser, each answered with a plain value where there is no answer.

use js_sys::Promise;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Blob, BlobPropertyBag, Element, HtmlAnchorElement, HtmlElement, HtmlInputElement, Response, ShadowRoot,
    Url, Window,
};

use crate::app::host::HostColours;
use crate::app::presenting::SystemColours;

/// Real time in milliseconds.
pub fn now() -> f64 {
    window().and_then(|window| window.performance()).map_or(0.0, |performance| performance.now())
}

/// Device pixels in a CSS pixel.
pub fn device_pixel_ratio() -> f64 {
    window().map_or(1.0, |window| window.device_pixel_ratio())
}

/// Whether a media query holds.
pub fn media_matches(query: &str) -> bool {
    let list = window().and_then(|window| window.match_media(query).ok().flatten());
    list.is_some_and(|list| list.matches())
}

/// The colours around the widget in whose shadow `inside` is.
pub fn host_colours(inside: &Element) -> HostColours {
    let mut backgrounds = Vec::new();
    let host = inside.get_root_node().dyn_into::<ShadowRoot>().ok().map(|shadow| shadow.host());
    let mut around = host.as_ref().and_then(parent_across_shadow);
    while let Some(element) = around {
        backgrounds.extend(background(&element));
        around = parent_across_shadow(&element);
    }
    HostColours { backgrounds, is_system_dark: media_matches("(prefers-color-scheme: dark)") }
}

fn parent_across_shadow(element: &Element) -> Option<Element> {
    let shadow_host = || element.get_root_node().dyn_into::<ShadowRoot>().ok().map(|shadow| shadow.host());
    element.parent_element().or_else(shadow_host)
}

fn background(element: &Element) -> Option<String> {
    let style = window()?.get_computed_style(element).ok()??;
    style.get_property_value("background-color").ok()
}

/// Why a scenario could not be fetched.
pub enum FetchFailed {
    /// It is on another site.
    Elsewhere,
    /// It is not there.
    NotFound,
}

/// The text at `address`, which is relative to the page and has to be on the same site.
pub async fn fetch_text(address: &str) -> Result<String, FetchFailed> {
    let window = window().ok_or(FetchFailed::NotFound)?;
    let location = window.location();
    let base = location.href().map_err(|_| FetchFailed::NotFound)?;
    let url = Url::new_with_base(address, &base).map_err(|_| FetchFailed::NotFound)?;
    if location.origin().ok() != Some(url.origin()) {
        return Err(FetchFailed::Elsewhere);
    }
    let response = resolved(window.fetch_with_str(&url.href())).await.ok_or(FetchFailed::NotFound)?;
    let response: Response = response.dyn_into().map_err(|_| FetchFailed::NotFound)?;
    if !response.ok() {
        return Err(FetchFailed::NotFound);
    }
    let text = response.text().map_err(|_| FetchFailed::NotFound)?;
    resolved(text).await.and_then(|text| text.as_string()).ok_or(FetchFailed::NotFound)
}

/// The file that was chosen in a file input, with its name and size, and its text if asked for.
/// The input is emptied, so that the same file can be chosen again.
pub fn chosen_file(input: &HtmlInputElement) -> Option<(String, f64, web_sys::File)> {
    let file = input.files()?.get(0)?;
    input.set_value("");
    Some((file.name(), file.size(), file))
}

/// The text of a file; `None` if it cannot be read.
pub async fn file_text(file: &web_sys::File) -> Option<String> {
    resolved(file.text()).await?.as_string()
}

/// The address of the page, without what is asked of it; empty where it has none.
pub fn page_address() -> String {
    let address = window().and_then(|window| {
        let location = window.location();
        Some([location.origin().ok()?, location.pathname().ok()?].concat())
    });
    address.unwrap_or_default()
}

/// Puts `text` on the clipboard; returns whether that was allowed.
pub async fn copy(text: &str) -> bool {
    let clipboard = window().map(|window| window.navigator().clipboard()).filter(|clipboard| {
        // Where the page is not served securely there is none.
        !clipboard.is_undefined()
    });
    match clipboard {
        Some(clipboard) => resolved(clipboard.write_text(text)).await.is_some(),
        None => false,
    }
}

/// Offers `text` as a file to save.
pub fn save(name: &str, text: &str) -> Option<()> {
    let kind = BlobPropertyBag::new();
    kind.set_type("application/json");
    let parts = js_sys::Array::of1(&JsValue::from_str(text));
    let blob = Blob::new_with_str_sequence_and_options(&parts, &kind).ok()?;
    let address = Url::create_object_url_with_blob(&blob).ok()?;
    let link: HtmlAnchorElement = window()?.document()?.create_element("a").ok()?.dyn_into().ok()?;
    link.set_href(&address);
    link.set_download(name);
    link.click();
    Url::revoke_object_url(&address).ok()
}

async fn resolved(promise: Promise) -> Option<JsValue> {
    JsFuture::from(promise).await.ok()
}

/// The system's colours, where it forces them on pages.
pub fn forced_colours(inside: &Element) -> Option<SystemColours> {
    if media_matches("(forced-colors: active)") { system_colours(inside) } else { None }
}

/// What an element in each of them computes to.
#[inline(never)]
fn system_colours(inside: &Element) -> Option<SystemColours> {
    let probe: HtmlElement = window()?.document()?.create_element("span").ok()?.dyn_into().ok()?;
    inside.append_child(&probe).ok()?;
    let computed = |name: &str| {
        probe.style().set_property("color", name).ok()?;
        window()?.get_computed_style(&probe).ok()??.get_property_value("color").ok()
    };
    let colour = |name: &str| computed(name).unwrap_or_default();
    let colours = SystemColours {
        canvas: colour("Canvas"),
        text: colour("CanvasText"),
        highlight: colour("Highlight"),
        link: colour("LinkText"),
    };
    probe.remove();
    Some(colours)
}

/// Whether the widget in `root` has the whole screen.
pub fn has_full_screen(root: &Element) -> bool {
    full_screen_element(root).is_some_and(|element| element == *root)
}

fn full_screen_element(root: &Element) -> Option<Element> {
    root.get_root_node().dyn_into::<ShadowRoot>().ok()?.fullscreen_element()
}

/// Asks for the whole screen for the widget in `root`, or gives it back; nothing where that cannot even be
/// asked for, as on some phones.
#[inline(never)]
pub fn ask_full_screen(root: &Element) -> Option<JsValue> {
    let page = window()?.document()?;
    let (on, name) = match has_full_screen(root) {
        true => (JsValue::from(page), "exitFullscreen"),
        false => (JsValue::from(root.clone()), "requestFullscreen"),
    };
    let ask: js_sys::Function = js_sys::Reflect::get(&on, &JsValue::from_str(name)).ok()?.dyn_into().ok()?;
    ask.call0(&on).ok()
}

/// Whether what was asked for is given. Older browsers do not answer.
pub async fn is_granted(asked: Option<JsValue>) -> bool {
    match asked.map(JsCast::dyn_into::<Promise>) {
        Some(Ok(promise)) => resolved(promise).await.is_some(),
        Some(Err(_)) => true,
        None => false,
    }
}

/// The window.
pub fn window() -> Option<Window> {
    web_sys::window()
}
