# Shared by the scripts. Source it; it moves to the project's root and puts the
# project's own tools first on PATH, so that others on the machine do not matter.

cd "$(dirname "${BASH_SOURCE[0]}")/.."
PROJECT=$PWD
TOOLS=$PROJECT/.tools
export PATH="$TOOLS/bin:$PATH"

# The wasm names its sources by crate, not by the folders of the machine that built it, and tells
# all instances of a generic function apart (scripts/first-part.txt goes by their names). A function is
# compiled into its callers where that costs little: a lower threshold makes the page smaller and the
# model slower (20: 4 kB less, and a quarter longer a message). Only here, so that every script builds
# with the same flags.
export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS="--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}/registry/src/= -C symbol-mangling-version=v0 -C llvm-args=-inline-threshold=40"

say() { printf '%s\n' "$*"; }

die() {
  printf 'Queue Lab: %s\n' "$*" >&2
  exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

find_chromium() {
  local name
  for name in "${CHROMIUM:-}" chromium chromium-browser google-chrome-stable google-chrome; do
    [ -n "$name" ] && have "$name" && command -v "$name" && return
  done
  return 1
}
