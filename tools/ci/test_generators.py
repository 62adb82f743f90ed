import json
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path
from unittest import mock

from tools.ci.generators import __main__ as generators
from tools.ci.generators.operations import camel_case, differences, faults, operation_ids, snake_case
from tools.stack.node import NODE, environment

DOCUMENT = {
    "paths": {
        "/v1/chat/messages": {
            "parameters": [],
            "get": {"operationId": "chat.messages.list"},
            "post": {"operationId": "chat.messages.markRead"},
        },
        "/": {"get": {"operationId": "health.get", "x-internal": True}},
    }
}
PYTHON = ("messages/chat_messages_list", "messages/chat_messages_mark_read", "reference/health_get")
SDK = """\
import { client } from './client.gen';
export const chatMessagesList = <ThrowOnError extends boolean = false>(options: Options) => {};
export const chatMessagesMarkRead = <ThrowOnError extends boolean = false>(options: Options) => {};
export const healthGet = <ThrowOnError extends boolean = false>(options?: Options) => {};
"""
SCHEMA = """\
export interface paths {
    "/v1/chat/messages": {
        get: operations["chat.messages.list"];
        put?: never;
        post: operations["chat.messages.markRead"];
    };
    "/": {
        get: operations["health.get"];
    };
}
export interface webhooks {
    "message": {
        post: operations["onMessage"];
    };
}
"""


class InAFolder(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


class Operations(InAFolder):
    def setUp(self) -> None:
        super().setUp()
        self.write("openapi.json", json.dumps(DOCUMENT))
        self.write("hey/sdk.gen.ts", SDK)
        self.write("schema.d.ts", SCHEMA)
        for module in PYTHON:
            self.write(f"{self.module(module)}", "def sync_detailed(\n")
        self.write(self.module("messages/__init__"), '"""Contains endpoint functions"""')

    @staticmethod
    def module(name: str) -> str:
        return f"messaging-api-client/messaging_api_client/api/{name}.py"

    def test_names(self) -> None:
        ids = ["chat.messages.list", "chat.messages.markRead", "health.get"]
        self.assertEqual(operation_ids(DOCUMENT), ids)
        self.assertEqual(snake_case("chat.phoneNumbers.blockedUsers.list"), "chat_phone_numbers_blocked_users_list")
        self.assertEqual(camel_case("chat.phoneNumbers.blockedUsers.list"), "chatPhoneNumbersBlockedUsersList")

    def test_complete_clients_have_no_faults(self) -> None:
        self.assertEqual(faults(self.folder), [])

    def test_a_missing_operation_is_found_in_each_client(self) -> None:
        (self.folder / self.module(PYTHON[1])).unlink()
        self.write("hey/sdk.gen.ts", SDK.replace("export const chatMessagesMarkRead", "const chatMessagesMarkRead"))
        self.write("schema.d.ts", SCHEMA.replace('post: operations["chat.messages.markRead"]', "post?: never"))
        found = [
            "openapi-python-client did not generate chat_messages_mark_read.",
            "openapi-ts did not generate chatMessagesMarkRead.",
            "openapi-typescript did not generate chat.messages.markRead.",
        ]
        self.assertEqual(faults(self.folder), found)

    def test_a_name_that_a_generator_had_to_change_is_found(self) -> None:
        expected, found = Counter(["smsList", "smsList"]), Counter(["smsList", "smsList2"])
        messages = [
            "openapi-ts did not generate smsList.",
            "openapi-ts generated smsList2, which is not the name of an operation.",
        ]
        self.assertEqual(differences("openapi-ts", expected, found), messages)


class Commands(InAFolder):
    def run_python(self, code: str) -> None:
        with mock.patch.object(generators, "FOLDER", self.folder), mock.patch.object(generators, "say"):
            generators.run((sys.executable, "-c", code))

    def test_silence_and_progress_are_fine(self) -> None:
        self.run_python("print('Generating ...')")

    def test_warnings_and_exit_codes_are_failures(self) -> None:
        with self.assertRaisesRegex(SystemExit, "exit code 0, and this output:\nbefore\nWarning: x"):
            self.run_python("import sys; print('before', flush=True); print('Warning: x', file=sys.stderr)")
        with self.assertRaisesRegex(SystemExit, "exit code 3"):
            self.run_python("raise SystemExit(3)")


class Resolution(InAFolder):
    def test_node_runs_typescript_whose_imports_have_no_ending(self) -> None:
        self.write("package.json", '{"type": "module"}')
        self.write("hey/index.ts", 'export { word } from "./word.gen";\n')
        self.write("hey/word.gen.ts", 'export const word: string = "found";\n')
        self.write("main.ts", 'import { word } from "./hey";\nconsole.log(word);\n')
        command = [NODE, *generators.NODE[1:], "main.ts"]
        done = subprocess.run(
            command, cwd=self.folder, env=environment(), capture_output=True, text=True, check=False
        )
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "found\n", ""))


if __name__ == "__main__":
    unittest.main()
