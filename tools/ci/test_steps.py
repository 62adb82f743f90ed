import contextlib
import io
import json
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

from tools.ci.steps import Counted, Failed, Skipped, Steps, count
from tools.stack.stop import Stop, Stopped

CARGO = """
test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.1s
test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.1s
"""


class Runner(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.output = io.StringIO()
        redirected = contextlib.ExitStack()
        redirected.enter_context(contextlib.redirect_stdout(self.output))
        self.addCleanup(redirected.close)
        self.stop = Stop()
        self.steps = Steps("test", self.stop, self.folder)

    def python(self, title: str, code: str, **options: object) -> bool:
        return self.steps.command(title, sys.executable, "-c", code, **options)

    def lines(self) -> list[str]:
        return self.output.getvalue().splitlines()

    def test_all_pass(self) -> None:
        self.assertTrue(self.steps.run("One", lambda: "a note"))
        self.assertTrue(self.python("Two", "print('hidden')"))
        self.assertEqual(self.steps.finish(), 0)
        output = self.output.getvalue()
        for text in ("== One\n", "   One: passed, 0 s (a note)\n", "== Two\n", "make test:\n"):
            self.assertIn(text, output)
        self.assertNotIn("hidden", output)
        self.assertEqual(self.lines()[-1], "2 passed, 0 failed")
        self.assertEqual(json.loads((self.folder / "test.json").read_text()), {"passed": 2, "failed": 0})

    def test_it_goes_on_after_a_failure_but_not_with_what_needs_it(self) -> None:
        self.assertFalse(self.python("Build", "print('why'); raise SystemExit(3)"))
        self.assertFalse(self.steps.run("Tests", self.fail, needs=("Build",)))
        self.assertFalse(self.steps.run("Answers", self.fail, needs=("Tests",)))
        self.assertTrue(self.steps.run("Docs", lambda: None))
        self.assertEqual(self.steps.finish(), 1)
        output = self.output.getvalue()
        self.assertIn("why\n\nBuild exited with code 3.\n", output)
        self.assertIn("not run          Tests: needs: Build\n", output)
        self.assertRegex(output, r"failed +0 s  Build: why Build exited with code 3\.\n")
        self.assertNotIn("== Tests", output)
        self.assertEqual(self.lines()[-1], "1 passed, 1 failed")

    def test_a_need_that_never_ran_is_not_met(self) -> None:
        self.assertFalse(self.steps.run("Tests", self.fail, needs=("Build",)))

    def test_reasons_of_failures(self) -> None:
        def broken() -> None:
            raise ValueError("unforeseen")

        self.steps.run("One", lambda: sys.exit("said so"))
        self.steps.run("Two", broken)
        self.assertEqual(self.steps.finish(), 1)
        output = self.output.getvalue()
        self.assertIn("\nsaid so\n", output)
        self.assertIn("in broken\n", output)
        self.assertIn("ValueError: unforeseen", output)

    def test_what_cannot_be_run_is_neither_passed_nor_failed(self) -> None:
        def skipped() -> None:
            raise Skipped("There is no browser.")

        self.assertFalse(self.steps.run("Pages", skipped))
        self.assertEqual(self.steps.finish(), 0)
        self.assertIn("skipped          Pages: There is no browser.\n", self.output.getvalue())
        self.assertEqual(self.lines()[-1], "0 passed, 0 failed")

    def test_tests_are_counted(self) -> None:
        self.python("Good", f"print({CARGO.replace('2 failed', '0 failed')!r})")
        self.python("Bad", f"print({CARGO!r}); exit(101)")
        self.steps.run("Own", lambda: Counted(5))
        self.assertEqual(self.steps.finish(), 1)
        self.assertEqual(self.lines()[-1], "35 passed, 2 failed")

    def test_a_failure_without_a_failed_test_counts_as_one(self) -> None:
        self.python("Crashed", "print('test result: ok. 4 passed; 0 failed'); exit(1)")
        self.steps.finish()
        self.assertEqual(self.lines()[-1], "4 passed, 1 failed")

    def test_lanes_run_side_by_side(self) -> None:
        meeting = threading.Barrier(2, timeout=10)
        self.steps.together(
            lambda: self.steps.run("Left", lambda: str(meeting.wait())),
            lambda: self.steps.run("Right", lambda: str(meeting.wait())),
        )
        self.assertEqual({each.result for each in self.steps.outcomes.values()}, {"passed"})

    def test_a_stop_ends_the_command_and_all_lanes(self) -> None:
        threading.Timer(0.5, self.stop.request).start()
        started = time.monotonic()
        with self.assertRaises(Stopped):
            self.steps.together(
                lambda: self.python("Left", "import time; time.sleep(60)"),
                lambda: self.python("Right", "import time; time.sleep(60)"),
            )
        self.assertLess(time.monotonic() - started, 30)
        with self.assertRaises(Stopped):
            self.steps.run("After", self.fail)
        self.assertEqual(self.steps.finish(), 130)

    def test_counts_of_runners(self) -> None:
        self.assertEqual(count(CARGO), Counted(15, 2))
        self.assertEqual(count("...\nRan 7 tests in 0.1s\n\nOK\n"), Counted(7))
        failed = "Ran 7 tests in 0.1s\n\nFAILED (failures=1, errors=2, skipped=1)\n"
        self.assertEqual(count(failed), Counted(3, 3))
        self.assertEqual(count("ℹ tests 3\nℹ pass 2\nℹ fail 1\nℹ cancelled 0\n"), Counted(2, 1))
        self.assertEqual(count("express.ts, an old delivery: …\n\n5 passed, 1 failed\n"), Counted(5, 1))
        self.assertIsNone(count("Finished"))

    def test_failed_carries_its_text(self) -> None:
        def broken() -> None:
            raise Failed("a rule is broken")

        self.steps.run("Rules", broken)
        self.assertIn("\na rule is broken\n", self.output.getvalue())


if __name__ == "__main__":
    unittest.main()
