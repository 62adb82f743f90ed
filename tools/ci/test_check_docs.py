import tempfile
import unittest
from pathlib import Path

from tools.ci.check_docs import adr_faults

FIRST = "| [1](0001-table.md) | One table | accepted | 2026-11-21 |"
SECOND = "| [2](0002-queues.md) | Two queues | accepted | 2026-11-22 |"


class Adrs(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name: str, title: str, status: str) -> None:
        (self.folder / name).write_text(f"# {title}\n\n{status}\n\n**Context.** …\n")

    def faults(self, first: str, second: str = "accepted, 2026-11-22", index: tuple[str, ...] = (FIRST, SECOND)) -> list[str]:
        """Returns the faults of two ADRs with these status lines, and an index with these rows."""
        self.write("0001-table.md", "1. One table", f"Status: {first}.")
        self.write("0002-queues.md", "2. Two queues", f"Status: {second}.")
        rows = "\n".join(["| number | title | status | date |", "|---|---|---|---|", *index])
        (self.folder / "README.md").write_text(f"# Decisions\n\n{rows}\n")
        return adr_faults(self.folder)

    def assert_one(self, faults: list[str], *texts: str) -> None:
        self.assertEqual(len(faults), 1, faults)
        for text in texts:
            self.assertIn(text, faults[0])

    def test_status_lines_that_agree_with_the_index(self) -> None:
        rewritten = "accepted, 2026-11-21; rewritten in place, 2026-11-23: `size()` counts, too"
        for first in ("accepted, 2026-11-21", rewritten, f"{rewritten}; rewritten in place, 2026-11-24: again"):
            self.assertEqual(self.faults(first), [], first)

    def test_other_forms_of_the_line(self) -> None:
        for first in (
            "Accepted, 2026-11-21",
            "accepted, 21 November 2026",
            "accepted, 2026-11-21.",
            "accepted, 2026-11-21; proposed",
            "accepted, 2026-11-21; rewritten in place, 2026-11-23",
            "accepted, 2026-11-21; amended by ADR 2, 2026-11-22: queues",
            "accepted, 2026-11-21; amended by [ADR 2](0002-queues.md), 2026-11-22",
            "superseded by [ADR 2](0002-queues.md), 2026-11-22",
            "accepted, 2026-11-21; rewritten in place, 2026-11-20: earlier than it was added",
            "accepted, 2026-11-21\nand another line",
        ):
            self.assert_one(self.faults(first, index=(SECOND,)), "docs/adr/0001-table.md", "line 3 must be a status line")

    def test_an_adr_without_a_line(self) -> None:
        self.faults("accepted, 2026-11-21")
        for text in ("", "# 1. One table\n", "# 1. One table\n\n**Context.** …\n"):
            (self.folder / "0001-table.md").write_text(text)
            self.assertIn("docs/adr/0001-table.md: ", adr_faults(self.folder)[0])

    def test_number_and_name(self) -> None:
        self.faults("accepted, 2026-11-21")
        self.write("0003-more.md", "4. More", "Status: accepted, 2026-11-22.")
        self.assert_one(adr_faults(self.folder), "docs/adr/0003-more.md", "the same number")
        self.write("0003-more.md", "3. More", "Status: accepted, 2026-11-22.")
        self.assert_one(adr_faults(self.folder), "lacks this row: | [3](0003-more.md) | More | accepted | 2026-11-22 |")
        (self.folder / "0003-more.md").unlink()
        self.write("0002-more.md", "2. More", "Status: accepted, 2026-11-22.")
        self.assertIn("docs/adr/0002-queues.md: 0002-more.md has the same number.", adr_faults(self.folder))

    def test_an_index_that_differs(self) -> None:
        for wrong in (
            SECOND.replace("2026-11-22", "2026-11-23"),
            SECOND.replace("accepted", "amended"),
            SECOND.replace("Two queues", "Three queues"),
        ):
            faults = self.faults("accepted, 2026-11-21", index=(FIRST, wrong))
            self.assertEqual(faults[0], f"docs/adr/README.md lacks this row: {SECOND}")
            self.assertEqual(faults[1], f"docs/adr/README.md has a row that no ADR has: {wrong}")
            self.assertEqual(len(faults), 2)
        self.assert_one(self.faults("accepted, 2026-11-21", index=(FIRST,)), "lacks this row")
        self.assert_one(self.faults("accepted, 2026-11-21", index=(SECOND, FIRST)), "order of the numbers")
        self.assert_one(self.faults("accepted, 2026-11-21", index=(FIRST, SECOND, SECOND)), "twice")

    def test_links_both_ways(self) -> None:
        amended = "accepted, 2026-11-21; amended by [ADR 2](0002-queues.md), 2026-11-22: lists"
        row = FIRST.replace("accepted", "amended by [ADR 2](0002-queues.md)")
        self.assertEqual(self.faults(amended, "accepted, 2026-11-22; amends [ADR 1](0001-table.md)", (row, SECOND)), [])
        superseded = f"{amended}; superseded by [ADR 2](0002-queues.md), 2026-11-22"
        both = "accepted, 2026-11-22; amends [ADR 1](0001-table.md); supersedes [ADR 1](0001-table.md)"
        row = row.replace("amended", "superseded")
        self.assertEqual(self.faults(superseded, both, (row, SECOND)), [])

    def test_links_one_way(self) -> None:
        row = FIRST.replace("accepted", "superseded by [ADR 2](0002-queues.md)")
        superseded = "accepted, 2026-11-21; superseded by [ADR 2](0002-queues.md), 2026-11-22"
        supersedes = "accepted, 2026-11-22; supersedes [ADR 1](0001-table.md)"
        self.assert_one(self.faults("accepted, 2026-11-21", supersedes), "0002-queues.md: it supersedes ADR 1, so 0001-table.md")
        self.assert_one(self.faults(superseded, index=(row, SECOND)), "0001-table.md: it is superseded by ADR 2, so 0002-queues.md")
        amends = supersedes.replace("supersedes", "amends")
        self.assertEqual(len(self.faults(superseded, amends, (row, SECOND))), 2)

    def test_links_to_nothing(self) -> None:
        for other in ("[ADR 3](0003-none.md)", "[ADR 3](0001-table.md)", "[ADR 1](0003-none.md)"):
            self.assert_one(self.faults("accepted, 2026-11-21", f"accepted, 2026-11-22; supersedes {other}"), "0002-queues.md: it supersedes")

    def test_the_date_of_the_other_one(self) -> None:
        row = FIRST.replace("accepted", "amended by [ADR 2](0002-queues.md)")
        amended = "accepted, 2026-11-21; amended by [ADR 2](0002-queues.md), 2026-11-24: lists"
        faults = self.faults(amended, "accepted, 2026-11-22; amends [ADR 1](0001-table.md)", (row, SECOND))
        self.assertEqual(faults, ["docs/adr/0001-table.md: the date of ADR 2 is 2026-11-22, not 2026-11-24."])


if __name__ == "__main__":
    unittest.main()
