import gzip
import io
import tarfile
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from tools.operate.steps import Refused
from tools.release import bundle
from tools.stack.project import FUNCTIONS


class Bundles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for function in FUNCTIONS:
            (self.folder / "built" / function).mkdir(parents=True)
            (self.folder / "built" / function / "bootstrap").write_bytes(f"binary of {function}".encode())
        beside = self.folder / "built" / "reference" / "console"
        beside.mkdir()
        (beside / "index.html.gz").write_bytes(b"page")
        for name, value in (("UNPACKED", self.folder / "unpacked"), ("say", mock.Mock())):
            patched = mock.patch.object(bundle, name, value)
            patched.start()
            self.addCleanup(patched.stop)

    def write(self) -> Path:
        return bundle.write(self.folder / "out", self.folder / "built", "arm64")

    def refused(self, archive: Path) -> str:
        with self.assertRaises(Refused) as raised:
            bundle.unpack(archive)
        return str(raised.exception)

    def test_what_is_packaged_is_unpacked(self):
        release = bundle.unpack(self.write())
        self.assertEqual((release.version, release.architecture), (bundle.version(), "arm64"))
        template = release.template.read_text()
        for function in FUNCTIONS:
            self.assertIn(f"CodeUri: functions/{function}.zip\n", template)
            self.assertTrue((release.folder / "functions" / f"{function}.zip").is_file())
        self.assertNotIn("../target", template)

    def test_the_same_files_make_the_same_archive(self):
        first = self.write().read_bytes()
        self.assertEqual(self.write().read_bytes(), first)

    def test_a_changed_file_is_refused(self):
        archive = self.write()
        with tarfile.open(archive) as opened:
            files = [(entry, opened.extractfile(entry).read()) for entry in opened]
        output = io.BytesIO()
        with tarfile.open(fileobj=output, mode="w") as changed:
            for entry, content in files:
                content = content.replace(b"Lambda", b"lambda") if entry.name.endswith("template.yaml") else content
                entry.size = len(content)
                changed.addfile(entry, io.BytesIO(content))
        archive.write_bytes(gzip.compress(output.getvalue()))
        self.assertIn("template.yaml does not have the checksum", self.refused(archive))

    def test_an_archive_that_differs_from_the_list_beside_it_is_refused(self):
        archive = self.write()
        archive.with_name("SHA256SUMS").write_text(f"{'0' * 64}  {archive.name}\n")
        self.assertIn("SHA256SUMS beside it", self.refused(archive))
        renamed = archive.rename(archive.with_name("renamed.tar.gz"))
        self.assertIn("does not name it", self.refused(renamed))

    def test_a_damaged_archive_and_foreign_files_are_refused(self):
        archive = self.write()
        whole = archive.read_bytes()
        archive.write_bytes(whole[:2000])
        self.assertIn("cannot be read", self.refused(archive))
        for place in range(20, len(whole) - 20, len(whole) // 16):
            archive.write_bytes(whole[:place] + bytes([whole[place] ^ 255] * 4) + whole[place + 4 :])
            self.assertIn("Download it again", self.refused(archive))
        with tarfile.open(archive, "w:gz") as opened:
            entry = tarfile.TarInfo("messaging-api/../../evil")
            opened.addfile(entry, io.BytesIO())
        self.assertIn("which no release does", self.refused(archive))

    def test_a_function_that_is_not_built_is_named(self):
        (self.folder / "built" / "sweep" / "bootstrap").unlink()
        with self.assertRaisesRegex(Refused, "sweep/bootstrap does not exist"):
            self.write()
