# Each target builds what it needs first, so `make up` works in a fresh clone.
STACK ?= local
PYTHON ?= python3
IN := .venv/bin/python
# `make up STACK=dev YES=1` asks for no confirmation.
SURE := $(if $(YES),--yes)

.PHONY: help up preview refresh train status down env test e2e e2e-pods soak bench check format docs setup clouds wheel lock sbom clean

# Two files of tests at a time.
TWO := -n 2 --dist loadfile

# Every installed package has a hash in a lock, and no installation builds from source.
PIP := -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all:
LOCK := .venv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --only-binary :all: \
	--emit-build-options --no-annotate --custom-compile-command 'make lock' $(if $(UPGRADE),--upgrade)

help: ; @sed -n 's/^\([a-z0-9-]*\): .*# \(.*\)/  make \1\t\2/p' Makefile | expand -t 20   # list the targets

up:       setup ; @$(IN) -m tools up --stack $(STACK) $(SURE)        # deploy the stack; for the local stack, start its cluster first
preview:  setup ; @$(IN) -m tools preview --stack $(STACK)    # show what would change
refresh:  setup ; @$(IN) -m tools refresh --stack $(STACK) $(SURE)   # update the state to match the cluster
train:    setup ; @$(IN) -m tools train                       # submit a TrainJob to the local stack and show its timeline
status:   setup ; @$(IN) -m tools status                      # show what is built and what runs
down:     setup ; @$(IN) -m tools down --stack $(STACK) $(SURE)      # destroy the stack; for the local stack, remove its cluster
env:      setup ; @$(IN) -m tools env --stack $(STACK)        # print variables for the official Pulumi CLI: eval "`make -s env`"

test:     clouds .local/editor/.done ; @$(IN) -m pytest $(TWO)       # run unit and component tests; the first run installs the SDKs of three clouds
e2e:      setup ; @$(IN) -m tools build && $(IN) -m pytest $(TWO) --durations=15 tests/e2e   # run the tests on the real engine, API server and controllers
soak:     setup ; @SOAK=1 $(IN) -m pytest tests/unit -k fuzz && $(IN) -m tools build && SOAK=1 $(IN) -m pytest tests/e2e && SOAK=1 $(MAKE) e2e-pods   # run the fuzzers, e2e and e2e-pods with many repetitions
e2e-pods: setup ; @$(IN) -m tools.real_pods $(IN) -m pytest tests/e2e_pods         # run trainings in real pods with sshd and mpirun; needs Linux and root
wheel:    setup ; @$(IN) -m pytest tests/e2e/test_installed_wheel.py tests/e2e/test_wheel_types.py    # test the wheel with the lowest and the newest packages that it allows, and its types with mypy and pyright
sbom:     clouds .venv/.bench .venv/.docs ; @$(IN) -m tools.sbom         # write an SBOM (CycloneDX) and all licenses to .local/sbom
bench:    .venv/.bench ; @$(IN) -m bench                  # run benchmarks against plain Pulumi, kubectl and Helm: docs/benchmarks.md
check:    clouds ; @$(IN) -m ruff check && $(IN) -m ruff format --check && .venv/bin/lint-imports && $(IN) -m mypy   # run lint, format check, import rules and mypy
docs:     .venv/.docs ; @NO_MKDOCS_2_WARNING=1 $(IN) -m mkdocs build --strict --quiet && echo .local/site/index.html   # build the documentation site; a broken link is an error
format:   setup ; @$(IN) -m ruff check --fix && $(IN) -m ruff format          # fix lint and formatting

setup: .venv/.done  # create .venv with the pinned packages
.venv/.done: requirements/dev.txt
	@echo "Setting up .venv with the pinned packages ..." >&2
	@$(PYTHON) -m venv .venv
	@$(IN) $(PIP) --requirement requirements/dev.txt
	@touch $@

# The SDKs of three clouds are large, and only the tests and the types of their node pools need them. The packages of
# `make sbom`, which lists their licenses too, are installed with them.
clouds: .venv/.clouds
.venv/.clouds: .venv/.done requirements/gke.txt requirements/eks.txt requirements/aks.txt requirements/sbom.txt
	@echo "Adding the SDKs of GKE, EKS and AKS ..." >&2
	@$(IN) $(PIP) $(patsubst %,--requirement %,$(filter %.txt,$^))
	@touch $@

# The language server that editors run for YAML. Without npm, the tests that ask it are skipped.
.local/editor/.done: requirements/editor/package-lock.json
	@if command -v npm >/dev/null; then \
		echo "Adding the YAML language server ..." >&2; mkdir -p .local/editor && cp requirements/editor/*.json .local/editor && \
		npm ci --prefix .local/editor --ignore-scripts --no-audit --no-fund --silent && touch $@; \
	else echo "npm is not on PATH: the tests that ask the YAML language server are skipped." >&2; fi

.venv/.bench: .venv/.done requirements/bench.txt
	@$(IN) $(PIP) --requirement requirements/bench.txt
	@touch $@

.venv/.docs: .venv/.done requirements/docs.txt
	@$(IN) $(PIP) --requirement requirements/docs.txt
	@touch $@

# requirements/*.in have the versions; a lock has the hashes of these packages and of their dependencies. A version that
# no input pins stays as it is locked, unless UPGRADE=1. A package has the same version in all locks.
lock: setup   # write requirements.txt and requirements/*.txt again, with the hashes of all packages
	@$(LOCK) requirements/program.in --output-file requirements.txt
	@$(LOCK) requirements/dev.in --constraint requirements.txt --output-file requirements/dev.txt
	@for each in aks eks gke bench docs sbom types; do \
		$(LOCK) requirements/$$each.in --constraint requirements/dev.txt --output-file requirements/$$each.txt || exit 1; done
	@$(LOCK) requirements/go.in --output-file requirements/go.txt

clean: ; @[ ! -d .local ] || [ ! -x $(IN) ] || $(IN) -m tools down; rm -rf .venv .local   # remove the cluster, .venv and everything that was built
