"""The server says what the scripts say, and finds each mistake. Run with `python3 -B -m unittest discover -q clients/conformance`."""

import subprocess
import sys
import unittest
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from literal import Server, play
from vectors import load_all

Change = Callable[[list[dict]], None]
FOLDER = Path(__file__).parent
VECTORS = load_all()
# Of a family that breaks after each byte, these members are enough for mistakes.
SINGLE = [each for each in VECTORS.values() if not each["name"].endswith(" bytes") or each["name"].endswith((" 0 bytes", " 99 bytes"))]


def exchanges(steps: list[dict]) -> list[dict]:
    return [step for step in steps if "request" in step]


def drop_last(steps: list[dict]) -> None:
    steps.remove(exchanges(steps)[-1])


def repeat_last(steps: list[dict]) -> None:
    steps.append(steps[-1])


def other_path(steps: list[dict]) -> None:
    request = exchanges(steps)[-1]["request"]
    method, target = request["line"].split(" ")
    exchanges(steps)[-1]["request"] = {**request, "line": f"{method} /v2{target}"}


def other_method(steps: list[dict]) -> None:
    request = exchanges(steps)[0]["request"]
    exchanges(steps)[0]["request"] = {**request, "line": "X" + request["line"]}


def other_query(steps: list[dict]) -> None:
    request = exchanges(steps)[-1]["request"]
    exchanges(steps)[-1]["request"] = {**request, "line": request["line"] + ("&" if "?" in request["line"] else "?") + "more=1"}


def set_header(name: str, value: str | None) -> Change:
    def change(steps: list[dict]) -> None:
        request = exchanges(steps)[-1]["request"]
        headers = {**request["headers"], name: value}
        exchanges(steps)[-1]["request"] = {**request, "headers": {each: text for each, text in headers.items() if text is not None}}

    return change


def other_body(steps: list[dict]) -> None:
    request = exchanges(steps)[-1]["request"]
    body = request["body"][:-1] + b"!" if request["body"] else b"!"
    exchanges(steps)[-1]["request"] = {**request, "body": body, "headers": {**request["headers"], "content-length": str(len(body))}}


def other_wait(steps: list[dict]) -> None:
    at = next(at for at, step in enumerate(steps) if "wait" in step)
    steps[at] = {"wait": [steps[at]["wait"][1] + 10] * 2}


def no_wait(steps: list[dict]) -> None:
    steps.remove(next(step for step in steps if "wait" in step))


def one_key(steps: list[dict]) -> None:
    """Sends all requests with the key of the first."""
    first = exchanges(steps)[0]["request"]["headers"]["idempotency-key"]
    for step in exchanges(steps):
        step["request"] = {**step["request"], "headers": {**step["request"]["headers"], "idempotency-key": first}}


def any_script(steps: list[dict]) -> bool:
    return any("expect" in step for step in steps)


def has_wait(steps: list[dict]) -> bool:
    return any("wait" in step for step in steps)


def is_post_again(steps: list[dict]) -> bool:
    expected = [step["expect"] for step in steps if "expect" in step]
    return bool(expected) and expected[-1].get("again", False) and "POST" in expected[0]["request"]


# Mistakes, and the scripts in which they are one.
MISTAKES: dict[str, tuple[Change, Callable[[list[dict]], bool]]] = {
    "the last request is missing": (drop_last, any_script),
    "the last request comes twice": (repeat_last, lambda steps: bool(steps) and "expect" in steps[-1]),
    "another path": (other_path, any_script),
    "another method": (other_method, any_script),
    "one parameter more": (other_query, any_script),
    "another credential": (set_header("authorization", "Bearer other"), any_script),
    "no user agent": (set_header("user-agent", None), lambda steps: any_script(steps) and "/storage/" not in str(steps)),
    "another body": (other_body, any_script),
    "a wait that is too long": (other_wait, has_wait),
    "no wait": (no_wait, has_wait),
    "a POST that is repeated with another key": (set_header("idempotency-key", "other"), is_post_again),
    "a POST that is repeated without a key": (set_header("idempotency-key", None), is_post_again),
}


class Scripts(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        command = [sys.executable, "-B", str(FOLDER / "server.py")]
        cls.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        cls.server = Server(cls.process.stdout.readline().strip())

    @classmethod
    def tearDownClass(cls) -> None:
        cls.process.stdin.close()
        # It ends when its standard input is closed.
        cls.process.wait(10)
        cls.process.stdout.close()

    def play_all(self, vectors: list[dict], change: Change = lambda steps: None) -> dict[str, tuple[dict, list[str]]]:
        """Plays vectors, several at the same time."""
        with ThreadPoolExecutor(8) as pool:
            return dict(zip((each["name"] for each in vectors), pool.map(lambda each: play(self.server, each, change), vectors)))

    def test_each_script_can_be_passed(self) -> None:
        for name, (verdict, faults) in self.play_all(list(VECTORS.values())).items():
            self.assertEqual((verdict["problems"], faults), ([], []), name)
            self.assertTrue(verdict["passed"], name)

    def test_each_mistake_is_found(self) -> None:
        for mistake, (change, is_one) in MISTAKES.items():
            concerned = [vector for vector in SINGLE if is_one(vector["script"])]
            self.assertGreater(len(concerned), 10, mistake)
            for name, (verdict, _) in self.play_all(concerned, change).items():
                self.assertFalse(verdict["passed"], f"{name}: {mistake}")

    def test_two_calls_with_one_key_are_found(self) -> None:
        verdict, _ = play(self.server, VECTORS["two calls have two keys"], one_key)
        self.assertIn("as in an earlier request", verdict["problems"][0])
        self.assertIn("1 messages were sent, but expected 2", verdict["problems"])

    def test_a_message_that_is_sent_twice_is_counted(self) -> None:
        verdict, _ = play(self.server, VECTORS["the key is the same over retries"], set_header("idempotency-key", "other"))
        self.assertIn("2 messages were sent, but expected 1", verdict["problems"])

    def test_a_connection_that_is_not_tried_is_found(self) -> None:
        run = self.server.call("POST", "/runs", {"name": "GET after a refused connection: repeated"})
        verdict = self.server.call("DELETE", f"/runs/{run['run']}")
        self.assertEqual(verdict["problems"], ["the script goes on: expected a refused connection"])

    def test_a_script_of_ones_own(self) -> None:
        script = [{"expect": "GET /v1/health", "respond": 503}, {"wait": 500}, {"expect": "again", "respond": 200}]
        vector = {"name": "own", "calls": [{"method": "health.get", "result": {"empty": True}}], "script": script}
        with self.assertRaisesRegex(ValueError, "health.get"):
            self.server.call("POST", "/runs", {"vector": vector})
        script[2]["respond"] = {"status": 200, "json": {}}
        run = self.server.call("POST", "/runs", {"vector": vector})
        self.assertEqual(run["vector"]["calls"], vector["calls"])
        self.assertNotIn("script", run["vector"])
        verdict = self.server.call("DELETE", f"/runs/{run['run']}")
        self.assertEqual(verdict["problems"], ['the script goes on: expected {"request": "GET /v1/health"}'])

    def test_misspelled_fields_are_refused(self) -> None:
        for script in ([{"expects": "GET /"}], [{"expect": {"request": "GET /", "body": 1}}], [{"expect": "GET /", "respond": {"code": 1}}]):
            vector = {"name": "own", "calls": [{"method": "construct", "result": {"empty": True}}], "script": script}
            with self.assertRaisesRegex(ValueError, "unknown fields"):
                self.server.call("POST", "/runs", {"vector": vector})

    def test_the_list_of_vectors(self) -> None:
        listed = self.server.call("GET", "/vectors")
        self.assertEqual([each["name"] for each in listed], list(VECTORS))
        feed = self.server.call("GET", "/vectors?rule=feed")
        self.assertEqual(feed, [each for each in listed if each["rule"] == "feed"])
        self.assertGreater(len(feed), 10)

    def test_unknown_operations_and_runs_are_refused(self) -> None:
        for method, path in (("GET", "/"), ("POST", "/vectors"), ("DELETE", "/runs/0"), ("POST", "/runs/x/waits")):
            with self.assertRaises(ValueError, msg=path):
                self.server.call(method, path, {"name": "none"})


if __name__ == "__main__":
    unittest.main()
