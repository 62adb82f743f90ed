"""Prints docs/aws-limits.md: `python -m tools.guard.rules --markdown`."""

import sys

from .markdown import markdown

if sys.argv[1:] != ["--markdown"]:
    sys.exit("Usage: python -m tools.guard.rules --markdown")
sys.stdout.write(markdown())
