"""Lets this process hold as many connections as the tests open."""

import resource

FILES = 16_384


def allow_connections() -> None:
    """Raises the limit of open files.

    The tests' clients keep their connections open. The guard needs two open files for each of them, and many systems
    allow a process no more than 1,024.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < FILES:
        wanted = FILES if hard == resource.RLIM_INFINITY else min(FILES, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
