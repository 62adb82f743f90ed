# The only set-up there is: `make run` and `make test`. Tools go into .tools, at pinned versions.
.PHONY: run test check bench restore soak contract fuzz fuzz-api organization invoke deploy build fetch ready tools test-tools

PYTHON ?= python3
# The tools are modules of the package tools/, run from here.
TOOL := $(PYTHON) -B -m tools
STACK_PYTHON := .tools/deploy/bin/python -B
STACK_TOOL := $(STACK_PYTHON) -m tools

# Starts the local stack in the foreground. PORT=4566 moves it.
run: tools
	@$(STACK_TOOL).stack.run

# Static checks, unit, API and end-to-end tests, documents: at most ten minutes when everything was built before.
test: ready
	@$(STACK_TOOL).ci.make_test

# What takes longer: fuzzing, release gates (with valgrind), the restore and soak drills, a fresh clone.
check: ready
	@$(STACK_TOOL).ci.make_check

# Writes docs/openapi.json and the client files anew, from the code.
contract:
	@cargo run --quiet --locked -p contract

# The targets of fuzz/ (docs/fuzzing.md). SECONDS=300 a target, one on each core; TARGETS="body cursor" for these alone.
SECONDS ?= 300
fuzz:
	@$(TOOL).ci.fuzz $(SECONDS) $(TARGETS)

# Schemathesis against the running local stack. EXAMPLES=100 and SEED=1 say how hard and from where.
fuzz-api: tools
	@$(TOOL).stack.install fuzz
	@$(STACK_TOOL).ci.fuzz_api

# What the release functions weigh, how they start, what a request costs. Counts instructions where valgrind is installed.
# ACCEPT=1 makes its numbers those that CI holds and docs/performance.md shows.
bench: tools
	@$(STACK_TOOL).bench.bench

# Back to a running stack from a recovered table (docs/restore.md).
# make restore TABLE=<restored table> [STACK=messaging-api] [OPTIONS="--old-table NAME --dry-run"]
restore: tools
	@$(STACK_TOOL).operate.restore --table "$(TABLE)" --stack "$(STACK)" $(OPTIONS)

# Requests and events under random kills of functions (docs/soak.md). REQUESTS=100000 EVENTS=10000 KILL_EVERY=5 SEED=1
soak: tools
	@$(STACK_TOOL).stack.soak

# make organization NAME="Acme" [STACK=messaging-api]
organization: tools
	@$(STACK_TOOL).operate.organization "$(NAME)" "$(STACK)"

# make invoke EVENT=events/organization/get-settings.json
invoke: tools
	@$(STACK_TOOL).stack.invoke "$(EVENT)"

# Release binaries for AWS. ARCHITECTURE=x86_64 for the other processor.
ARCHITECTURE ?= arm64
build:
	@$(TOOL).stack.install build
	@PATH="$(CURDIR)/.tools/build/bin:$$PATH" cargo lambda build --release --locked --workspace --exclude tests --exclude fuzz --exclude operate --exclude soak \
		--target $(if $(filter arm64,$(ARCHITECTURE)),aarch64,x86_64)-unknown-linux-gnu

# Builds and deploys to the AWS account of your environment; asks before it changes anything.
deploy: tools build
	@cd infra && ../.tools/deploy/bin/sam deploy --parameter-overrides Architecture=$(ARCHITECTURE)

# Downloads everything that `make test` and `make check` need.
ready: test-tools fetch

# The crates of all platforms: the check of dependencies reads them, and runs offline.
fetch:
	@cargo fetch --locked

tools:
	@$(TOOL).stack.install emulator deploy receiver

test-tools: tools
	@$(TOOL).stack.install contract client browser fuzz deny
