# SPDX-License-Identifier: Apache-2.0
#
# A thin front over CMake and ctest: `make help` lists what a person types. Parameters (TPU_T=8,
# TPU_QD=2, ...) on the command line reach every program through the environment.

SHELL := /bin/bash
.DEFAULT_GOAL := help
.NOTPARALLEL:

BUILD := build
JOBS := $(shell nproc)
TPUCOSIM := $(BUILD)/tpucosim
FUZZ_SECONDS := 60
FAULTS := 1000
CAMPAIGN := campaign
POINTS := ci/campaign.points
SEEDS := 1..1
NIGHT_SECONDS := 28800

##@ Run
cosim: engine ## the suite in lockstep, one table: make cosim TPU_T=8
	@$(TPUCOSIM) cosim

fuzz: engine ## random programs in lockstep: make fuzz TPU_T=8 FUZZ_SECONDS=60
	@$(TPUCOSIM) fuzz --seconds $(FUZZ_SECONDS) --jobs $(JOBS)

campaign: build ## fuzzing by plan, resumable: make campaign CAMPAIGN=dir POINTS=file SEEDS=1..9
	@ci/engines $(BUILD) $(POINTS)
	@$(TPUCOSIM) campaign $(CAMPAIGN) --points $(POINTS) --seeds $(SEEDS) --jobs $(JOBS) \
	    --commit "$$(git rev-parse --short=12 HEAD 2>/dev/null)"

illegal: engine ## programs that break one rule each: check and machine must refuse them
	@$(TPUCOSIM) fuzz --illegal --seconds $(FUZZ_SECONDS)

equal: build ## the same events whatever the stalls, latency, depth and contents (10 minutes)
	@ci/check_equal $(BUILD) 4000 all

fuzz-readers: tools-test ## libFuzzer on every reader of files: make fuzz-readers FUZZ_SECONDS=60
	@ci/fuzz_readers $(BUILD) $(FUZZ_SECONDS)

fuzz-guided: tools-fuzz engine ## random programs guided by coverage: FUZZ_SECONDS=60
	@$(TPUCOSIM) fuzz --guided --seconds $(FUZZ_SECONDS) --jobs $(JOBS)

fuzz-growth: tools-fuzz build ## blind against guided, bins over time as CSV and SVG
	@ci/fuzz_growth $(BUILD) $(FUZZ_SECONDS)

fuzz-detect: tools-fuzz build ## how soon hard planted faults are found, blind and guided
	@ci/fuzz_detect $(BUILD)

fuzz-nightly: tools-fuzz build ## guided, then a campaign, seeds of the commit: NIGHT_SECONDS=3600
	@ci/fuzz_nightly $(BUILD) $(NIGHT_SECONDS)

bench: engine ## cycles against the targets, checked and bare cycles a second
	@$(TPUCOSIM) bench

waves: engine ## a waveform of a normal run, and how to open it
	@ci/waves $(BUILD)

##@ Check
test: tools-test $(BUILD)/build.ninja ## everything CI runs
	@cmake --build $(BUILD) -- --quiet
	@ctest --test-dir $(BUILD) --output-on-failure --no-label-summary -j $(JOBS) \
	    --output-junit test.xml

unit: build tools-test ## only the tests that take milliseconds
	@cmake --build $(BUILD) -- --quiet
	@ctest --test-dir $(BUILD) --output-on-failure --no-label-summary -j $(JOBS) -L unit

matrix: tools build ## every T, MAXDIM, QD, latency and stall setting (hours, not minutes)
	@ci/check_matrix $(BUILD) all

lint: build tools-test ## only the RTL, format, style and room checks
	@cmake --build $(BUILD) --target specgen -- --quiet
	@ctest --test-dir $(BUILD) --output-on-failure --no-label-summary -j $(JOBS) -L check

mutants: build tools-test ## planted faults: who notices each, how soon, how small (an hour)
	@cmake --build $(BUILD) -- --quiet
	@$(BUILD)/tpucosim mutants --jobs $(JOBS)

mutants-netlist: build tools-test ## faults that Yosys plants, under all ways of watching
	@$(TPUCOSIM) mutants --netlist $(FAULTS) --watch all --jobs $(JOBS)

check: lint ## the same as lint

##@ Work
build: tools $(BUILD)/build.ninja ## the command line program and what it needs
	@cmake --build $(BUILD) --target tpucosim tpu_point >$(BUILD)/build.log || { \
	    grep -v '^\[' $(BUILD)/build.log >&2; exit 3; }

engine: build ## the engine of one parameter point, under build/engines
	@ci/engine $(BUILD)

format: ## rewrites C and C++ in the committed style
	@ci/check_format --fix

generate: tools $(BUILD)/build.ninja ## rewrites spec/generated from the spec
	@cmake --build $(BUILD) --target specgen_bare >$(BUILD)/build.log
	@$(BUILD)/specgen_bare --write

clean: ## removes everything that was built
	@rm -rf $(BUILD) fail

help: ## this list
	@awk -f ci/help.awk $(MAKEFILE_LIST)

$(BUILD)/build.ninja: CMakePresets.json
	@mkdir -p $(BUILD)
	@cmake --preset dev >$(BUILD)/configure.log 2>&1 || { cat $(BUILD)/configure.log >&2; exit 3; }

tools:
	@ci/bootstrap run

# libFuzzer is looked for when CMake configures: again, where it was not there the last time.
look_again = [ ! -e $(BUILD)/CMakeCache.txt ] || \
	grep -q '^TPU_LIBFUZZER:.*=/' $(BUILD)/CMakeCache.txt || cmake $(BUILD) >$(BUILD)/configure.log

tools-fuzz:
	@ci/bootstrap fuzz
	@$(look_again)

tools-test:
	@ci/bootstrap test
	@$(look_again)

.PHONY: cosim fuzz fuzz-guided fuzz-growth fuzz-detect fuzz-nightly illegal equal fuzz-readers \
	waves campaign bench test unit matrix lint mutants mutants-netlist check build engine format \
	generate clean help tools tools-fuzz tools-test
