# `make run` and `make test` install what they need into .venv, and are quick the next time. Every
# package is pinned by version and hash in requirements*.txt.

PYTHON ?= python3
UV ?= uv
# Two more than the cores of a small computer, because some tests wait for real time to pass.
JOBS ?= 4
# The quick tests hardly wait.
QUICK_JOBS ?= 3

VENV := .venv
BIN := $(VENV)/bin
# An installation prints thousands of lines; this shows one every five seconds.
PROGRESS = $(PYTHON) tools/progress.py
PIP := $(BIN)/python -m pip --disable-pip-version-check
# Source packages are built with the pinned build tools; pip downloads no others for them.
INSTALL := $(PIP) install --no-build-isolation --require-hashes --progress-bar off
APT_INSTALL := apt-get install -q -y --no-install-recommends
COMPILE := $(UV) pip compile --quiet --upgrade --universal --python-version 3.11 \
	--generate-hashes --no-annotate --custom-compile-command "make lock"

# Processes that tests start load compiled modules, even where the environment forbids to write them.
export PYTHONDONTWRITEBYTECODE :=
# tests/processes.py forks the process that has found the tests. The files start in the order of
# tests/longest.py.
PYTEST = $(BIN)/python -m pytest

.DEFAULT_GOAL := help
.PHONY: help run test test-quick check format bench evidence mutants docs lock deb clean \
	firmware-tools browser-tools metrics-tools floor-tools packaging-tools test-arm64 \
	arm64-tools

help:
	@echo "make run         deal one round of Wenzhou mahjong on the simulated table robotic"
	@echo "make test        run every test"
	@echo "make test-arm64  install the package for arm64 in an emulated Debian, deal, cut its power"
	@echo "make test-quick  run the quick tests"
	@echo "make check       check formatting, lint, types and layers"
	@echo "make format      correct the formatting"
	@echo "make bench       measure every figure of docs/reference/BENCHMARKS.md"
	@echo "make evidence    play 10,000 random rounds with two new seeds, kill hosts, fuzz, press stops: hours"
	@echo "make mutants     make COUNT=300 random changes; count those the quick tests detect: hours"
	@echo "make docs        write every generated page and drawing"
	@echo "make deb         build the Debian package into build/deb; ARCH=arm64 for a Raspberry Pi"
	@echo "make lock        put the newest versions into requirements*.txt (needs uv)"
	@echo "make browser-tools   install the Debian packages that the panel's and the API's tests need"
	@echo "make metrics-tools   install the Debian package whose promtool the metrics' tests need"
	@echo "make floor-tools     install the Debian packages of the broker and the database of the floor's tests"
	@echo "make firmware-tools  install the Debian packages that the firmware's tests need"
	@echo "make packaging-tools install the Debian packages that the package's tests need"
	@echo "make clean       remove .venv and every cache"

run: $(VENV)/.run
	@$(BIN)/wallwright serve --sim 25 --game wenzhou --automatic --until ready --listen 127.0.0.1:0

test: $(VENV)/.dev firmware-tools browser-tools metrics-tools floor-tools packaging-tools
	$(PYTEST) --processes $(JOBS)

# Takes minutes: an emulator executes every program of arm64.
test-arm64: $(VENV)/.dev packaging-tools arm64-tools
	$(BIN)/python -m pytest -q --hypothesis-profile evidence tests/packaging/test_on_arm64.py \
		tests/packaging/test_booted_on_arm64.py

test-quick: $(VENV)/.dev firmware-tools browser-tools metrics-tools floor-tools
	$(PYTEST) --processes $(QUICK_JOBS) -m "not slow and not costly" \
		--hypothesis-profile quick

check: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy --strict
	$(BIN)/lint-imports --no-logo

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/.dev firmware-tools floor-tools
	$(BIN)/python -m benchmarks

# Draws new seeds and prints them; SEED=n repeats a run.
evidence: $(VENV)/.dev
	$(BIN)/python -m tools.evidence --jobs $(JOBS) $(if $(SEED),--seed $(SEED))

COUNT ?= 300
# Draws a new seed and prints it; SEED=n makes the same mutants again.
mutants: $(VENV)/.dev firmware-tools browser-tools metrics-tools floor-tools
	$(BIN)/python -m tools.mutants --count $(COUNT) $(if $(SEED),--seed $(SEED)) \
		--jobs $(JOBS) --report build/survivors.txt

docs: $(VENV)/.dev
	$(BIN)/python -m tools.pages

ARCH ?= amd64
# The package is built without a compiler, so a package for another processor needs no other tools.
deb: $(VENV)/.run
	@$(BIN)/python -m tools.debian_package --arch $(ARCH)

lock:
	@command -v $(UV) >/dev/null || \
		{ echo "make lock needs uv: install it, or give its path with UV=path." >&2; exit 1; }
	$(COMPILE) --group pyproject.toml:build -o requirements-build.txt
	$(COMPILE) -c requirements-build.txt pyproject.toml -o requirements.txt
	$(COMPILE) -c requirements.txt pyproject.toml --extra floor -o requirements-floor.txt
	$(COMPILE) -c requirements-floor.txt pyproject.toml --extra pi -o requirements-pi.txt
	$(COMPILE) -c requirements-floor.txt pyproject.toml --extra dev -o requirements-dev.txt

clean:
	rm -rf $(VENV) build dist *.egg-info .hypothesis .import_linter_cache .mypy_cache \
		.pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Installation. A step runs again if one of its dependencies is newer than its stamp file.

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Wallwright needs Python 3.11 or newer: give one with PYTHON=python3.11." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || $(MAKE) --no-print-directory python3-venv
	@$(PROGRESS) "Making the environment $(VENV)" $(PYTHON) -m venv --clear $(VENV)
	@touch $@

# Debian's python3 comes without the modules that make a virtual environment.
.PHONY: python3-venv
python3-venv:
	@if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get update -q && \
		DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends python3-venv; \
	else \
		echo "$(PYTHON) cannot make a virtual environment: install its venv module" \
			"(on Debian: sudo apt install python3-venv) and run make again." >&2; exit 1; \
	fi

# The Debian packages that build the firmware, emulate its processor and simulate the circuits of
# docs/build/BENCH.md, and a file of each. Node's own packages contain npm and refuse Debian's, so Debian's
# are left out where both commands exist.
FIRMWARE_PACKAGES = gcc-avr avr-libc binutils-avr arduino-core-avr libsimavr-dev avrdude clang \
	libclang-rt-14-dev gcc-arm-none-eabi picolibc-arm-none-eabi ngspice $(NODE_PACKAGES)
NODE_PACKAGES = $(if $(and $(shell command -v node),$(shell command -v npm)),,nodejs npm)
FIRMWARE_SIGNS = $(and $(shell command -v gcc),$(shell command -v avr-gcc),\
	$(shell command -v avr-objcopy),$(shell command -v avrdude),$(shell command -v clang),\
	$(shell command -v arm-none-eabi-gcc),$(shell command -v node),$(shell command -v npm),\
	$(shell command -v ngspice),$(wildcard /usr/lib/picolibc/arm-none-eabi/picolibc.specs),\
	$(wildcard /usr/lib/avr/include/avr/io.h),\
	$(wildcard /usr/share/arduino/hardware/arduino/avr/bootloaders/stk500v2/*mega2560.hex),\
	$(wildcard /usr/include/simavr/sim_avr.h),\
	$(wildcard /usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a))

firmware-tools:
	@if [ -n "$(FIRMWARE_SIGNS)" ]; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		$(PROGRESS) "Reading the list of Debian packages" apt-get update -q && \
		DEBIAN_FRONTEND=noninteractive $(PROGRESS) "Installing the tools of the firmware's tests" \
			$(APT_INSTALL) \
			gcc libc6-dev $(FIRMWARE_PACKAGES); \
	else \
		echo "The firmware's tests need its compilers and its emulated processor (on Debian:" \
			"sudo apt install gcc libc6-dev $(FIRMWARE_PACKAGES)); install them and run make" \
			"again." >&2; exit 1; \
	fi

# The Debian packages with the browser and the proxy of the panel's and the API's tests, and a file
# of each. Without the fonts, tiles and Chinese characters are boxes.
BROWSER_PACKAGES := chromium-headless-shell fonts-wqy-zenhei fonts-symbola nginx-light openssl
BROWSER_SIGNS = $(and $(wildcard /usr/bin/chromium-headless-shell),$(wildcard /usr/sbin/nginx),\
	$(wildcard /usr/bin/openssl),\
	$(wildcard /usr/share/fonts/truetype/wqy/wqy-zenhei.ttc),\
	$(wildcard /usr/share/fonts/truetype/ancient-scripts/Symbola_hint.ttf))

browser-tools:
	@if [ -n "$(BROWSER_SIGNS)" ]; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		$(PROGRESS) "Reading the list of Debian packages" apt-get update -q && \
		DEBIAN_FRONTEND=noninteractive $(PROGRESS) "Installing the browser and the proxy of the tests" \
			$(APT_INSTALL) \
			$(BROWSER_PACKAGES); \
	else \
		echo "The panel's and the API's tests need a browser and a proxy (on Debian:" \
			"sudo apt install $(BROWSER_PACKAGES)); install them and run make again." >&2; \
		exit 1; \
	fi

# Debian's prometheus has promtool, which checks the metrics and the alert rules. Its service is not
# started: policy-rc.d refuses that during the installation, and the unit is disabled afterwards.
METRICS_PACKAGES := prometheus
METRICS_SIGNS = $(shell command -v promtool)
POLICY := /usr/sbin/policy-rc.d

metrics-tools:
	@if [ -n "$(METRICS_SIGNS)" ]; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		[ -e $(POLICY) ] || { printf '#!/bin/sh\nexit 101\n' >$(POLICY) && \
			chmod 755 $(POLICY) && trap 'rm -f $(POLICY)' EXIT; }; \
		$(PROGRESS) "Reading the list of Debian packages" apt-get update -q && \
		DEBIAN_FRONTEND=noninteractive $(PROGRESS) "Installing promtool" \
			$(APT_INSTALL) \
			$(METRICS_PACKAGES) && \
		{ deb-systemd-helper disable prometheus.service >/dev/null 2>&1 || true; }; \
	else \
		echo "The metrics' tests need promtool (on Debian: sudo apt install $(METRICS_PACKAGES);" \
			"its service may be stopped); install it and run make again." >&2; exit 1; \
	fi

# Debian's broker and database, of which the floor's tests start instances of their own. Debian's own
# services are not started, as with metrics-tools.
FLOOR_PACKAGES := mosquitto postgresql nftables iproute2
FLOOR_SIGNS = $(and $(wildcard /usr/sbin/mosquitto),$(wildcard /usr/lib/postgresql/*/bin/postgres),\
	$(wildcard /usr/sbin/nft),$(shell command -v ip))

floor-tools:
	@if [ -n "$(FLOOR_SIGNS)" ]; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		[ -e $(POLICY) ] || { printf '#!/bin/sh\nexit 101\n' >$(POLICY) && \
			chmod 755 $(POLICY) && trap 'rm -f $(POLICY)' EXIT; }; \
		$(PROGRESS) "Reading the list of Debian packages" apt-get update -q && \
		DEBIAN_FRONTEND=noninteractive $(PROGRESS) "Installing the broker and the database of the tests" \
			$(APT_INSTALL) \
			$(FLOOR_PACKAGES) && \
		{ deb-systemd-helper disable mosquitto.service postgresql.service \
			>/dev/null 2>&1 || true; }; \
	else \
		echo "The floor's tests need a broker and a database (on Debian: sudo apt install" \
			"$(FLOOR_PACKAGES); their services may be stopped); install them and run make" \
			"again." >&2; exit 1; \
	fi

# The Debian packages that check the project's own package and install it in a clean Debian 12, and
# a file of each.
PACKAGING_PACKAGES := mmdebstrap lintian man-db mandoc groff-base binutils systemd iproute2
PACKAGING_SIGNS = $(and $(wildcard /usr/bin/mmdebstrap),$(wildcard /usr/bin/lintian),\
	$(wildcard /usr/bin/man),$(wildcard /usr/bin/mandoc),$(wildcard /usr/bin/readelf),\
	$(wildcard /usr/bin/systemd-analyze),$(shell command -v ip))

packaging-tools:
	@if [ -n "$(PACKAGING_SIGNS)" ]; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		$(PROGRESS) "Reading the list of Debian packages" apt-get update -q && \
		DEBIAN_FRONTEND=noninteractive $(PROGRESS) "Installing the tools of the package's tests" \
			$(APT_INSTALL) \
			$(PACKAGING_PACKAGES); \
	else \
		echo "The tests of the Debian package need its tools (on Debian: sudo apt install" \
			"$(PACKAGING_PACKAGES)); install them and run make again." >&2; exit 1; \
	fi

ARM64_PACKAGES := qemu-user-static qemu-system-arm arch-test e2fsprogs
ARM64_SIGNS = $(and $(wildcard /usr/bin/qemu-aarch64-static),$(wildcard /usr/bin/arch-test),$(wildcard \
	/usr/bin/qemu-system-aarch64),$(wildcard /usr/sbin/debugfs /sbin/debugfs))

arm64-tools:
	@if [ -n "$(ARM64_SIGNS)" ]; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		$(PROGRESS) "Reading the list of Debian packages" apt-get update -q && \
		DEBIAN_FRONTEND=noninteractive $(PROGRESS) "Installing the emulator of arm64" \
			$(APT_INSTALL) \
			$(ARM64_PACKAGES); \
	else \
		echo "make test-arm64 needs an emulator (on Debian: sudo apt install $(ARM64_PACKAGES));" \
			"install it and run make again." >&2; exit 1; \
	fi

# The first run compiles the modules that it imports, and Python keeps their compiled form. Compiling
# all modules here would make people wait for those that no table imports.
$(VENV)/.run: $(VENV)/.made requirements-build.txt requirements.txt pyproject.toml
	@$(PROGRESS) "Installing the tools that build packages" $(INSTALL) -r requirements-build.txt
	@$(PROGRESS) "Installing the packages of Wallwright" $(INSTALL) --no-compile -r requirements.txt
	@$(PIP) --quiet install --no-index --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.run requirements-dev.txt
	@$(PROGRESS) "Installing the packages of the tests" $(INSTALL) -r requirements-dev.txt
	@$(PROGRESS) "Compiling the packages" $(BIN)/python -m compileall -qq -j 0 $(VENV)/lib || true
	@touch $@
