"""The functions' code as zip archives, for the local stack. `sam deploy` uploads an archive as it is, but would compress a
folder in every deployment, which took three quarters of its time (docs/adr/0031-test-time.md)."""

import json
import re
import zipfile
from pathlib import Path

from tools.stack.project import LOCAL, ROOT

FOLDER = LOCAL / "built"
# Fast rather than small: nothing travels over a network.
COMPRESSION_LEVEL = 1
CODE = re.compile(r"(?m)^(\s+CodeUri: )\.\./target/lambda/(\w+)/$")


def archive_of(function: str) -> Path:
    return FOLDER / f"{function}.zip"


def console_of(bootstrap: Path) -> list[Path]:
    """Returns the console's files beside a binary: one function has them, if the console was built."""
    return sorted((bootstrap.parent / "console").glob("*.gz"))


def write_archive(function: str, bootstrap: Path) -> None:
    """Replaces the archive, whole at any time: another deployment may be reading it."""
    path = archive_of(function)
    draft = path.with_suffix(".draft")
    with zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED, compresslevel=COMPRESSION_LEVEL) as archive:
        for file in [bootstrap, *console_of(bootstrap)]:
            archive.write(file, file.relative_to(bootstrap.parent))
    draft.replace(path)


def template_of_archives() -> str:
    """Returns infra/template.yaml with the archives in place of the folders."""
    text = (ROOT / "infra" / "template.yaml").read_text()
    # JSON strings are YAML strings, whatever characters the path has.
    return CODE.sub(lambda found: found[1] + json.dumps(str(archive_of(found[2]))), text)
