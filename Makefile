# The only set-up there is: `make run` and `make test`. Tools go into .tools, at pinned versions.
.PHONY: run test bench restore soak contract fuzz fuzz-api organization invoke deploy build tools test-tools

PYTHON ?= python3
LOCAL := infra/local
STACK_PYTHON := .tools/deploy/bin/python -B

# Starts the local stack in the foreground. PORT=4566 moves it.
run: tools
	@$(STACK_PYTHON) $(LOCAL)/run.py

# Everything that CI runs.
test: test-tools
	@$(STACK_PYTHON) $(LOCAL)/test.py

# Writes docs/openapi.json and the client files anew, from the code.
contract:
	@cargo run --quiet --locked -p contract

# The targets of fuzz/ (docs/fuzzing.md). SECONDS=300 a target, one on each core; TARGETS="body cursor" for these alone.
SECONDS ?= 300
fuzz:
	@$(PYTHON) -B $(LOCAL)/fuzz.py $(SECONDS) $(TARGETS)

# Schemathesis against the running local stack. EXAMPLES=100 and SEED=1 say how hard and from where.
fuzz-api: tools
	@$(PYTHON) -B $(LOCAL)/tools.py fuzz
	@$(STACK_PYTHON) $(LOCAL)/fuzz_api.py

# What the release functions weigh, how they start, what a request costs. Counts instructions where valgrind is installed.
# ACCEPT=1 makes its numbers those that CI holds and docs/performance.md shows.
bench: tools
	@$(STACK_PYTHON) $(LOCAL)/bench.py

# Back to a running stack from a recovered table (docs/restore.md).
# make restore TABLE=<restored table> [STACK=messaging-api] [OPTIONS="--old-table NAME --dry-run"]
restore: tools
	@$(STACK_PYTHON) $(LOCAL)/restore.py --table "$(TABLE)" --stack "$(STACK)" $(OPTIONS)

# Requests and events under random kills of functions (docs/soak.md). REQUESTS=100000 EVENTS=10000 KILL_EVERY=5 SEED=1
soak: tools
	@$(STACK_PYTHON) $(LOCAL)/soak.py

# make organization NAME="Acme" [STACK=messaging-api]
organization: tools
	@$(STACK_PYTHON) $(LOCAL)/organization.py "$(NAME)" "$(STACK)"

# make invoke EVENT=events/organization/get-settings.json
invoke: tools
	@$(STACK_PYTHON) $(LOCAL)/invoke.py "$(EVENT)"

# Release binaries for AWS. ARCHITECTURE=x86_64 for the other processor.
ARCHITECTURE ?= arm64
build:
	@$(PYTHON) -B $(LOCAL)/tools.py build
	@PATH="$(CURDIR)/.tools/build/bin:$$PATH" cargo lambda build --release --locked --workspace --exclude tests --exclude fuzz --exclude operate \
		--target $(if $(filter arm64,$(ARCHITECTURE)),aarch64,x86_64)-unknown-linux-gnu

# Builds and deploys to the AWS account of your environment; asks before it changes anything.
deploy: tools build
	@cd infra && ../.tools/deploy/bin/sam deploy --parameter-overrides Architecture=$(ARCHITECTURE)

tools:
	@$(PYTHON) -B $(LOCAL)/tools.py emulator deploy receiver

test-tools: tools
	@$(PYTHON) -B $(LOCAL)/tools.py contract client browser fuzz deny
