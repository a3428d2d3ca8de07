# A thin front for CMake. The program ends up in build/sustain (a link to build/release/sustain).

PREFIX ?= /usr/local
# ON: compile for this machine alone
NATIVE ?= ON

all: packages ## build the library and the program
	@cmake --preset release -DBUILD_TESTING=OFF -DSUSTAIN_NATIVE=$(NATIVE) > /dev/null
	@cmake --build --preset release
	@ln -sfn release/sustain build/sustain

demo: all ## build, then find the wrong labels in a data set
	@tools/demo.sh

check: ## build in every way and run all tests
	@tools/packages.sh build check docs
	@tools/check.sh

bench: all ## measure; results go to bench/results.csv
	@cmake --build --preset release --target bench
	@bench/run.sh

install: all ## install program and libraries, float and double: PREFIX=/usr/local DESTDIR=
	@cmake --preset double -DBUILD_TESTING=OFF -DSUSTAIN_NATIVE=$(NATIVE) > /dev/null
	@cmake --build --preset double
	@cmake --install build/release --prefix $(PREFIX)
	@cmake --install build/double --prefix $(PREFIX)
	@test -n "$(DESTDIR)" || ldconfig 2> /dev/null || true

docs: ## the reference of the API: build/docs/html/index.html
	@tools/packages.sh docs
	@mkdir -p build && doxygen docs/Doxyfile
	@echo build/docs/html/index.html

format: ## format all C files
	@tools/format.sh -i

clean: ## remove all that was built
	rm -rf build

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /make \1\t/p' Makefile | expand -t 16

packages:
	@tools/packages.sh build

.PHONY: all demo check bench install docs format clean help packages
