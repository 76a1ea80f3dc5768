//! How fast a chart is drawn as the page ships it, in a browser: `scripts/bench-page.mjs` builds this
//! and draws the same numbers with uPlot, in the same run.

#[cfg(target_arch = "wasm32")]
mod exports {
    use plotters_canvas::CanvasBackend;
    use queue_lab::draw::chart::{ChartKind, ChartModel, ChartRequest, ChartWindow, Course, paint_chart};
    use queue_lab::draw::palette::Palette;
    use queue_lab::draw::scale::{CANVAS_UNITS_PER_PIXEL, Scale};
    use queue_lab::model::series::lags::LagBucket;
    use queue_lab::model::series::{Extent, Resolution};
    use queue_lab::model::time::{Instant, Span};
    use wasm_bindgen::prelude::*;
    use web_sys::HtmlCanvasElement;

    /// The allocator of the page.
    #[global_allocator]
    static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();

    const LINES: u64 = 3;

    /// Three lines of so many points, one a second, and each a random walk.
    #[wasm_bindgen]
    pub struct Charts {
        courses: Vec<Course>,
        end: Instant,
    }

    #[wasm_bindgen]
    impl Charts {
        /// Makes up the points: a backlog that grows and shrinks by up to 20 messages a second.
        #[wasm_bindgen(constructor)]
        #[must_use]
        pub fn new(points: u32) -> Self {
            let courses = (0..LINES).map(|line| walk(line, points.into())).collect();
            Self { courses, end: Instant::from_seconds(points.into()) }
        }

        /// What a line's points are, oldest first.
        #[must_use]
        pub fn values(&self, line: usize) -> Vec<f64> {
            let course = self.courses.get(line);
            course.map_or_else(Vec::new, |course| {
                course.buckets.iter().map(|bucket| bucket.lag.last as f64).collect()
            })
        }

        /// Draws all of it, from the points to the pixels, on a canvas whose bitmap has that many
        /// pixels for each of CSS.
        pub fn draw(&self, canvas: HtmlCanvasElement, width_css: f64, height_css: f64, pixels: f64) {
            let request = self.request(width_css, height_css);
            let Some((worst, lanes)) = self.courses.split_first() else { return };
            let chart = ChartModel::of_group(ChartKind::Lag, worst, lanes, &request);
            paint(&chart, canvas, Scale::canvas(pixels));
        }

        fn request(&self, width_css: f64, height_css: f64) -> ChartRequest<'static> {
            ChartRequest {
                window: ChartWindow { from: Instant::START, to: self.end, now: self.end },
                resolution: Resolution::Second,
                width_css,
                height_css,
                font_width: 1.0,
                marks: &[],
                time_label: &|span: Span| (span.micros() / 1_000_000).to_string(),
                count_label: &|count: u64| count.to_string(),
                span_label: &|span: Span| span.micros().to_string(),
            }
        }
    }

    fn walk(line: u64, points: u64) -> Course {
        let mut drawn = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(line + 1);
        let mut value = 1_000 * (line + 1);
        let mut next = |second: u64| {
            drawn = drawn.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            value = (value + (drawn >> 33) % 41).saturating_sub(20);
            LagBucket { start: Instant::from_seconds(second), lag: Extent::of(value), ..LagBucket::default() }
        };
        let buckets: Vec<LagBucket> = (0..points).map(&mut next).collect();
        Course { buckets, now: value }
    }

    /// As `src/web/canvas.rs` does it.
    fn paint(chart: &ChartModel, canvas: HtmlCanvasElement, scale: Scale) {
        let Ok(Some(context)) = canvas.get_context("2d") else { return };
        let context: web_sys::CanvasRenderingContext2d = context.unchecked_into();
        let unit = 1.0 / f64::from(CANVAS_UNITS_PER_PIXEL);
        context.set_transform(1.0, 0.0, 0.0, 1.0, 0.0, 0.0).ok();
        context.clear_rect(0.0, 0.0, canvas.width().into(), canvas.height().into());
        context.set_transform(unit, 0.0, 0.0, unit, 0.0, 0.0).ok();
        if let Some(mut backend) = CanvasBackend::with_canvas_object(canvas) {
            paint_chart(chart, &Palette::LIGHT, scale, &mut backend).ok();
        }
    }
}

fn main() {
    if cfg!(not(target_arch = "wasm32")) {
        println!("node scripts/bench-page.mjs builds this for wasm and runs it in a browser");
    }
}
