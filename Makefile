# Each target makes what it needs first: `make up` in a fresh clone is enough.
STACK ?= local
PYTHON ?= python3
IN := .venv/bin/python
# `make up STACK=dev YES=1` does not ask.
SURE := $(if $(YES),--yes)

.PHONY: help up preview refresh train status down env test e2e e2e-pods soak bench check format setup clouds clean

help: ; @sed -n 's/^\([a-z0-9-]*\): .*# \(.*\)/  make \1\t\2/p' Makefile | expand -t 20   # what there is

up:       setup ; @$(IN) -m tools up --stack $(STACK) $(SURE)        # bring the stack up; locally, on a cluster of this machine
preview:  setup ; @$(IN) -m tools preview --stack $(STACK)    # what would change
refresh:  setup ; @$(IN) -m tools refresh --stack $(STACK) $(SURE)   # what has drifted
train:    setup ; @$(IN) -m tools train                       # submit a TrainJob locally, show its timeline
status:   setup ; @$(IN) -m tools status                      # what is built, what runs
down:     setup ; @$(IN) -m tools down --stack $(STACK) $(SURE)      # destroy the stack, stop the local cluster
env:      setup ; @$(IN) -m tools env --stack $(STACK)        # variables for an official Pulumi CLI: eval "`make -s env`"

test:     clouds ; @$(IN) -m pytest                            # unit and component tests; the first time SDKs of three clouds are installed
e2e:      setup ; @$(IN) -m tools build && $(IN) -m pytest tests/e2e          # the real engine, API server, controllers
soak:     setup ; @$(IN) -m tools build && SOAK=1 $(IN) -m pytest tests/e2e && SOAK=1 $(MAKE) e2e-pods   # e2e and e2e-pods, each thing many times
e2e-pods: setup ; @$(IN) -m tools.pods $(IN) -m pytest tests/e2e_pods         # real pods with sshd and mpirun: Linux, root
bench:    .venv/.bench ; @$(IN) -m bench                  # what all costs beside a bare engine: docs/benchmarks.md
check:    clouds ; @$(IN) -m ruff check && $(IN) -m ruff format --check && $(IN) -m mypy   # lint, format, strict types
format:   setup ; @$(IN) -m ruff check --fix && $(IN) -m ruff format          # put right what can be put right

setup: .venv/.done  # .venv with the pinned packages
.venv/.done: requirements.txt requirements/dev.txt
	@echo "Setting up .venv with the pinned packages ..." >&2
	@$(PYTHON) -m venv .venv
	@$(IN) -m pip install --quiet --disable-pip-version-check --requirement requirements/dev.txt
	@touch $@

# The SDKs of three clouds are large, and only the tests and the types of their node pools need them.
clouds: .venv/.clouds
.venv/.clouds: .venv/.done requirements/gke.txt requirements/eks.txt requirements/aks.txt
	@echo "Adding the SDKs of GKE, EKS and AKS ..." >&2
	@$(IN) -m pip install --quiet --disable-pip-version-check $(patsubst %,--requirement %,$(filter %.txt,$^))
	@touch $@

.venv/.bench: .venv/.done requirements/bench.txt
	@$(IN) -m pip install --quiet --disable-pip-version-check --requirement requirements/bench.txt
	@touch $@

clean: ; @[ ! -d .local ] || [ ! -x $(IN) ] || $(IN) -m tools down; rm -rf .venv .local   # remove the cluster, .venv and all that was built
