"""`make run`: builds, starts and fills the local stack, shows the functions' logs, and stops everything on Ctrl-C."""

import os

from tools.stack.project import say
from tools.stack.stop import Stop


def main() -> None:
    # Before anything else, the import of the AWS client included: from here on Ctrl-C cannot get lost.
    stop = Stop.on_signals()
    from tools.stack.serve import serve

    try:
        serve(int(os.environ.get("PORT", "4566")), stop)
    except BaseException:
        # What fails because everything is being stopped is no failure.
        if not stop.requested.is_set():
            raise
    say("\nStopped.")


if __name__ == "__main__":
    main()
