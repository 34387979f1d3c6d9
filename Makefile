# `make` prints this list. Every target is one line or one script in scripts/; .ci/run calls the same ones.

.DEFAULT_GOAL := help
.PHONY: help run test build release deb deb-test sbom clean check lint format layers knots sizes ends hardening alerts pictures texts adapters kotlin-check docs-coverage budgets sample subsets mutants vectors fuzz fuzz-faults proxy-test api-check test-tsan test-asan bench bench-growth bench-recovery bench-soak bench-attack bench-wallet bench-appstore bench-devicecheck bench-check

BUILD := .build
SWIFT_TEST := scripts/run-tests
# As in the image: the runtime is linked in, which saves 9 MB of memory and some CPU. The linker's word on `mktemp` is about a part of
# Foundation that nothing here calls.
# No path of the machine that builds it is in the program: not of the sources, of the toolchain or of the compiler's own files.
COMMIT = $(shell git describe --always --dirty --exclude='*' --abbrev=12 2>/dev/null)
RELEASE = SALLYPORT_COMMIT="$(or $(COMMIT),unknown)" TMPDIR=/tmp swift build -c release --static-swift-stdlib \
	$(foreach map,$(CURDIR)=. $(SWIFT_HOME)=/usr,-Xswiftc -file-prefix-map -Xswiftc "$(map)" -Xcc "-ffile-prefix-map=$(map)")
SWIFT_HOME = $(abspath $(dir $(realpath $(shell command -v swift)))..)

help: ## Print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## Install what is missing, build, and start everything on loopback
	@scripts/install-deps run
	@$(RELEASE) --product sallyport
	@exec $(BUILD)/release/sallyport demo

test: ## Install what is missing and run every test; T=WebTests for those of one target, built without the others
	@scripts/install-deps $(if $(T),run,test)
	@$(if $(T),ONLY_TESTS=$(T) $(SWIFT_TEST) --scratch-path .build-t,$(SWIFT_TEST))

build: ## Build everything, with its tests, in debug mode
	swift build --build-tests

release: ## Build the program with optimisation
	$(RELEASE) --product sallyport

deb: release ## Build a Debian package, .build/deb/*.deb
	@scripts/install-deps deb
	@scripts/build-deb

OLD = .build/deb/sallyport_0~0_$(shell dpkg --print-architecture).deb
deb-test: release ## Install, start, upgrade, remove and purge the package in a bare Debian; OLD=FILE for the one to upgrade from; as root
	@scripts/install-deps deb
	@[ -f "$(OLD)" ] || scripts/build-deb 0~0
	@scripts/try-deb "$(OLD)" "$$(scripts/build-deb)"

sbom: release ## Write what the program consists of to .build/sallyport.cdx.json (CycloneDX)
	@scripts/sbom >$(BUILD)/sallyport.cdx.json

clean: ## Remove what was built; keeps the data folder
	rm -rf .build .build-*

check: lint layers knots sizes ends hardening alerts pictures build texts docs-coverage budgets ## All gates but the tests: format, imports, sizes, traps, hardening, strict build, doc comments, budgets

lint: ## Format and documentation rules, and names of scripts that do not exist
	swift format lint --strict --recursive --parallel Sources Tests examples/ios Package.swift
	pyflakes3 $$(grep -rlIE '^#!.*python3' scripts Tests examples) $$(find scripts Tests examples -name '*.py')

format: ## Rewrite the sources in the project's format
	swift format --in-place --recursive --parallel Sources Tests examples/ios Package.swift

layers: ## Imports and arrows against Package.swift and its levels
	scripts/check-layers

knots: ## Files of a target that all reach each other
	scripts/check-knots

sizes: ## Lengths of files and functions
	scripts/check-sizes

ends: ## Traps, open ends, sleeping tests, unlisted unchecked spots
	scripts/check-ends

pictures: ## The picture of the crossing against the script that draws it
	scripts/draw-crossing --check

hardening: ## Rows of docs/hardening.md against the tests and the mutants; faults for the fuzzer against the sources
	scripts/check-hardening
	@scripts/fuzz-faults --check

alerts: ## The alert rules: each fires once, none on a quiet day
	@scripts/install-deps test
	@scripts/check-alerts

adapters: ## The client library's parts for iOS, against the signatures of Tests/Stubs
	@scripts/check-adapters

kotlin-check: ## The Kotlin client and its cases with a compiler of Kotlin 2, of PyPI
	@scripts/install-deps test
	@scripts/check-kotlin

texts: ## Comparisons of texts from outside, in the objects of the debug build
	scripts/check-texts

docs-coverage: ## Doc comments on everything that another target sees
	scripts/check-docs

budgets: ## What a request costs, counted and held to docs/budgets.md
	@scripts/install-deps test
	@$(RELEASE) --product sallyport
	@scripts/budgets

sample: ## A feature with one of everything, added to a copy of the tree by two edits, built, tested and driven with curl; with it, subsets
	@scripts/install-deps test
	@Tests/Sample/sample.py --tests

subsets: ## The program with some of its features: nothing but health, the sample alone, Wallet alone, App Store alone, DeviceCheck alone, Checkout without Merchant, both
	@scripts/install-deps test
	@Tests/Sample/sample.py --subsets

mutants: ## Take the fixes of ten rows of docs/hardening.md out again, one by one; SEED=7 COUNT=20, or NAMES="slug slug"
	@scripts/install-deps test
	@scripts/mutants $(if $(SEED),--seed $(SEED)) $(if $(COUNT),--count $(COUNT)) $(NAMES)

fuzz: ## Feed mutated input to every reader of hostile bytes, ten minutes each; SECONDS=60 or UNITS=15000, TARGETS="request json"
	@scripts/install-deps run
	@scripts/fuzz $(if $(SECONDS),--seconds $(SECONDS)) $(if $(UNITS),--units $(UNITS)) $(TARGETS)

fuzz-faults: ## Put faults into those readers, and expect the fuzzer to find each; NAMES="slug slug"
	@scripts/install-deps run
	@scripts/fuzz-faults $(NAMES)

vectors: ## Judge a folder of test vectors with the program's own code, one line a case; DIR=FOLDER
	@scripts/install-deps test
	@swift build --quiet --product sallyport
	@swift build --quiet --product sallyport-vectors
	@$(BUILD)/debug/sallyport-vectors "$(DIR)"

proxy-test: ## Whole purchases through nginx, HAProxy and Caddy; NAMES="nginx caddy"
	@scripts/install-deps proxy
	@$(RELEASE) --product sallyport
	@scripts/proxy-test $(NAMES)

api-check: ## Foreign programs judge the interface, the figures and the simulator; VENDOR=DIR for the vendor's own test suite
	@scripts/install-deps api
	@$(RELEASE) --product sallyport
	@VENDOR="$(VENDOR)" scripts/api-check

test-tsan: ## Every test under the thread sanitizer
	@scripts/install-deps test
	@$(SWIFT_TEST) --sanitize=thread --scratch-path .build-tsan

test-asan: ## Every test under the address sanitizer
	@scripts/install-deps test
	@$(SWIFT_TEST) --sanitize=address --scratch-path .build-asan

bench: bench-check ## Requests per second and CPU per request, next to nginx and pgbench; OPTIONS="--seconds 10 --json FILE"
	@scripts/bench $(OPTIONS)

bench-growth: bench-check ## The same with up to 10 million webview sessions, 10,000 idle connections, 1 and 2 loops, a million live sessions, a million orders; takes 30 GB of disk
	@scripts/bench growth $(OPTIONS)

bench-recovery: bench-check ## Purchases under way when all processes are killed, and 200 kills; fails when one takes over 120 s or is charged twice
	@scripts/bench recovery $(OPTIONS)

bench-soak: bench-check ## Ten minutes of everything; fails when memory or descriptors grow
	@scripts/bench soak $(OPTIONS)

bench-attack: bench-check ## Other clients beside one address that attacks for a minute; fails when they notice, or when memory grows beyond its bound
	@scripts/bench attack $(OPTIONS)

bench-wallet: bench-check ## Cards in Wallet: making one beside pass libraries of PyPI, phones' requests beside a page, points, pushes
	@scripts/bench wallet $(OPTIONS)

bench-appstore: bench-check ## Purchases in the App Store: verifying and granting one beside Apple's own library for Python, balances, spending
	@scripts/bench appstore $(OPTIONS)

bench-devicecheck: bench-check ## Gifts for devices while one of two processes is killed 200 times, and the window between reading and writing at Apple
	@scripts/bench devicecheck $(OPTIONS)

bench-check: ## Whether the benchmark itself works: a second of two cases
	@scripts/install-deps bench
	@scripts/bench --help >/dev/null
	@scripts/bench --seconds 1 --rounds 1 --connections 8 --cases aasa,issue >/dev/null
