"""The local stack: the guard in front of the AWS emulator, with infra/template.yaml deployed by `sam deploy`."""

import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

import boto3
from botocore.config import Config

from tools.stack import emulator
from tools.stack.archives import template_of_archives
from tools.stack.issuer import Issuer
from tools.stack.project import LOCAL, REGION, ROOT, free_port, say
from tools.stack.sam import sam_deploy
from tools.stack.stop import Stop

API_ID = "0a51a51a"
STACK = "messaging-api-local"
# A queue that webhooks may use; `<name>.fifo` is its sibling.
EVENT_QUEUE = "demo-events"
MACHINES = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "arm64", "arm64": "arm64"}
# The time in seconds for requests in flight to end after a request to stop.
EMULATOR_PATIENCE_SECONDS = 10.0


def send(method: str, url: str, credential: str, body: dict | None = None) -> dict:
    """Sends one request to an API, and returns the JSON of its response."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {credential}", "Content-Type": "application/json"}
    request = urllib.request.Request(url, data=data, headers=headers, method=method)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


class Stack:
    """The guard on one port, the emulator behind it, and the deployment; or the stack of another process, by its port.
    Its data lives in the emulator's memory. If `restarts`, the emulator saves it when it ends, so that the stack can be
    restarted."""

    def __init__(self, port: int, stop: Stop | None = None, restarts: bool = False):
        self.port = port
        self.state = LOCAL / f"state-{port}" if restarts else None
        self.stop_request = stop or Stop()
        # Both URLs lead to the guard, so that it checks requests of clients, tools, functions and tests alike
        # (docs/aws-limits.md). The API has a host name, as on AWS; functions use an IP address.
        self.endpoint = f"http://127.0.0.1:{port}"
        self.base_url = f"http://localhost:{port}/_aws/execute-api/{API_ID}"
        self.emulator = None
        # The identity provider of the stack, if it has one.
        self.issuer: Issuer | None = None
        # The platform app of this stack, whose secret signs its notifications.
        self.platform = {
            "PLATFORM_APP_ID": "1000000000000001",
            # Quotes and backslashes, so that every run shows that they survive (docs/adr/0021-deployment.md).
            "PLATFORM_APP_SECRET": f'{secrets.token_hex(16)} "\\" \\ \\n {{}} ${{}}',
            "PLATFORM_VERIFY_TOKEN": secrets.token_hex(16),
        }

    def __enter__(self) -> "Stack":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def environment(self) -> dict[str, str]:
        """The AWS variables for all tools and functions: the guard's URL, and dummy credentials."""
        return {
            **{name: value for name, value in os.environ.items() if not name.startswith("AWS_")},
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_DEFAULT_REGION": REGION,
            "SAM_CLI_TELEMETRY": "0",
        }

    def client(self, service: str):
        return boto3.client(
            service,
            endpoint_url=self.endpoint,
            region_name=REGION,
            aws_access_key_id="test",
            aws_secret_access_key="test",
            config=Config(retries={"max_attempts": 2}),
        )

    def start(self) -> None:
        taken = f"Port {self.port} is already in use. Choose another one: PORT=4567 make run"
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                sys.exit(taken)
        self.emulator_port = next(port for port in iter(free_port, None) if port != self.port)
        say(f"Starting the AWS emulator on 127.0.0.1:{self.port} ...")
        LOCAL.mkdir(exist_ok=True)
        # A stack that was killed leaves its state and its files behind.
        for left in ("state", "emulator"):
            shutil.rmtree(LOCAL / f"{left}-{self.port}", ignore_errors=True)
        self.launch("w")

    def launch(self, log_mode: str) -> None:
        """Starts the emulator on the ports of this stack, and waits until it responds."""
        log = (LOCAL / f"emulator-{self.port}.log").open(log_mode)
        environment = emulator.environment(self.environment(), self.emulator_port, LOCAL / f"emulator-{self.port}", self.state)
        self.emulator = self.stop_request.start(
            emulator.command(self.emulator_port, "--guard-port", str(self.port), "--stale-reads"),
            patience=EMULATOR_PATIENCE_SECONDS,
            env=environment,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        for _ in range(300):
            if self.emulator.poll() is not None:
                ports = f"{self.port} or {self.emulator_port}"
                sys.exit(f"The emulator ended at once; see {log.name}. Is port {ports} already in use?")
            try:
                urllib.request.urlopen(f"{self.endpoint}/_ministack/health", timeout=1).close()
                return
            except urllib.error.HTTPError:
                return
            except OSError:
                self.stop_request.sleep(0.1)
        sys.exit(f"The emulator did not respond within 30 s; see {log.name}.")

    def deploy(self, **more: str) -> None:
        """Deploys the template, with more parameters than those of the local stack."""
        say("Deploying infra/template.yaml to the emulator ...")
        self.client("s3").create_bucket(Bucket="deployment")
        no_defaults = LOCAL / "samconfig.toml"
        no_defaults.write_text("version = 0.1\n")
        template = LOCAL / f"template-{self.port}.yaml"
        template.write_text(template_of_archives())
        architecture = MACHINES[os.uname().machine]
        # Stand-ins for the chat platform and for the carrier. Without them, live mode uses the real platform, and has no
        # carrier.
        stand_ins = {"PlatformBaseUrl": os.environ.get("PLATFORM_BASE_URL"), "CarrierBaseUrl": os.environ.get("CARRIER_BASE_URL")}
        parameters = {
            "Architecture": architecture,
            "AccountConcurrency": "1000",
            "DocsUrl": self.base_url,
            "AllowLocalWebhooks": "true",
            "EventDestinations": ",".join(self.create_event_queues()),
            "PlatformAppId": self.platform["PLATFORM_APP_ID"],
            "PlatformAppSecret": self.platform["PLATFORM_APP_SECRET"],
            "PlatformVerifyToken": self.platform["PLATFORM_VERIFY_TOKEN"],
            **{name: url for name, url in stand_ins.items() if url},
            "LocalApiId": API_ID,
            **(self.issuer.parameters() if self.issuer else {}),
            **more,
        }
        options = ["--template-file", template, "--config-file", no_defaults, "--s3-bucket", "deployment"]
        options += ["--capabilities", "CAPABILITY_IAM", "--no-confirm-changeset", "--no-progressbar"]
        with (
            sam_deploy(STACK, REGION, parameters, *options) as command,
            (LOCAL / f"deploy-{self.port}.log").open("w") as log,
        ):
            code = self.stop_request.run(
                command, cwd=ROOT / "infra", env=self.environment(), stdout=log, stderr=subprocess.STDOUT
            )
        if code != 0:
            sys.exit(f"The deployment failed:\n{Path(log.name).read_text()[-4000:]}")

    def create_event_queues(self) -> list[str]:
        """Creates the queues to which this stack can send events, as a customer does. Returns their ARNs."""
        sqs = self.client("sqs")
        urls = [
            sqs.create_queue(QueueName=EVENT_QUEUE)["QueueUrl"],
            sqs.create_queue(QueueName=f"{EVENT_QUEUE}.fifo", Attributes={"FifoQueue": "true"})["QueueUrl"],
        ]
        return [sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"] for url in urls]

    def resource(self, logical_id: str) -> str:
        answer = self.client("cloudformation").describe_stack_resource(StackName=STACK, LogicalResourceId=logical_id)
        return answer["StackResourceDetail"]["PhysicalResourceId"]

    def operate(self, request: dict) -> dict:
        """Invokes the operator function."""
        answer = self.client("lambda").invoke(
            FunctionName=self.resource("OperatorFunction"), Payload=json.dumps(request)
        )
        reply = json.loads(answer["Payload"].read())
        if "FunctionError" in answer:
            sys.exit(f"The operator function failed: {reply.get('errorMessage', reply)}")
        return reply

    def call(self, method: str, path: str, credential: str, body: dict | None = None) -> dict:
        """Sends one request to the deployed API."""
        return send(method, self.base_url + path, credential, body)

    def populate(self) -> dict[str, str]:
        """Creates a demo organization with a live and a test app. Returns the values for the environment file."""
        say("Creating the demo organization ...")
        made = self.operate({"operation": "createOrganization", "name": "Demo"})
        admin = made["adminKey"]
        live = self.call("POST", "/v1/organization/apps", admin, {"name": "Demo"})
        test = self.call("POST", "/v1/organization/apps", admin, {"name": "Demo test", "test": True})
        keys = {
            app["id"]: self.call("POST", f"/v1/organization/apps/{app['id']}/keys", admin, {})["key"]
            for app in (live, test)
        }
        numbers = self.call("GET", "/v1/phone-numbers", keys[test["id"]])["data"]
        return {
            "BASE_URL": self.base_url,
            "ORGANIZATION_ID": made["organizationId"],
            "ADMIN_KEY": admin,
            "TEST_ADMIN_KEY": made["testAdminKey"],
            "SESSION_TOKEN": made["sessionToken"],
            "APP_ID": live["id"],
            "APP_KEY": keys[live["id"]],
            "TEST_APP_ID": test["id"],
            "TEST_APP_KEY": keys[test["id"]],
            "TEST_CHAT_NUMBER_ID": next(number["id"] for number in numbers if number["kind"] == "chat"),
            **self.platform,
            # Whoever plays the carrier publishes to these topics.
            "CARRIER_RECEIPTS_TOPIC": self.resource("CarrierReceipts"),
            "CARRIER_INBOUND_TOPIC": self.resource("CarrierInbound"),
            "EVENT_QUEUE_ARN": f"arn:aws:sqs:{REGION}:000000000000:{EVENT_QUEUE}",
            "EVENT_QUEUE_URL": self.client("sqs").get_queue_url(QueueName=EVENT_QUEUE)["QueueUrl"],
            "AWS_ENDPOINT_URL": self.endpoint,
        }

    def restart(self, meanwhile: Callable[[], None]) -> None:
        """Ends the guard, the emulator and its functions, calls `meanwhile`, and starts them again on the same ports with the
        same data. Records of the guard and of streams are lost."""
        self.stop_request.finish(self.emulator)
        meanwhile()
        self.launch("a")

    def refusals(self) -> list[dict]:
        """Returns what the guard has rejected or noted."""
        with urllib.request.urlopen(f"{self.endpoint}/_guard/refusals", timeout=10) as response:
            return json.load(response)

    def stop(self) -> None:
        """Ends the emulator and its functions, and removes their files."""
        if self.emulator:
            self.stop_request.finish(self.emulator)
            shutil.rmtree(LOCAL / f"emulator-{self.port}", ignore_errors=True)
            shutil.rmtree(LOCAL / f"state-{self.port}", ignore_errors=True)
            (LOCAL / f"template-{self.port}.yaml").unlink(missing_ok=True)
        self.emulator = None
