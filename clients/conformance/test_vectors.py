"""The vectors are complete, current and tidy."""

import base64
import hashlib
import hmac
import json
import re
import unittest

from make_requests import DOCUMENT, Document, stale
from tidy import tidy
from vectors import EXAMPLES, FOLDER, expand, files, load, load_all

VECTORS = load_all()
# The subjects of the rules of the libraries, each with one vector at least that only a library with the rule passes.
RULES = {
    "construction": ["key and address from the environment", "options come before the environment", "a function for the key is called again after a 401"],
    "calls": ["a path parameter is one segment, whatever it contains", "a header of a call", "a time limit of a call", "a call that is ended while it waits"],
    "results": ["result: a field that the library does not know", "status, headers and request id"],
    "errors": ["the class of 400", "an error that is a text", "the gateway's body: too large", "HTML from a proxy with 502", "no connection"],
    "retries": ["two retries by default", "full jitter: chance may say not to wait", "Retry-After in seconds", "PATCH after 503: not repeated"],
    "idempotency": ["a POST has a key", "the key is the same over retries", "a key of one's own is kept"],
    "sends": ["an SMS message with the outcome UNKNOWN is a result", "waiting for a status", "waiting for an outcome"],
    "lists": ["items of three pages", "an empty page is not the end", "a single page", "a page is read when it is needed"],
    "webhooks": ["webhooks: a valid delivery", "webhooks: two secrets, of which the second is right", "webhooks: a second too old"],
    "feed": ["events and positions, in this order", "a service that restarts", "from a position on"],
    "media": ["a small file", "a large file: path", "a large file: stream", "progress of a large file"],
    "tests": ["another transport", "another clock: a day has no length"],
}
CLASSES = {
    "authentication", "permission", "not_found", "conflict", "invalid_request", "rate_limit", "provider", "unavailable", "internal",
    "connection", "timeout", "webhook_verification", "usage",
}  # fmt: skip
METHODS_OF_LIBRARIES = {"chat.messages.waitFor", "sms.waitFor", "media.upload", "events.follow", "webhooks.verify", "construct"}


def calls() -> list[dict]:
    return [call for vector in VECTORS.values() for call in vector["calls"]]


class Completeness(unittest.TestCase):
    def test_each_rule_has_its_vectors(self) -> None:
        self.assertEqual({vector["rule"] for vector in VECTORS.values()}, set(RULES))
        for rule, names in RULES.items():
            for name in names:
                self.assertEqual(VECTORS[name]["rule"], rule, name)

    def test_each_operation_has_one_request_with_all_its_parameters(self) -> None:
        document = Document(json.loads(DOCUMENT.read_text()))
        operations = {operation["operationId"]: operation for _, _, operation in document.operations()}
        found = {vector["calls"][0]["method"]: vector for vector in load(FOLDER / "requests.json")}
        self.assertEqual(set(found), set(operations))
        self.assertGreater(len(found), 100)
        for name, vector in found.items():
            (call,), (step,) = vector["calls"], vector["script"]
            for place in ("path", "query"):
                given = [parameter["name"] for parameter in document.parameters(operations[name], place)]
                self.assertEqual(list(call.get(place, {})), given, name)
            self.assertEqual("body" in call or "file" in call.get("arguments", {}), "requestBody" in operations[name], name)
            self.assertNotIn("{", step["expect"]["request"], name)

    def test_calls_name_operations_or_methods_of_the_libraries(self) -> None:
        document = Document(json.loads(DOCUMENT.read_text()))
        known = {operation["operationId"] for _, _, operation in document.operations()} | METHODS_OF_LIBRARIES
        self.assertEqual({call["method"] for call in calls()} - known, set())

    def test_each_class_of_errors_comes_and_no_other(self) -> None:
        self.assertEqual({call["result"]["error"]["class"] for call in calls() if "error" in call["result"]}, CLASSES)

    def test_a_family_has_a_member_for_each_byte(self) -> None:
        for family in ("a response that breaks after any byte, and one message", "a chunked response that breaks"):
            members = [vector for name, vector in VECTORS.items() if re.fullmatch(re.escape(family) + r", \d+ bytes", name)]
            lengths = [vector["script"][0]["respond"]["breakAfter"] for vector in members]
            self.assertEqual(lengths, list(range(len(lengths))))
            self.assertGreater(len(lengths), 100)


class Files(unittest.TestCase):
    def test_requests_are_those_of_the_document(self) -> None:
        self.assertEqual(stale(), [], "run python3 -B clients/conformance/make_requests.py")

    def test_files_are_tidy(self) -> None:
        for path in [*files(), EXAMPLES]:
            self.assertEqual(path.read_text(), tidy(json.loads(path.read_text())), f"{path.name}: run python3 -B clients/conformance/tidy.py")

    def test_misspelled_fields_are_refused(self) -> None:
        right = {"name": "a", "calls": [{"method": "construct", "result": {"empty": True}}]}
        self.assertEqual(len(expand(right, "tests", {})), 1)
        for wrong in ({"scripts": []}, {"calls": [{"methods": "construct", "result": {}}]}, {"calls": [{"method": "construct", "result": {"values": 1}}]}):
            with self.assertRaisesRegex(ValueError, "unknown fields"):
                expand({**right, **wrong}, "tests", {})


class Signatures(unittest.TestCase):
    """make_signatures.py asks the published library; this only finds files that were edited."""

    def test_valid_deliveries_are_signed_and_others_are_not(self) -> None:
        verdicts = []
        for vector in load(FOLDER / "signatures.json"):
            (call,) = vector["calls"]
            verdicts.append(is_signed(call["arguments"], vector["now"] // 1000))
            self.assertEqual(verdicts[-1], "value" in call["result"], vector["name"])
        self.assertGreater(min(verdicts.count(True), verdicts.count(False)), 10)


def is_signed(arguments: dict, now: int) -> bool:
    headers = {name.lower(): value for name, value in arguments["headers"].items()}
    delivery, time, signatures = (headers.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature"))
    if not (delivery and re.fullmatch(r"\d+", time) and abs(now - int(time)) <= arguments.get("tolerance", 300)):
        return False
    keys = [base64.b64decode(secret.removeprefix("whsec_")) for secret in arguments["secrets"]]
    signed = f"{delivery}.{time}.{arguments['body']}".encode()
    right = ["v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode() for key in keys if key]
    return bool(set(right) & set(signatures.split(" ")))


if __name__ == "__main__":
    unittest.main()
