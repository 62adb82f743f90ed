"""Deploys two stacks side by side to an emulator of its own with `make deploy`, and removes them with `make undeploy`.

The unit tests in this file cover the reading of parameters and need no emulator.
"""

import base64
import json
import os
import signal
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path
from unittest import mock

from tools.operate.drill import eventually, expect, path_without_rust
from tools.operate.installed import Installed
from tools.operate.parameters import collect, read_file, variable
from tools.operate.steps import Refused
from tools.operate.stream import VIEW_TYPE
from tools.release import bundle
from tools.stack.project import LOCAL, REGION, ROOT, free_port, say
from tools.stack.stack import MACHINES, Stack
from tools.stack.template import source

# The exit code of make if a recipe fails.
MAKE_FAILED = 2
KNOWN = {"PlatformAppSecret": {"NoEcho": True}, "RequestBurst": {}, "RestoredTableName": {}, "DocsUrl": {}}


class Parameters(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name) / "parameters"

    def write(self, text: str, mode: int = 0o600) -> Path:
        self.path.write_text(text, encoding="utf-8")
        self.path.chmod(mode)
        return self.path

    def collect(self, file: Path | None, **environment: str) -> dict[str, str]:
        with mock.patch.dict(os.environ, environment, clear=True):
            return {name: value for name, (value, _) in collect(KNOWN, file).items()}

    def test_a_value_is_everything_after_the_first_equals_sign(self):
        path = self.write('# a comment\n\nPlatformAppSecret= "a\'b\\" =c# \nRequestBurst=5\n')
        self.assertEqual(read_file(path), {"PlatformAppSecret": ' "a\'b\\" =c# ', "RequestBurst": "5"})

    def test_the_environment_wins_over_the_file(self):
        path = self.write("PlatformAppSecret=file\nRequestBurst=5\n")
        self.assertEqual(variable("PlatformAppSecret"), "PLATFORM_APP_SECRET")
        found = self.collect(path, PLATFORM_APP_SECRET="environment")
        self.assertEqual(found, {"PlatformAppSecret": "environment", "RequestBurst": "5"})
        self.assertEqual(self.collect(None, DOCS_URL="", RESTORED_TABLE_NAME="x"), {"DocsUrl": ""})

    def test_what_cannot_be_meant_is_refused_without_its_value(self):
        for text, expected in (
            ("hunter2", "line 1: expected Name=value"),
            ("RequestBurst=5\nRequestBurst=hunter2", "line 2: RequestBurst is set twice"),
            ("Unknown=hunter2", "Allowed: DocsUrl, PlatformAppSecret, RequestBurst"),
            ("RestoredTableName=hunter2", "make restore"),
        ):
            with self.assertRaises(Refused) as raised:
                self.collect(self.write(text))
            self.assertIn(expected, str(raised.exception))
            self.assertNotIn("hunter2", str(raised.exception))

    def test_a_file_with_secrets_is_for_its_owner_only(self):
        with self.assertRaisesRegex(Refused, "chmod 600"):
            self.collect(self.write("PlatformAppSecret=x", 0o640))
        self.assertEqual(self.collect(self.write("RequestBurst=5", 0o644)), {"RequestBurst": "5"})


class CommandLines:
    """Looks for texts on the command lines of all processes, while it is active."""

    def __init__(self, *texts: str):
        self.texts = [text.encode() for text in texts]
        self.seen: set[str] = set()
        self.looks = 0
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.watch)

    def __enter__(self) -> "CommandLines":
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.is_over.set()
        self.thread.join()

    def watch(self) -> None:
        while not self.is_over.wait(0.02):
            self.looks += 1
            for path in Path("/proc").glob("[0-9]*/cmdline"):
                try:
                    line = path.read_bytes()
                except OSError:
                    continue
                self.seen |= {line.decode(errors="replace") for text in self.texts if text in line}


class Trial:
    SECRET = 'app "secret" \\" with \\ back\\\\slashes, {braces} ${and} \'more\''
    TOKEN = "verify-token-of-the-drill"

    def __init__(self, stack: Stack, folder: Path):
        self.stack, self.folder = stack, folder
        self.cloudformation, self.secrets = stack.client("cloudformation"), stack.client("secretsmanager")

    def make(self, target: str, answer: str = "", **variables: str) -> subprocess.CompletedProcess:
        """Runs a target of the Makefile, without its prerequisites. A release is deployed without the compiler within reach."""
        is_release = "RELEASE" in variables
        prerequisites = ["-o", "tools"] if is_release else ["-o", "tools", "-o", "build"]
        command = ["make", *prerequisites, target, *(f"{name}={value}" for name, value in variables.items())]
        environment = {name: value for name, value in self.stack.environment().items() if not name.startswith("PLATFORM_")}
        environment |= {"AWS_REGION": "", "PLATFORM_VERIFY_TOKEN": self.TOKEN}
        if is_release:
            environment["PATH"] = path_without_rust()
        return subprocess.run(
            command, cwd=ROOT, env=environment, input=answer, capture_output=True, text=True, check=False
        )

    def deploy(self, name: str, **variables: str) -> subprocess.CompletedProcess:
        architecture = MACHINES[os.uname().machine]
        done = self.make("deploy", STACK=name, REGION=REGION, YES="1", ARCHITECTURE=architecture, **variables)
        if done.returncode != 0:
            say(done.stdout + done.stderr)
        return done

    def undeploy(self, name: str, answer: str = "", **variables: str) -> subprocess.CompletedProcess:
        done = self.make("undeploy", answer, STACK=name, REGION=REGION, **variables)
        say("".join(f"      | {line}\n" for line in (done.stdout + done.stderr).splitlines()).rstrip())
        return done

    def resource(self, stack: str, logical_id: str) -> str:
        answer = self.cloudformation.describe_stack_resource(StackName=stack, LogicalResourceId=logical_id)
        return answer["StackResourceDetail"]["PhysicalResourceId"]

    def platform_secret(self, stack: str) -> dict[str, str]:
        text = self.secrets.get_secret_value(SecretId=self.resource(stack, "PlatformSecret"))["SecretString"]
        return {name: base64.b64decode(value).decode() for name, value in json.loads(text).items()}

    def status(self, stack: str) -> str:
        return self.cloudformation.describe_stacks(StackName=stack)["Stacks"][0]["StackStatus"]

    def exists(self, stack: str) -> bool:
        summaries = self.cloudformation.list_stacks()["StackSummaries"]
        return any(found["StackName"] == stack and found["StackStatus"] != "DELETE_COMPLETE" for found in summaries)

    def what_is_there(self) -> tuple[list[str], list[str], list[str]]:
        """Returns the names of all tables, buckets and secrets."""
        tables = self.stack.client("dynamodb").list_tables()["TableNames"]
        buckets = [bucket["Name"] for bucket in self.stack.client("s3").list_buckets()["Buckets"]]
        secrets = [secret["Name"] for secret in self.secrets.list_secrets()["SecretList"]]
        return tables, buckets, secrets

    def of(self, stack: str) -> list[str]:
        return [name for names in self.what_is_there() for name in names if name.startswith((f"{stack}-", f"{stack}/"))]

    # ------------------------------------------------------------ the story

    def deployed(self) -> None:
        say("\n-- Two stacks in one account and region")
        parameters = self.folder / "staging.parameters"
        parameters.touch(mode=0o600)
        parameters.write_text(f"PlatformAppSecret={self.SECRET}\nRequestBurst=77\n")
        with CommandLines(self.SECRET[:12], self.TOKEN) as lines:
            done = self.deploy("staging", PARAMETERS=str(parameters), TAGS="team=messaging purpose=drill")
        expect("the first stack is deployed", (done.returncode, self.status("staging")), (0, "CREATE_COMPLETE"))
        expect("no command line showed a secret", (lines.seen, lines.looks > 20), (set(), True))
        said = done.stdout + done.stderr
        expect("nor does the output", (self.SECRET in said, self.TOKEN in said), (False, False))
        expect("it says where parameters come from", f"PlatformAppSecret from {parameters}" in said, True)
        wanted = {"appSecret": self.SECRET, "previousAppSecret": "", "verifyToken": self.TOKEN}
        expect("quotes and backslashes survive", self.platform_secret("staging"), wanted)
        tags = {tag["Key"]: tag["Value"] for tag in self.cloudformation.describe_stacks(StackName="staging")["Stacks"][0]["Tags"]}
        expect("the stack has its tags", tags, {"team": "messaging", "purpose": "drill"})
        # Change a parameter, so that there is something to deploy; parameters that are not set keep their values.
        parameters.write_text("RequestBurst=78\n")
        expect("an update is deployed", self.deploy("staging", PARAMETERS=str(parameters)).returncode, 0)
        expect("it keeps the secret", self.platform_secret("staging"), wanted)

    def restreamed(self) -> None:
        """An installation from before usage was counted is updated: its stream shows keys only. No event and no message is lost."""
        say("\n-- The stream of an earlier release")
        dynamodb, table = self.stack.client("dynamodb"), self.resource("staging", "Table")
        installed = Installed(self.stack, lambda name: self.resource("staging", name))
        installed.populate()
        messages = [installed.receive()]
        eventually("an event is dispatched before", lambda: installed.told() == messages)
        eventually("and the message counted", lambda: installed.counted() == 1)

        dynamodb.update_table(TableName=table, StreamSpecification={"StreamEnabled": False})
        earlier = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
        dynamodb.update_table(TableName=table, StreamSpecification=earlier)
        first = self.deploy("staging", TABLE_STREAM="none")
        expect("the first of two deployments removes it", first.returncode, 0)
        messages.append(installed.receive())
        installed.events_are_due()
        installed.invoke("SweepFunction", {})
        eventually("the sweep dispatches what happens in between", lambda: installed.told() == messages)
        dynamodb.update_table(TableName=table, StreamSpecification=earlier)
        done = self.deploy("staging")
        expect("two deployments update it", (done.returncode, "The first of two deployments" in done.stdout), (0, True))
        found = dynamodb.describe_table(TableName=table)["Table"]
        expect("the stream shows items", found["StreamSpecification"], {"StreamEnabled": True, "StreamViewType": VIEW_TYPE})
        listed = self.stack.client("lambda").list_event_source_mappings(EventSourceArn=found["LatestStreamArn"])
        expect("both readers read the new one", len(listed["EventSourceMappings"]), 2)

        messages.append(installed.receive())
        eventually("the stream dispatches again", lambda: installed.told() == messages)
        eventually("and counts again", lambda: installed.counted() == 2)
        recounted = self.make("recount", STACK="staging")
        marked = [line.split()[0] for line in recounted.stdout.splitlines() if "messages of earlier releases" in line]
        expect("make recount marks what was stored in between", (recounted.returncode, marked), (0, ["1"]))
        eventually("each message counts once", lambda: installed.counted() == 3)
        done = self.deploy("staging")
        expect("it is not removed again", (done.returncode, "The first of two" in done.stdout), (0, False))

    def failed(self) -> None:
        """A first deployment fails after the table was created; the second attempt works."""
        say("\n-- The second attempt")
        table = json.loads(json.dumps(source()["Resources"]["Table"]))
        broken = {"Type": "AWS::Logs::LogStream", "DependsOn": "Table", "Properties": {"LogGroupName": "missing"}}
        body = json.dumps({"Resources": {"Table": table, "Broken": broken}})
        self.cloudformation.create_stack(StackName="production", TemplateBody=body)
        failed = ("ROLLBACK_COMPLETE", "ROLLBACK_FAILED")
        eventually("the first deployment fails", lambda: self.status("production") in failed)
        left = self.of("production")
        say(f"      | {self.status('production')}, left: {left}")
        done = self.deploy("production")
        expect("the second attempt is deployed", (done.returncode, self.status("production")), (0, "CREATE_COMPLETE"))
        expect("nothing is left of the first", set(left) & set(self.of("production")), set())

    def released(self) -> None:
        """A release is deployed on a machine without Rust, and a changed one is refused."""
        say("\n-- From a release")
        archive = bundle.write(self.folder, ROOT / "target" / "lambda", MACHINES[os.uname().machine])
        done = self.make("deploy", STACK="released", REGION=REGION, YES="1", RELEASE=str(archive))
        if done.returncode != 0:
            say(done.stdout + done.stderr)
        expect("it is deployed without a compiler", (done.returncode, self.status("released")), (0, "CREATE_COMPLETE"))
        installed = Installed(self.stack, lambda name: self.resource("released", name))
        installed.populate()
        expect("it works", installed.receive().startswith("msg_sms_test_"), True)
        sums = archive.with_name(bundle.SUMS)
        sums.write_text(f"{'0' * 64}  {archive.name}\n")
        done = self.make("deploy", STACK="released", REGION=REGION, YES="1", RELEASE=str(archive))
        expect("a changed one is refused", (done.returncode, "does not have the checksum" in done.stderr), (MAKE_FAILED, True))
        done = self.undeploy("released", PURGE="yes", YES="1")
        expect("and removed", done.returncode, 0)

    def removed(self) -> None:
        say("\n-- Removed")
        self.stack.client("s3").put_object(Bucket=self.resource("staging", "Bucket"), Key="media/a", Body=b"a")
        self.secrets.create_secret(Name="staging/profiles/cbp_1", SecretString="{}")
        before = self.of("staging"), self.of("production")
        done = self.undeploy("staging", "stagin\n")
        expect("another name deletes nothing", (done.returncode, self.exists("staging")), (MAKE_FAILED, True))
        done = self.undeploy("", "")
        expect("a stack must be named", (done.returncode, "STACK is missing" in done.stderr), (MAKE_FAILED, True))
        done = self.undeploy("staging", "staging\n")
        expect("the name deletes the stack", (done.returncode, self.exists("staging")), (0, False))
        expect("what holds data is named and kept", (self.of("staging"), all(name in done.stdout for name in before[0])), (before[0], True))
        expect("it says how to delete it", "make undeploy STACK=staging PURGE=yes" in done.stdout, True)
        done = self.undeploy("staging", "staging\n", PURGE="yes")
        expect("PURGE=yes deletes it, after the stack is gone", (done.returncode, self.of("staging")), (0, []))
        expect("the other stack is whole", (self.of("production"), self.status("production")), (before[1], "CREATE_COMPLETE"))
        done = self.undeploy("production", PURGE="yes", YES="1")
        expect("PURGE=yes deletes stack and data at once", (done.returncode, self.exists("production"), self.of("production")), (0, False, []))
        done = self.undeploy("production", YES="1")
        expect("nothing is left", (done.returncode, "left nothing behind" in done.stderr), (MAKE_FAILED, True))


def main() -> None:
    """Runs the drill with the functions that are built."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    LOCAL.mkdir(exist_ok=True)
    with Stack(free_port()) as stack, tempfile.TemporaryDirectory(prefix="drill-") as folder:
        stack.start()
        trial = Trial(stack, Path(folder))
        trial.deployed()
        trial.restreamed()
        trial.failed()
        trial.released()
        trial.removed()
    say("\nAll stacks were deployed and removed.")


if __name__ == "__main__":
    main()
