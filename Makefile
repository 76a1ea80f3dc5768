# Queue Lab. `make help` lists the commands.

.DEFAULT_GOAL := help
.PHONY: help serve test test-all soak mutate build bench size first-part clean
export QUEUE_LAB_PORT

help: ## say what there is
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

serve: ## build the page and serve it on http://127.0.0.1:8080/ (QUEUE_LAB_PORT changes the port)
	@scripts/serve

test: ## run every check and test that a change must pass (STAGES="format native" runs only these)
	@scripts/test $(STAGES)

test-all: ## run `make test` and the tests that take long
	@scripts/test --heavy

soak: ## play random runs of 100,000,000 events and recount everything at every instant
	@scripts/test soak

mutate: ## break each rule of the model once and expect the tests to see it
	@scripts/test mutate

build: ## build dist/, the five files of the page
	@scripts/build

bench: ## measure the model beside a plain loop, charts beside uPlot, and the page's frames
	cargo bench --bench speed
	@scripts/ensure-tools bench
	@node scripts/bench-wasm.mjs
	@scripts/build
	@node scripts/bench-page.mjs

size: ## build, then say what each file and each crate costs
	@scripts/build
	@node scripts/size.mjs --crates

first-part: ## record anew which functions the first screen calls; the build puts them into the first load
	@scripts/ensure-tools test
	@bash -c '. scripts/common.sh && CHROMIUM=$$(find_chromium) node scripts/record-first-part.mjs'

clean: ## remove what was built, but keep the tools in .tools/ and node_modules/
	cargo clean
	rm -rf dist
