"""The local stack: the guard, behind it the AWS emulator, and this very template deployed to it by `sam deploy`."""

import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import boto3
from botocore.config import Config

from tools.guard import Guard, allow_connections
from tools.stack.project import LOCAL, REGION, ROOT, TOOLS, free_port, say
from tools.stack.stop import Stop

API_ID = "0a51a51a"
STACK = "messaging-api-local"
MACHINES = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "arm64", "arm64": "arm64"}
# After a request to stop, requests in flight may end; a request that hangs longer loses the emulator.
EMULATOR_PATIENCE_SECONDS = 10.0


class Stack:
    """The guard on one port, the emulator behind it, and what is deployed to it; or another process's stack, by its
    port."""

    def __init__(self, port: int, stop: Stop | None = None):
        self.port = port
        self.stop_request = stop or Stop()
        # Both are the guard's: what AWS would refuse is refused to clients, tools, functions and tests alike
        # (docs/aws-limits.md). The API has a name, as on AWS; what functions call need not be resolved.
        self.endpoint = f"http://127.0.0.1:{port}"
        self.base_url = f"http://localhost:{port}/_aws/execute-api/{API_ID}"
        self.emulator = self.guard = None
        # Of this stack alone: the app at the chat platform, which its notifications are signed for.
        self.platform = {
            "PLATFORM_APP_ID": "1000000000000001",
            "PLATFORM_APP_SECRET": secrets.token_hex(16),
            "PLATFORM_VERIFY_TOKEN": secrets.token_hex(16),
        }

    def __enter__(self) -> "Stack":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def environment(self) -> dict[str, str]:
        """Of every tool and function: the guard's address, and an account that is nobody's."""
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
        taken = f"Port {self.port} is taken; say another one: PORT=4567 make run"
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                sys.exit(taken)
        allow_connections()
        emulator_port = next(port for port in iter(free_port, None) if port != self.port)
        emulator_url = f"http://127.0.0.1:{emulator_port}"
        try:
            self.guard = Guard(emulator_url, self.port, stale_reads=True).start()
        except OSError as error:
            sys.exit(f"{taken} ({error})")
        say(f"Starting the AWS emulator on 127.0.0.1:{self.port} ...")
        LOCAL.mkdir(exist_ok=True)
        log = (LOCAL / f"emulator-{self.port}.log").open("w")
        environment = {
            **self.environment(),
            "GATEWAY_PORT": str(emulator_port),
            "BIND_HOST": "127.0.0.1",
            "LOG_LEVEL": "WARNING",
            "S3_DATA_DIR": str(LOCAL / f"s3-{self.port}"),
        }
        self.emulator = self.stop_request.start(
            [TOOLS / "emulator" / "bin" / "ministack"],
            patience=EMULATOR_PATIENCE_SECONDS,
            env=environment,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        for _ in range(300):
            if self.emulator.poll() is not None:
                sys.exit(f"The emulator ended at once; see {log.name}. Is port {emulator_port} taken?")
            try:
                urllib.request.urlopen(f"{emulator_url}/_ministack/health", timeout=1).close()
                return
            except urllib.error.HTTPError:
                return
            except OSError:
                self.stop_request.sleep(0.1)
        sys.exit(f"The emulator did not answer within 30 s; see {log.name}.")

    def deploy(self) -> None:
        say("Deploying infra/template.yaml to it ...")
        self.client("s3").create_bucket(Bucket="deployment")
        no_defaults = LOCAL / "samconfig.toml"
        no_defaults.write_text("version = 0.1\n")
        architecture = MACHINES[os.uname().machine]
        # A stand-in of the chat platform; without it live mode speaks to the real one.
        stand_in = os.environ.get("PLATFORM_BASE_URL")
        parameters = {
            "Architecture": architecture,
            "DocsUrl": self.base_url,
            "AllowLocalWebhooks": "true",
            "PlatformAppId": self.platform["PLATFORM_APP_ID"],
            "PlatformAppSecret": self.platform["PLATFORM_APP_SECRET"],
            "PlatformVerifyToken": self.platform["PLATFORM_VERIFY_TOKEN"],
            **({"PlatformBaseUrl": stand_in} if stand_in else {}),
            "LocalApiId": API_ID,
        }
        command = [
            TOOLS / "deploy" / "bin" / "sam",
            "deploy",
            "--template-file",
            "template.yaml",
            "--config-file",
            no_defaults,
            "--stack-name",
            STACK,
            "--s3-bucket",
            "deployment",
            "--region",
            REGION,
            "--capabilities",
            "CAPABILITY_IAM",
            "--no-confirm-changeset",
            "--no-progressbar",
            "--parameter-overrides",
            *(f"{name}={value}" for name, value in parameters.items()),
        ]
        with (LOCAL / f"deploy-{self.port}.log").open("w") as log:
            code = self.stop_request.run(
                command, cwd=ROOT / "infra", env=self.environment(), stdout=log, stderr=subprocess.STDOUT
            )
        if code != 0:
            sys.exit(f"The deployment failed:\n{Path(log.name).read_text()[-4000:]}")

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
            sys.exit(f"The operator refused: {reply.get('errorMessage', reply)}")
        return reply

    def call(self, method: str, path: str, credential: str, body: dict | None = None) -> dict:
        """One call of the deployed API."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {credential}", "Content-Type": "application/json"}
        request = urllib.request.Request(self.base_url + path, data=data, headers=headers, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def populate(self) -> dict[str, str]:
        """A demo organization with a live and a test app, as shell assignments."""
        say("Making the demo organization ...")
        made = self.operate({"operation": "createOrganization", "name": "Demo"})
        admin = made["adminKey"]
        live = self.call("POST", "/v1/organization/apps", admin, {"name": "Demo"})
        test = self.call("POST", "/v1/organization/apps", admin, {"name": "Demo test", "test": True})
        keys = {
            app["id"]: self.call("POST", f"/v1/organization/apps/{app['id']}/keys", admin, {})["key"]
            for app in (live, test)
        }
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
            **self.platform,
            "AWS_ENDPOINT_URL": self.endpoint,
        }

    def stop(self) -> None:
        """Ends the emulator and the functions that it started, and removes what they kept on disk."""
        if self.emulator:
            self.stop_request.finish(self.emulator)
        if self.guard:
            self.guard.stop()
            shutil.rmtree(LOCAL / f"s3-{self.port}", ignore_errors=True)
        self.emulator = self.guard = None
