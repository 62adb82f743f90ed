"""Tests of `make delete-organization`."""

import unittest

from tools.operate.deletion import PAUSE, finish


class Deletion(unittest.TestCase):
    def test_it_is_repeated_until_it_is_done_and_waits_only_when_nothing_moves(self):
        replies = [("RUNNING", 1), ("RUNNING", 2), ("RUNNING", 2), ("RUNNING", 3), ("DONE", 3)]
        replies = iter([{"status": status, "deleted": {"messages": count}} for status, count in replies])
        pauses, said = [], []
        receipt = finish(lambda: next(replies), pauses.append, said.append)
        self.assertEqual((receipt["status"], pauses, len(said)), ("DONE", [PAUSE], 4))

    def test_what_it_waits_for_is_said(self):
        waiting = {"status": "RUNNING", "deleted": {}, "stillConnected": ["102290129340398"]}
        replies, said = iter([waiting, waiting, {"status": "DONE", "deleted": {}}]), []
        finish(lambda: next(replies), lambda _: None, said.append)
        self.assertIn("102290129340398", said[1])

    def test_a_step_that_fails_is_named_each_time_and_repeated(self):
        failing = {"status": "RUNNING", "deleted": {}, "failed": [{"step": "templates", "reason": "Something went wrong on our side."}]}
        replies, pauses, said = iter([failing, failing, {"status": "DONE", "deleted": {}}]), [], []
        finish(lambda: next(replies), pauses.append, said.append)
        self.assertEqual((len([text for text in said if "The step templates failed" in text]), pauses), (2, [PAUSE]))


if __name__ == "__main__":
    unittest.main()
