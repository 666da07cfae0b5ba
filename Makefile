# SPDX-License-Identifier: Apache-2.0
# The short way in. A target first installs what is missing (tools/packages.txt says what and why);
# the presets are in CMakePresets.json, the scripts in tools/.
.DEFAULT_GOAL := help
.PHONY: help start build test check fmt clean
.NOTPARALLEL:

ARGS :=

start: build ## run a member in the foreground; ARGS='--set name=value' goes to it
	@echo "start: build/filbert $(strip start $(ARGS))"
	@exec build/filbert start $(ARGS)

build: ## build the release binary, build/filbert
	@tools/setup build
	@tools/build release filbert
	@ln -sfn release/bin/filbert build/filbert

test: ## build the release and run all its tests
	@tools/setup test
	@tests/clients/setup
	@tools/build release
	@tools/test release

check: ## what a change must pass: format, linters, two compilers, sanitizers, fuzzers
	@tools/check

fmt: ## lay out the C code
	@tools/setup check
	@tools/format

clean: ## remove what was built
	rm -rf build

help: ## show this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1|\2/p' Makefile | \
		while IFS='|' read -r target text; do printf '%-12s %s\n' "$$target" "$$text"; done
