# `make run` and `make test` set up what they need by themselves, in .venv, and are quick the next
# time. Every package is pinned by version and hash in requirements*.txt.

PYTHON ?= python3
UV ?= uv
# One more than the cores of a small machine: some tests wait for real time to pass.
JOBS ?= 3

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
# What comes as source is built with the pinned build tools, not with others fetched for it.
INSTALL := $(PIP) install --no-build-isolation --require-hashes
COMPILE := $(UV) pip compile --quiet --upgrade --universal --python-version 3.11 \
	--generate-hashes --no-annotate --custom-compile-command "make lock"

# Processes that tests start load compiled modules, even where the environment forbids to write them.
export PYTHONDONTWRITEBYTECODE :=
# Quick tests of one file run in one process and share simulated rounds (tests/conftest.py).
PYTEST = $(BIN)/python -m pytest -n $(JOBS) --dist loadgroup --no-loadscope-reorder

.DEFAULT_GOAL := help
.PHONY: help run test test-quick check format bench evidence mutants docs lock clean firmware-tools

help:
	@echo "make run         the robotic table, simulated, plays one Wenzhou set-up"
	@echo "make test        every test"
	@echo "make test-quick  the tests that take no more than a few seconds each"
	@echo "make check       formatting, lint, types, layers"
	@echo "make format      put the formatting right"
	@echo "make bench       every claim of the README, measured now"
	@echo "make evidence    10,000 random rounds of each of two new seeds, and kills: hours"
	@echo "make mutants     COUNT=300 random changes of the code: do the quick tests fail? hours"
	@echo "make docs        every generated page and drawing, written anew"
	@echo "make lock        take the newest versions into requirements*.txt (needs uv)"
	@echo "make firmware-tools  what the firmware's tests need, from Debian"
	@echo "make clean       remove .venv and every cache"

run: $(VENV)/.run
	@$(BIN)/wallwright run --until ready --speed 25

test: $(VENV)/.dev firmware-tools
	$(PYTEST)

test-quick: $(VENV)/.dev firmware-tools
	$(PYTEST) -m "not slow" --hypothesis-profile quick

check: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy --strict
	$(BIN)/lint-imports --no-logo

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/.dev firmware-tools
	$(BIN)/python -m benchmarks

# New seeds each time, printed; SEED=n plays them again.
evidence: $(VENV)/.dev
	$(BIN)/python -m tools.evidence --jobs $(JOBS) $(if $(SEED),--seed $(SEED))

COUNT ?= 300
# A new seed each time, printed; SEED=n makes the same mutants again.
mutants: $(VENV)/.dev firmware-tools
	$(BIN)/python -m tools.mutants --count $(COUNT) $(if $(SEED),--seed $(SEED)) \
		--jobs $(JOBS) --report build/survivors.txt

docs: $(VENV)/.dev
	$(BIN)/python -m tools.pages

lock:
	@command -v $(UV) >/dev/null || \
		{ echo "make lock needs uv: install it, or name it with UV=path." >&2; exit 1; }
	$(COMPILE) --group pyproject.toml:build -o requirements-build.txt
	$(COMPILE) -c requirements-build.txt pyproject.toml -o requirements.txt
	$(COMPILE) -c requirements.txt pyproject.toml --extra pi -o requirements-pi.txt
	$(COMPILE) -c requirements.txt pyproject.toml --extra dev -o requirements-dev.txt

clean:
	rm -rf $(VENV) build dist *.egg-info .hypothesis .import_linter_cache .mypy_cache \
		.pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Setting up. Each stamp is younger than all it depends on, or the step is done again.

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Wallwright needs Python 3.11 or newer: name one with PYTHON=python3.11." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || $(MAKE) --no-print-directory python3-venv
	$(PYTHON) -m venv --clear $(VENV)
	@touch $@

# Debian ships Python without what makes a virtual environment.
.PHONY: python3-venv
python3-venv:
	@if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get update -q && \
		DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends python3-venv; \
	else \
		echo "$(PYTHON) cannot make a virtual environment: install its venv module" \
			"(on Debian: sudo apt install python3-venv) and call make again." >&2; exit 1; \
	fi

# What builds the firmware and simulates its processor, as Debian calls it, and a sign of each.
FIRMWARE_PACKAGES := gcc-avr avr-libc binutils-avr libsimavr-dev avrdude clang libclang-rt-14-dev
FIRMWARE_SIGNS = $(and $(shell command -v gcc),$(shell command -v avr-gcc),\
	$(shell command -v avr-objcopy),$(shell command -v avrdude),$(shell command -v clang),\
	$(wildcard /usr/lib/avr/include/avr/io.h),$(wildcard /usr/include/simavr/sim_avr.h),\
	$(wildcard /usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a))

firmware-tools:
	@if [ -n "$(FIRMWARE_SIGNS)" ]; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get update -q && \
		DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends \
			gcc libc6-dev $(FIRMWARE_PACKAGES); \
	else \
		echo "The firmware's tests need its compilers and its simulated processor (on Debian:" \
			"sudo apt install gcc libc6-dev $(FIRMWARE_PACKAGES)); install them and call make" \
			"again." >&2; exit 1; \
	fi

$(VENV)/.run: $(VENV)/.made requirements-build.txt requirements.txt pyproject.toml
	$(INSTALL) -r requirements-build.txt
	$(INSTALL) -r requirements.txt
	$(PIP) install --no-index --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.run requirements-dev.txt
	$(INSTALL) -r requirements-dev.txt
	@touch $@
