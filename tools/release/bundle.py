"""The archive of a release that `make deploy RELEASE=<file>` deploys: the template, and beside it the code of all functions for one
processor architecture. No compiler is needed, and every file is checked before anything is deployed."""

import gzip
import hashlib
import io
import json
import re
import shutil
import tarfile
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path

from tools.operate.steps import Refused
from tools.stack.archives import CODE
from tools.stack.project import FUNCTIONS, ROOT, say

TEMPLATE, FACTS, SUMS = "template.yaml", "release.json", "SHA256SUMS"
# Of every file in an archive, so that equal content makes equal archives: the first moment that zip files know.
MOMENT, SECONDS = (1980, 1, 1, 0, 0, 0), 315532800
EXECUTABLE, READABLE = 0o755, 0o644
# Releases that were unpacked for a deployment.
UNPACKED = ROOT / ".deploy" / "releases"


@dataclass(frozen=True)
class Release:
    """A release that was unpacked, and whose files have the right checksums."""

    folder: Path
    version: str
    architecture: str

    @property
    def template(self) -> Path:
        return self.folder / TEMPLATE


def version() -> str:
    """Returns the version of the workspace."""
    return re.search(r'(?m)^version = "([^"]+)"$', (ROOT / "Cargo.toml").read_text())[1]


def write(folder: Path, built: Path, architecture: str) -> Path:
    """Packages the functions in `built`, which has a folder with each. Returns the archive in `folder`."""
    name = f"messaging-api-{version()}-{architecture}"
    facts = {"name": "messaging-api", "version": version(), "architecture": architecture}
    files = {TEMPLATE: packaged_template(), FACTS: json.dumps(facts, indent=2).encode() + b"\n"}
    files |= {f"functions/{function}.zip": code(built / function) for function in FUNCTIONS}
    files[SUMS] = "".join(f"{digest(content)}  {path}\n" for path, content in files.items()).encode()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.tar.gz"
    draft = path.with_suffix(".draft")
    with draft.open("wb") as output, gzip.GzipFile(filename="", mode="wb", fileobj=output, mtime=SECONDS) as packed:
        with tarfile.open(fileobj=packed, mode="w") as archive:
            for place, content in files.items():
                entry = tarfile.TarInfo(f"{name}/{place}")
                entry.size, entry.mode, entry.mtime = len(content), READABLE, SECONDS
                archive.addfile(entry, io.BytesIO(content))
    draft.replace(path)
    return path


def packaged_template() -> bytes:
    """Returns the template, whose code lies beside it."""
    text, count = CODE.subn(r"\1functions/\2.zip", (ROOT / "infra" / TEMPLATE).read_text())
    if count != len(FUNCTIONS):
        raise Refused(f"The template names the code of {count} functions instead of {len(FUNCTIONS)}.")
    return text.encode()


def code(folder: Path) -> bytes:
    """Returns a function's binary, and whatever lies beside it, as a zip archive."""
    bootstrap = folder / "bootstrap"
    if not bootstrap.is_file():
        raise Refused(f"{bootstrap} does not exist. Run `make build` first.")
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for file in sorted(path for path in folder.rglob("*") if path.is_file()):
            entry = zipfile.ZipInfo(str(file.relative_to(folder)), MOMENT)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100000 | (EXECUTABLE if file == bootstrap else READABLE)) << 16
            archive.writestr(entry, file.read_bytes())
    return output.getvalue()


def unpack(archive: Path) -> Release:
    """Unpacks a release and checks it: against the list of checksums beside it, if there is one, and against the one in it."""
    if not archive.is_file():
        raise Refused(f"RELEASE={archive} is not a file.")
    content = archive.read_bytes()
    check_beside(archive, digest(content))
    files = read(archive, content)
    sums = read_sums(files.pop(SUMS, b"").decode(errors="replace"))
    for path, found in files.items():
        if sums.get(path) != digest(found):
            raise Refused(f"{archive.name}: {path} does not have the checksum that the release names. Download it again.")
    if missing := sorted(set(sums) - set(files)):
        raise Refused(f"{archive.name} lacks {missing[0]}. Download it again.")
    folder = UNPACKED / digest(content)[:16]
    shutil.rmtree(folder, ignore_errors=True)
    for path, found in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(found)
    facts = json.loads(files.get(FACTS, b"{}"))
    if facts.get("name") != "messaging-api" or TEMPLATE not in files:
        raise Refused(f"{archive.name} is no release of this API.")
    return Release(folder, facts["version"], facts["architecture"])


def check_beside(archive: Path, found: str) -> None:
    """Checks the archive against the list of checksums that is published with it. The list in the archive says nothing about where
    it comes from."""
    beside = archive.with_name(SUMS)
    if not beside.is_file():
        say(f"There is no {SUMS} beside {archive.name}, so only the files in it are checked, and not where it comes from.")
        return
    expected = read_sums(beside.read_text()).get(archive.name)
    if expected is None:
        raise Refused(f"{SUMS} beside {archive.name} does not name it. Keep the file names of the release.")
    if expected != found:
        raise Refused(f"{archive.name} does not have the checksum that {SUMS} beside it names. Download both again.")


def read(archive: Path, content: bytes) -> dict[str, bytes]:
    """Returns the regular files in an archive by their paths, without the folder that all of them are in."""
    files = {}
    try:
        with tarfile.open(fileobj=io.BytesIO(content), mode="r:gz") as opened:
            for entry in opened:
                path = entry.name.partition("/")[2]
                # Nothing leaves the folder, and nothing is anything but a file.
                if not entry.isfile() or not re.fullmatch(r"[\w./-]+", path) or ".." in path or path.startswith("/"):
                    raise Refused(f"{archive.name} contains {entry.name!r}, which no release does.")
                files[path] = opened.extractfile(entry).read()
    except (tarfile.TarError, zlib.error, EOFError, OSError) as error:
        raise Refused(f"{archive.name} cannot be read: {error}. Download it again.") from error
    return files


def read_sums(text: str) -> dict[str, str]:
    lines = (line.split("  ", 1) for line in text.splitlines() if "  " in line)
    return {path: found for found, path in lines}


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
