//! The wasm binary: the library with its exports, and nothing else.

use queue_lab as _;

fn main() {}
