"""Runs the programs in clients/snippets on a running stack, with the packages that users install.

Usage: python -m tools.ci.snippet_programs BASE_URL

The credentials of the stack are in environment variables. The documentation shows these programs. tools.ci.tour runs the shell
code, which is on the same pages, and tools.ci.library_receivers checks the types.
"""

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tools.ci import python_library, typescript
from tools.ci.steps import Steps, closing
from tools.stack.node import NODE, environment
from tools.stack.project import ROOT, say
from tools.stack.stack import Stack

SOURCE = ROOT / "clients" / "snippets"
# The picture that the tour uploads.
PICTURE = Path("/tmp/dot.png")
# Seconds that a program may take, on a machine that is busy.
PATIENCE = 300
# The command for a program, by its ending, and the folder of a project in which it finds the package.
PROJECTS = {".ts": (NODE, typescript.PROJECT), ".py": (python_library.PROJECT_PYTHON, python_library.FOLDER)}
# Output that a program must have, in each language.
EXPECTED = {
    "create_webhook": ["whk_", "whsec_"],
    "error_codes": ["44 codes"],
    "errors": ["WhatsApp: 131026"],
    "feed": ["Read: "],
    "first_message": ["ACCEPTED Hello! READ"],
    "lists": ["OUTBOUND", "\n2 "],
    "lost_response": ["UNKNOWN resolved: ACCEPTED one message"],
    "mistake": ["invalid_phone_number number "],
    "outcomes": ["UNKNOWN\nACCEPTED\n"],
    "retries": ["One message: msg_wa_test_"],
    "settings": ["Demo "],
    "transport": ["PENDING after 2 requests"],
    "upload": ["media_", " 68 68\n"],
    "user_messages": ["order reaction"],
}


def programs() -> list[Path]:
    """Copies the programs into the projects. Returns the copies."""
    copies = []
    for ending, (_, project) in PROJECTS.items():
        folder = project / "snippets"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        copies += [Path(shutil.copy(path, folder)) for path in sorted(SOURCE.glob(f"*{ending}"))]
    return copies


def fault_of(program: Path, variables: dict[str, str]) -> str:
    """Runs a program. Returns what is wrong with its output; empty if nothing is."""
    command, _ = PROJECTS[program.suffix]
    done = subprocess.run(
        [command, program.name], cwd=program.parent, env=variables, capture_output=True, text=True, check=False,
        timeout=PATIENCE,
    )
    missing = [text for text in EXPECTED[program.stem] if text not in done.stdout]
    if done.returncode == 0 and not missing:
        return ""
    return f"{program.name} exited with code {done.returncode}; missing output: {missing}\n{done.stdout}\n{done.stderr}"


def main() -> None:
    base_url = sys.argv[1].rstrip("/")
    variables = {
        **environment(), "NO_COLOR": "1", "PYTHONDONTWRITEBYTECODE": "1", "MESSAGING_BASE_URL": base_url,
        "MESSAGING_API_KEY": os.environ["TEST_APP_KEY"], "FROM": os.environ["TEST_CHAT_NUMBER_ID"],
    }
    PICTURE.write_bytes(bytes.fromhex(typescript.PHOTO))
    copies = programs()
    with ThreadPoolExecutor(4) as pool:
        faults = list(filter(None, pool.map(lambda program: fault_of(program, variables), copies)))
    for fault in faults:
        say(fault)
    say(closing({"passed": len(copies) - len(faults), "failed": len(faults)}))
    sys.exit(1 if faults else 0)


def on_stack(steps: Steps, stack: Stack, values: dict[str, str]) -> None:
    """Runs the programs as a step. The packages were made for the steps of the libraries, which come before."""
    command = [sys.executable, "-B", "-m", "tools.ci.snippet_programs", stack.base_url]
    needs = (typescript.LIBRARY, python_library.LIBRARY)
    steps.command("Snippets of the documentation", *command, needs=needs, env={**os.environ, **values})


if __name__ == "__main__":
    main()
