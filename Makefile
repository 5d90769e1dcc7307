# Each target makes what it needs first: `make up` in a fresh clone is enough.
STACK ?= local
PYTHON ?= python3
IN := .venv/bin/python
# `make up STACK=dev YES=1` does not ask.
SURE := $(if $(YES),--yes)

.PHONY: help up preview refresh train status down env test e2e e2e-pods soak bench check format docs setup clouds wheel lock sbom clean

# Nothing is installed that a lock has no hash of, and nothing is built from source by an installation.
PIP := -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all:
LOCK := .venv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --only-binary :all: \
	--emit-build-options --no-annotate --custom-compile-command 'make lock' $(if $(UPGRADE),--upgrade)

help: ; @sed -n 's/^\([a-z0-9-]*\): .*# \(.*\)/  make \1\t\2/p' Makefile | expand -t 20   # what there is

up:       setup ; @$(IN) -m tools up --stack $(STACK) $(SURE)        # bring the stack up; locally, on a cluster of this machine
preview:  setup ; @$(IN) -m tools preview --stack $(STACK)    # what would change
refresh:  setup ; @$(IN) -m tools refresh --stack $(STACK) $(SURE)   # update the state to match the cluster
train:    setup ; @$(IN) -m tools train                       # submit a TrainJob locally, show its timeline
status:   setup ; @$(IN) -m tools status                      # what is built, what runs
down:     setup ; @$(IN) -m tools down --stack $(STACK) $(SURE)      # destroy the stack, stop the local cluster
env:      setup ; @$(IN) -m tools env --stack $(STACK)        # variables for an official Pulumi CLI: eval "`make -s env`"

test:     clouds ; @$(IN) -m pytest                            # unit and component tests; the first time SDKs of three clouds are installed
e2e:      setup ; @$(IN) -m tools build && $(IN) -m pytest tests/e2e          # the real engine, API server, controllers
soak:     setup ; @SOAK=1 $(IN) -m pytest tests/unit -k fuzz && $(IN) -m tools build && SOAK=1 $(IN) -m pytest tests/e2e && SOAK=1 $(MAKE) e2e-pods   # fuzzers, e2e and e2e-pods, each thing many times
e2e-pods: setup ; @$(IN) -m tools.real_pods $(IN) -m pytest tests/e2e_pods         # real pods with sshd and mpirun: Linux, root
wheel:    setup ; @$(IN) -m pytest tests/e2e/test_installed_wheel.py    # the wheel with the lowest and the newest packages that it allows
sbom:     clouds .venv/.bench .venv/.docs ; @$(IN) -m tools.sbom         # an SBOM (CycloneDX) and all licences, in .local/sbom
bench:    .venv/.bench ; @$(IN) -m bench                  # benchmarks against plain Pulumi, kubectl and Helm: docs/benchmarks.md
check:    clouds ; @$(IN) -m ruff check && $(IN) -m ruff format --check && .venv/bin/lint-imports && $(IN) -m mypy   # lint, format, strict types
docs:     .venv/.docs ; @NO_MKDOCS_2_WARNING=1 $(IN) -m mkdocs build --strict --quiet && echo .local/site/index.html   # the site, with an API reference; a broken link is an error
format:   setup ; @$(IN) -m ruff check --fix && $(IN) -m ruff format          # fix lint and formatting

setup: .venv/.done  # .venv with the pinned packages
.venv/.done: requirements/dev.txt
	@echo "Setting up .venv with the pinned packages ..." >&2
	@$(PYTHON) -m venv .venv
	@$(IN) $(PIP) --requirement requirements/dev.txt
	@touch $@

# The SDKs of three clouds are large, and only the tests and the types of their node pools need them. What `make sbom`
# needs comes with them: it lists their licences too.
clouds: .venv/.clouds
.venv/.clouds: .venv/.done requirements/gke.txt requirements/eks.txt requirements/aks.txt requirements/sbom.txt
	@echo "Adding the SDKs of GKE, EKS and AKS ..." >&2
	@$(IN) $(PIP) $(patsubst %,--requirement %,$(filter %.txt,$^))
	@touch $@

.venv/.bench: .venv/.done requirements/bench.txt
	@$(IN) $(PIP) --requirement requirements/bench.txt
	@touch $@

.venv/.docs: .venv/.done requirements/docs.txt
	@$(IN) $(PIP) --requirement requirements/docs.txt
	@touch $@

# Versions are written into requirements/*.in; a lock has the hashes of these packages and of all that they need. What is
# not written there stays as it is locked, unless UPGRADE=1. A package that two locks have is the same in both.
lock: setup   # write requirements.txt and requirements/*.txt anew, with the hashes of all packages
	@$(LOCK) requirements/program.in --output-file requirements.txt
	@$(LOCK) requirements/dev.in --constraint requirements.txt --output-file requirements/dev.txt
	@for each in aks eks gke bench docs sbom; do \
		$(LOCK) requirements/$$each.in --constraint requirements/dev.txt --output-file requirements/$$each.txt || exit 1; done
	@$(LOCK) requirements/go.in --output-file requirements/go.txt

clean: ; @[ ! -d .local ] || [ ! -x $(IN) ] || $(IN) -m tools down; rm -rf .venv .local   # remove the cluster, .venv and all that was built
