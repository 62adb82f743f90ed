"""Runs the README's tour, line by line as it stands there, against a running stack."""

import subprocess
import sys

from check_docs import ROOT, tour


def main() -> None:
    environment = sys.argv[1]
    script = tour().replace(". .local/env", f". {environment}")
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    expected = ["the same picture", '"secret": "whsec_', '"INBOUND"', "invalid_phone_number", "Invalid credentials", '"added": 4', '"removed": 1', "Three pairs, please", "1158201444", "messages.chat.received Did you hear me?", '"DELIVERED"']
    missing = [text for text in expected if text not in done.stdout]
    if done.returncode != 0 or missing:
        sys.exit(f"The tour ended with {done.returncode}; missing: {missing}\n{done.stdout}\n{done.stderr}")


if __name__ == "__main__":
    main()
