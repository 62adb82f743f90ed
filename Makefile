# `make run` and `make test` need no other set-up. They install tools at pinned versions into .tools.
.PHONY: run test check fresh install-cli bench restore recount soak contract fuzz fuzz-api organization link-number unlink-number release-number erase-contact show-erasure delete-organization release-account allow-destination disallow-destination list-destinations limit-organization sign-in logs invoke verify deploy undeploy policies table-access build release fetch ready tools test-tools pictures

PYTHON ?= python3
# The tools are modules of the Python package tools/ and are run from this folder.
TOOL := $(PYTHON) -B -m tools
STACK_PYTHON := .tools/deploy/bin/python -B
STACK_TOOL := $(STACK_PYTHON) -m tools

# Starts the local stack in the foreground. PORT=4566 sets the port; SIGN_IN=oidc adds an identity provider for signing in;
# CONSOLE=off leaves out the console, as does a machine without npm's packages.
run: tools
	@$(if $(filter off,$(CONSOLE)),,$(TOOL).stack.install --optional console)
	@$(if $(filter oidc,$(SIGN_IN)),$(TOOL).stack.install client)
	@$(STACK_TOOL).stack.run

# Static checks, unit, API and end-to-end tests, and documents: at most ten minutes if everything is already built.
test: ready
	@$(STACK_TOOL).ci.make_test

# Slower checks: fuzzing, release gates (with valgrind), the deployment, restore and soak drills.
check: ready
	@$(STACK_TOOL).ci.make_check

# Runs `make test` as on a new machine: in a clone with an empty CARGO_HOME, no tools and no target folder. CI does the same.
fresh:
	@$(TOOL).ci.freshness

# Generates docs/openapi.json, the client files and the libraries' vectors of requests from the code.
contract:
	@cargo run --quiet --locked -p contract
	@$(PYTHON) -B clients/conformance/make_requests.py

# Installs the command line `messaging` (docs/cli.md) where cargo installs programs, normally ~/.cargo/bin.
install-cli:
	@cargo install --locked --path cli

# Runs the fuzz targets (docs/fuzzing.md), one per core. SECONDS=300 per target; TARGETS="body cursor" selects targets.
SECONDS ?= 300
fuzz:
	@$(TOOL).ci.fuzz $(SECONDS) $(TARGETS)

# Runs schemathesis against the running local stack. EXAMPLES=100 sets the examples per operation, SEED=1 the random seed.
fuzz-api: tools
	@$(TOOL).stack.install fuzz
	@$(STACK_TOOL).ci.fuzz_api

# Makes the pictures of the console that the documentation shows, from the running local stack.
pictures: test-tools
	@$(STACK_TOOL).ci.console.pictures

# Measures size, start and cost per request of the release functions. Counts instructions if valgrind is installed.
# ACCEPT=1 makes the results the new baseline for CI and docs/performance.md. ONLY=sending measures no other function's operations.
bench: tools
	@$(STACK_TOOL).bench.bench

# Moves the stack to a restored table (docs/restore.md).
# make restore TABLE=<restored table> [STACK=messaging-api] [OPTIONS="--old-table NAME --dry-run"]
restore: tools
	@$(STACK_TOOL).operate.restore --table "$(TABLE)" --stack "$(STACK)" $(OPTIONS)

# Counts the messages of releases that did not count usage, and lists what needs attention in their objects (docs/insight.md):
# make recount [STACK=messaging-api]
recount: tools
	@$(STACK_TOOL).operate.recount --stack "$(STACK)"

# Sends requests and events while functions are killed at random (docs/soak.md). REQUESTS=100000 EVENTS=10000 KILL_EVERY=5 SEED=1
soak: tools
	@$(STACK_TOOL).stack.soak

# Each of the next targets sends one request to the operator function, of the running local stack without STACK, and prints the response.
# Creates an organization: make organization NAME="Acme" [STACK=messaging-api REGION=eu-central-1]
# Links a phone number of the AWS account to an organization (docs/sms.md), or unlinks it:
# make link-number NUMBER=+12015550123 ORGANIZATION=org_... [COUNTRIES=US,CA] [STACK=messaging-api REGION=eu-central-1]
# Takes a phone number from its organization (docs/erasure.md):
# make release-number NUMBER=+12015550123 ORGANIZATION=org_... [STACK=messaging-api REGION=eu-central-1]
# Disconnects a WhatsApp account from whichever organization has it, so that another one can connect it (docs/onboarding.md):
# make release-account ACCOUNT=102290129340398 [STACK=messaging-api REGION=eu-central-1]
# Erases what is stored about a person, or shows the receipt (docs/erasure.md):
# make erase-contact ORGANIZATION=org_... CONTACT=+12015550123 [STACK=messaging-api REGION=eu-central-1]
# Lets an organization use an SQS queue as the address of webhooks (docs/events.md), takes it away, or lists what is allowed:
# make allow-destination ORGANIZATION=org_... QUEUE=arn:aws:sqs:... [STACK=messaging-api REGION=eu-central-1]
# Creates a link with which a member can sign in once (docs/access.md):
# make sign-in ORGANIZATION=org_... EMAIL=ann@example.com [STACK=messaging-api REGION=eu-central-1]
# Sets how many requests per second an organization may make, or removes the limit with RATE=none (docs/access.md):
# make limit-organization ORGANIZATION=org_... RATE=50 [STACK=messaging-api REGION=eu-central-1]
organization link-number unlink-number release-number release-account erase-contact show-erasure allow-destination disallow-destination list-destinations limit-organization sign-in: tools
	@$(STACK_TOOL).operate.request "$@"

# Deletes an organization, which cannot be undone (docs/erasure.md); CONFIRM is its slug:
# make delete-organization ORGANIZATION=org_... CONFIRM=acme [STACK=messaging-api REGION=eu-central-1]
delete-organization: tools
	@$(STACK_TOOL).operate.deletion

# Prints all log lines of a request and of the work that followed: make logs REQUEST=<X-Request-Id> [STACK=messaging-api] [REGION=eu-central-1] [HOURS=24]
HOURS ?= 24
logs: tools
	@$(STACK_TOOL).operate.logs "$(REQUEST)" "$(STACK)" "$(HOURS)"

# Verifies a deployment from the outside: every operation, isolation, uploads, events, limits (docs/first-deployment.md).
# make verify [BASE_URL=https://...] [STACK=messaging-api REGION=eu-west-1] [ONLY="uploads events"]; without a URL, the running local stack.
verify: tools
	@$(STACK_TOOL).verify $(ONLY)

# Sends a sample event to a local function: make invoke EVENT=events/organization/get-settings.json
invoke: tools
	@$(STACK_TOOL).stack.invoke "$(EVENT)"

# Builds release binaries for AWS, and adds the target to the Rust toolchain. ARCHITECTURE=x86_64 selects the other processor
# architecture, ONLY=organization one package, LAMBDA_DIR another folder than target/lambda. CONSOLE=off leaves out the console.
ARCHITECTURE ?= arm64
TARGET = $(if $(filter arm64,$(ARCHITECTURE)),aarch64,x86_64)-unknown-linux-gnu
WITH_CONSOLE = $(if $(filter-out reference,$(ONLY))$(filter off,$(CONSOLE)),,console)
build:
	@$(TOOL).stack.install build $(WITH_CONSOLE)
	@$(TOOL).stack.target $(TARGET)
	@PATH="$(CURDIR)/.tools/build/bin:$$PATH" cargo lambda build --release --locked --target $(TARGET) $(if $(LAMBDA_DIR),--lambda-dir "$(LAMBDA_DIR)") \
		$(if $(ONLY),--package $(ONLY),--workspace --exclude tests --exclude fuzz --exclude operate --exclude soak --exclude cli --exclude messaging-client)
	@$(if $(filter-out reference,$(ONLY)),,$(TOOL).stack.console "$(or $(LAMBDA_DIR),target/lambda)/reference")

# Builds and deploys to the AWS account of your environment (docs/deploying.md); asks before it changes anything, unless YES=1.
# make deploy [STACK=messaging-api] [REGION=eu-central-1] [PARAMETERS=<file>] [TAGS="team=messaging"] [ARCHITECTURE=x86_64] [CONSOLE=off] [YES=1]
# RELEASE=<file> deploys an archive of a release instead, which needs no compiler (docs/releasing.md).
deploy: tools $(if $(RELEASE),,build)
	@$(STACK_TOOL).operate.deploy

# Makes everything that a release consists of, in target/release-<version> (docs/releasing.md).
# make release [ARCHITECTURES="arm64 x86_64"] [PARTS="command-line checksums"]
release: $(if $(filter-out command-line documents checksums,$(or $(PARTS),all)),test-tools fetch)
	@$(TOOL).release

# Writes the IAM policies for whoever deploys a stack, and the boundary of its roles, to .deploy (docs/deploying.md).
# make policies [STACK=messaging-api] [REGION=eu-central-1] [BOUNDARY=<ARN of the boundary>] [KEY=<ARN of KmsKeyArn>]
policies: tools
	@$(STACK_TOOL).operate.policies

# Prints which function may read and write which class of keys, as the template's policies say: make table-access [CLASS="SEC HOOK"]
table-access: tools
	@$(STACK_TOOL).ci.table_access $(CLASS)

# Deletes a stack but keeps the resources that hold data, unless PURGE=yes. Asks for the stack's name, unless YES=1.
# make undeploy STACK=messaging-api [REGION=eu-central-1] [PURGE=yes] [YES=1]
undeploy: tools
	@$(STACK_TOOL).operate.undeploy

# Downloads everything that `make test` and `make check` need.
ready: test-tools fetch

# Downloads the crates of all platforms, which the offline check of dependencies reads.
fetch:
	@cargo fetch --locked

tools:
	@$(TOOL).stack.install emulator deploy receiver

test-tools: tools
	@$(TOOL).stack.install contract client console browser fuzz deny build workflows
