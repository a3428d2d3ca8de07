# A thin front for CMake. The program ends up in build/sustain (a link to build/release/sustain).

PREFIX ?= /usr/local
# ON: compile for this machine alone. Kernels for AVX2 are used where the processor has it in either
# case.
NATIVE ?=
export PYTHON ?=

all: ## build the libraries and the program, for this machine
	@tools/packages.sh --check build
	@cmake --preset release -DBUILD_TESTING=OFF -DSUSTAIN_NATIVE=$(or $(NATIVE),ON) > /dev/null
	@cmake --build --preset release
	@ln -sfn release/sustain build/sustain

deps: ## install what is missing, with apt-get
	@tools/packages.sh build

demo: deps all ## build, then find the wrong labels in a data set
	@tools/demo.sh

check: ## build in every way and run all tests
	@tools/packages.sh build check docs python
	@tools/check.sh

torture: ## what takes too long for check: clang's analyzer, libFuzzer, 200 crashes of each job, hostile data, other processors
	@tools/packages.sh build check elsewhere
	@tools/check.sh analyzer asan-rest asan-cli tsan-rest fuzz release kills numbers signals elsewhere cortex-m

bench: all ## measure; results go to bench/results.csv
	@cmake --build --preset release --target bench
	@bench/run.sh

install: ## install program and libraries, float and double: PREFIX=/usr/local DESTDIR= NATIVE=OFF
	@tools/packages.sh --check build
	@for preset in release double; do \
		cmake --preset $$preset -B build/install/$$preset -DBUILD_TESTING=OFF -DSUSTAIN_NATIVE=$(or $(NATIVE),OFF) > /dev/null && \
		cmake --build build/install/$$preset && cmake --install build/install/$$preset --prefix $(PREFIX) || exit; \
	done
	@test -n "$(DESTDIR)" || ldconfig 2> /dev/null || true

python: ## the Python package as a wheel, for any machine of this kind: build/python/sustain-*.whl
	@tools/packages.sh --check build python
	@rm -f build/python/sustain-*.whl
	@$$(tools/python.sh) -m pip wheel -q --no-index --no-build-isolation --no-deps -w build/python ./python
	@ls build/python/sustain-*.whl

install-python: python ## install the Python package: PYTHON=python3 PIP="--user"
	@$$(tools/python.sh) -m pip install --no-index --no-deps --force-reinstall $(PIP) build/python/sustain-*.whl

docs: ## the reference of the API: build/docs/html/index.html
	@tools/packages.sh docs
	@mkdir -p build && doxygen docs/Doxyfile
	@echo build/docs/html/index.html

format: ## format all C files
	@tools/format.sh -i

clean: ## remove all that was built
	rm -rf build

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /make \1\t/p' Makefile | expand -t 20

.PHONY: all deps demo check torture bench install python install-python docs format clean help
