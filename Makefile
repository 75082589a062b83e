# Everything starts from a Debian with a Swift toolchain: `make demo`, `make test`, `make install PREFIX=...`.

PREFIX ?= /usr/local
DESTDIR ?=
SWIFT ?= swift
PYTHON := /usr/bin/python3

# Bind all symbols at start: lazy binding spills vector registers, and pieces of secrets with them, to the stack.
BIND_NOW := -Xlinker -z -Xlinker now
# One file that needs no library and is loaded at a random address. SwiftPM's run path breaks a static PIE at its
# start, and only lld can link one.
STATIC_BUILD := --scratch-path .build-static --disable-local-rpath \
	-Xswiftc -static-executable -Xswiftc -use-ld=lld -Xswiftc -Xclang-linker -Xswiftc -static-pie -Xlinker -s
STATIC := --product coffer $(STATIC_BUILD)
# SwiftPM leaves out its own entry point for a fuzzer, but hands the compiler one sanitizer after the other, and the
# last one wins: so both are named once more. Unoptimised code would hide loads from the address sanitizer.
FUZZ := -c release --product Fuzz --scratch-path .build-fuzz --sanitize=fuzzer --sanitize=address \
	-Xswiftc -sanitize=fuzzer,address
# It needs libsystemd, which cannot be linked statically. Whether the package has it is not to be remembered.
LOGIND := --product coffer-logind --manifest-cache none
LOGIND_INSTALL := $(LOGIND) --scratch-path .build-logind --static-swift-stdlib --disable-local-rpath $(BIND_NOW) -Xlinker -s
SD_BUS := /usr/include/systemd/sd-bus.h
# How long `make stress` runs, and `make fuzz` each area; and which areas: all unless told.
SECONDS ?= 60
AREAS ?=
# For example `make proof PROOF_OPTIONS='--only power --seed 1'`.
PROOF_OPTIONS ?=

# The runtime's crash report prints memory, and slows every test that expects a crash.
export SWIFT_BACKTRACE := enable=no

# Builds share one folder, and SwiftPM uses all cores by itself.
.NOTPARALLEL:

# What is promised, shown on the built programs; each part says what it skips, and many need root.
PROOF := $(PYTHON) Tests/Proof/run.py
# Sixteen threads on one vault, with and without the thread sanitizer.
STRESS := --product StressProbe

.PHONY: all deps build demo stress proof proof-programs test lint docs test-debug test-release test-audit test-interop \
	test-consumer test-logind test-install test-proof static install bench fuzz format clean

all: build

deps:
	@scripts/deps.sh

build: deps
	$(SWIFT) build -c release $(BIND_NOW)

demo: build
	@scripts/demo.sh "$$($(SWIFT) build -c release $(BIND_NOW) --show-bin-path)/coffer"

test: lint docs test-audit test-interop test-consumer test-debug test-release test-logind test-install test-proof
	@echo "coffer: all tests passed"

lint: deps
	$(SWIFT) format lint --strict --recursive Package.swift Sources Tests Examples
	@scripts/check_quoted_files.py

# An unresolved link in the documentation is an error, and so is a public symbol without any.
docs: deps
	@scripts/docs.sh site

test-debug: deps
	@SWIFT="$(SWIFT)" scripts/run_tests.sh $(BIND_NOW)

test-release: deps
	@SWIFT="$(SWIFT)" scripts/run_tests.sh -c release $(BIND_NOW)

test-audit: deps
	$(PYTHON) Tests/Audit/run.py

# A few hundred random vaults, from `coffer` to the second implementation and back.
test-interop: build
	$(PYTHON) Tests/Audit/interop.py "$$($(SWIFT) build -c release $(BIND_NOW) --show-bin-path)/coffer"

# Every Swift snippet of the README and of the articles, in a package of its own.
test-consumer: deps
	@SWIFT="$(SWIFT)" $(PYTHON) Tests/Consumer/run.py

# On a bus of its own, with a login manager that is not one.
test-logind: deps
	@if [ ! -e $(SD_BUS) ]; then echo "SKIPPED coffer-logind: there is no $(SD_BUS)"; exit 0; fi; \
	$(SWIFT) build -c release $(BIND_NOW) --product coffer && $(SWIFT) build -c release $(BIND_NOW) $(LOGIND) && \
	folder="$$($(SWIFT) build -c release $(BIND_NOW) --show-bin-path)" && \
	$(PYTHON) Tests/Logind/run.py "$$folder/coffer-logind" "$$folder/coffer"

test-install: static
	@set -e; prefix=$$(mktemp -d); trap 'rm -rf "$$prefix"' EXIT; \
	$(MAKE) --no-print-directory install PREFIX="$$prefix" DESTDIR=

# A short form of `make proof`, of which each run tries other calls, cuts and mutations.
test-proof: build static
	$(PROOF) "$$($(SWIFT) build -c release $(BIND_NOW) --show-bin-path)/coffer" --short --json proof-short.json \
	--static "$$($(SWIFT) build -c release $(STATIC) --show-bin-path)/coffer"

# What is looked at besides: the program that the tests look into, in each kind of build, and the tests under sanitizers.
proof-programs: static
	$(SWIFT) build -c release --product ResidueProbe $(STATIC_BUILD)
	$(SWIFT) build $(BIND_NOW) --product coffer
	$(SWIFT) build $(BIND_NOW) --product ResidueProbe
	$(SWIFT) build -c release --build-tests $(BIND_NOW)
	$(SWIFT) build --build-tests --sanitize=address --scratch-path .build-asan
	$(SWIFT) build --build-tests --sanitize=thread --scratch-path .build-tsan

# All of it, which takes an hour or so; then the faults that are planted, each of which has to be noticed.
proof: build static proof-programs
	COFFER_FUZZ=1 $(SWIFT) build $(FUZZ)
	@set -e; coffer="$$($(SWIFT) build -c release $(BIND_NOW) --show-bin-path)/coffer"; \
	static="$$($(SWIFT) build -c release $(STATIC) --show-bin-path)/coffer"; \
	fuzzer="$$(COFFER_FUZZ=1 $(SWIFT) build $(FUZZ) --show-bin-path)/Fuzz"; set -x; \
	$(PROOF) "$$coffer" --static "$$static" --fuzzer "$$fuzzer" $(PROOF_OPTIONS); \
	$(PROOF) "$$coffer" --static "$$static" --fuzzer "$$fuzzer" --sabotage --json proof-planted.json $(PROOF_OPTIONS)

static: deps
	$(SWIFT) build -c release $(STATIC)

install: static
	install -D -m 755 "$$($(SWIFT) build -c release $(STATIC) --show-bin-path)/coffer" "$(DESTDIR)$(PREFIX)/bin/coffer"
	@if [ ! -e $(SD_BUS) ]; then echo "SKIPPED coffer-logind: there is no $(SD_BUS)"; exit 0; fi; \
	$(SWIFT) build -c release $(LOGIND_INSTALL) && install -D -m 755 \
	"$$($(SWIFT) build -c release $(LOGIND_INSTALL) --show-bin-path)/coffer-logind" "$(DESTDIR)$(PREFIX)/bin/coffer-logind"
	@scripts/install_units.sh "$(DESTDIR)" "$(PREFIX)"
	@scripts/check_install.py "$(DESTDIR)$(PREFIX)/bin/coffer"

# A whole `coffer get` through the agent, beside programs that do nothing.
bench: static
	$(PYTHON) Benchmarks/warm_get.py "$$($(SWIFT) build -c release $(STATIC) --show-bin-path)/coffer"

fuzz: deps
	COFFER_FUZZ=1 $(SWIFT) build $(FUZZ)
	$(PYTHON) Tests/Fuzz/run.py --seconds $(SECONDS) \
	"$$(COFFER_FUZZ=1 $(SWIFT) build $(FUZZ) --show-bin-path)/Fuzz" .build-fuzz $(AREAS)

stress: deps
	$(SWIFT) build -c release $(STRESS)
	"$$($(SWIFT) build -c release $(STRESS) --show-bin-path)/StressProbe" $(SECONDS) 16
	$(SWIFT) build $(STRESS) --sanitize=thread --scratch-path .build-tsan
	TSAN_OPTIONS=halt_on_error=1:exitcode=66 \
	"$$($(SWIFT) build $(STRESS) --sanitize=thread --scratch-path .build-tsan --show-bin-path)/StressProbe" $(SECONDS) 16

format:
	$(SWIFT) format --in-place --recursive Package.swift Sources Tests Examples

clean:
	rm -rf .build .build-* site Tests/Consumer/.build Tests/Consumer/.programs Examples/*/.build
