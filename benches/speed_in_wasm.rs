//! How fast the model is as the page ships it: `scripts/bench-wasm.mjs` builds this and runs it under
//! Node.

#[cfg(target_arch = "wasm32")]
#[path = "workloads/mod.rs"]
mod workloads;

#[cfg(target_arch = "wasm32")]
mod exports {
    use wasm_bindgen::prelude::*;

    use super::workloads::WORKLOADS;

    /// The allocator of the page.
    #[global_allocator]
    static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();

    /// The names of the workloads, with semicolons between.
    #[wasm_bindgen]
    #[must_use]
    pub fn workloads() -> String {
        WORKLOADS.map(|workload| workload.name).join(";")
    }

    /// Plays the model.
    #[wasm_bindgen]
    #[must_use]
    pub fn model(workload: usize, messages: u32) -> f64 {
        WORKLOADS.get(workload).map_or(0.0, |workload| workload.play(messages.into()) as f64)
    }

    /// Plays the plain loop.
    #[wasm_bindgen]
    #[must_use]
    pub fn plain_loop(workload: usize, messages: u32) -> f64 {
        WORKLOADS.get(workload).map_or(0.0, |workload| workload.play_plainly(messages.into()))
    }
}

fn main() {
    if cfg!(not(target_arch = "wasm32")) {
        println!("node scripts/bench-wasm.mjs builds this for wasm and runs it");
    }
}
