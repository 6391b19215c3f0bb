# SPDX-License-Identifier: Apache-2.0
# The page of `noccl view`: the engine as WebAssembly in one HTML file. Needs Node 20 or newer; everything else needs neither.

PAGE := page/dist/noccl.html
WASM := $(TARGET_DIR)/wasm32-unknown-unknown/web/noccl_web.wasm
# The simulator's benchmark as WebAssembly; no part of the page.
UNIFORM := $(TARGET_DIR)/wasm32-unknown-unknown/web/examples/uniform.wasm
PAGE_SOURCES := page/build.mjs $(wildcard page/src/*)

page/node_modules/.installed: page/package.json page/package-lock.json
	@command -v npm >/dev/null || { echo 'npm is missing: the page needs Node 20 or newer' >&2; exit 1; }
	npm ci --prefix page --no-audit --no-fund --ignore-scripts --loglevel error
	@touch $@

$(WASM): $(RUST_SOURCES)
	@rustup target list --installed | grep -qx wasm32-unknown-unknown || rustup target add wasm32-unknown-unknown
	cargo build --profile web --locked --target wasm32-unknown-unknown -p noccl-web
	@touch $@

$(PAGE): $(WASM) $(PAGE_SOURCES) page/node_modules/.installed
	page/node_modules/.bin/tsc -p page
	node page/build.mjs $(WASM) $@

.PHONY: page
page: $(PAGE) ## The page of `noccl view` (minutes, Node 20); `make build` then takes it into the program

# The program with the page in it is not installed: tests of other stages use the installed one.
.PHONY: test-page
test-page: $(PAGE) $(VENV)/.deps ## The page in a browser, and its engine against the program: same cycles, same bytes
	cargo build --release --locked -p noccl-cli -p noccl-py
	NOCCL=$(abspath $(BUILT))/noccl NATIVE=$(abspath $(BUILT))/lib_native.so PYTHON=$(abspath $(BIN))/python ENGINE=$(WASM) PAGE=$(PAGE) \
	  node --test page/tests/*.test.mjs

.PHONY: bench-page
bench-page: $(PAGE) ## The page's first result, frames per second, a million tiles, the engine in a worker
	cargo build --profile web --locked --target wasm32-unknown-unknown -p noccl-web --example uniform
	PAGE=$(PAGE) UNIFORM=$(UNIFORM) node page/tests/measure.mjs
