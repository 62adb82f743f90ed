# `make run` and `make test` need no other set-up. They install tools at pinned versions into .tools.
.PHONY: run test check bench restore soak contract fuzz fuzz-api organization invoke deploy build fetch ready tools test-tools

PYTHON ?= python3
# The tools are modules of the Python package tools/ and are run from this folder.
TOOL := $(PYTHON) -B -m tools
STACK_PYTHON := .tools/deploy/bin/python -B
STACK_TOOL := $(STACK_PYTHON) -m tools

# Starts the local stack in the foreground. PORT=4566 sets the port.
run: tools
	@$(STACK_TOOL).stack.run

# Static checks, unit, API and end-to-end tests, and documents: at most ten minutes if everything is already built.
test: ready
	@$(STACK_TOOL).ci.make_test

# Slower checks: fuzzing, release gates (with valgrind), the restore and soak drills, and a fresh clone.
check: ready
	@$(STACK_TOOL).ci.make_check

# Generates docs/openapi.json and the client files from the code.
contract:
	@cargo run --quiet --locked -p contract

# Runs the fuzz targets (docs/fuzzing.md), one per core. SECONDS=300 per target; TARGETS="body cursor" selects targets.
SECONDS ?= 300
fuzz:
	@$(TOOL).ci.fuzz $(SECONDS) $(TARGETS)

# Runs schemathesis against the running local stack. EXAMPLES=100 sets the examples per operation, SEED=1 the random seed.
fuzz-api: tools
	@$(TOOL).stack.install fuzz
	@$(STACK_TOOL).ci.fuzz_api

# Measures size, start and cost per request of the release functions. Counts instructions if valgrind is installed.
# ACCEPT=1 makes the results the new baseline for CI and docs/performance.md.
bench: tools
	@$(STACK_TOOL).bench.bench

# Moves the stack to a restored table (docs/restore.md).
# make restore TABLE=<restored table> [STACK=messaging-api] [OPTIONS="--old-table NAME --dry-run"]
restore: tools
	@$(STACK_TOOL).operate.restore --table "$(TABLE)" --stack "$(STACK)" $(OPTIONS)

# Sends requests and events while functions are killed at random (docs/soak.md). REQUESTS=100000 EVENTS=10000 KILL_EVERY=5 SEED=1
soak: tools
	@$(STACK_TOOL).stack.soak

# Creates an organization: make organization NAME="Acme" [STACK=messaging-api]
organization: tools
	@$(STACK_TOOL).operate.organization "$(NAME)" "$(STACK)"

# Sends a sample event to a local function: make invoke EVENT=events/organization/get-settings.json
invoke: tools
	@$(STACK_TOOL).stack.invoke "$(EVENT)"

# Builds release binaries for AWS. ARCHITECTURE=x86_64 selects the other processor architecture.
ARCHITECTURE ?= arm64
build:
	@$(TOOL).stack.install build
	@PATH="$(CURDIR)/.tools/build/bin:$$PATH" cargo lambda build --release --locked --workspace --exclude tests --exclude fuzz --exclude operate --exclude soak \
		--target $(if $(filter arm64,$(ARCHITECTURE)),aarch64,x86_64)-unknown-linux-gnu

# Builds and deploys to the AWS account of your environment; asks for confirmation before it changes anything.
deploy: tools build
	@cd infra && ../.tools/deploy/bin/sam deploy --parameter-overrides Architecture=$(ARCHITECTURE)

# Downloads everything that `make test` and `make check` need.
ready: test-tools fetch

# Downloads the crates of all platforms, which the offline check of dependencies reads.
fetch:
	@cargo fetch --locked

tools:
	@$(TOOL).stack.install emulator deploy receiver

test-tools: tools
	@$(TOOL).stack.install contract client browser fuzz deny
