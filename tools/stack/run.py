"""`make run`: builds and starts the local stack, creates demo data, shows the functions' logs, and stops on Ctrl-C."""

import os

from tools.stack.project import say
from tools.stack.stop import Stop


def main() -> None:
    # Before anything else, including the import of the AWS client: from here on, Ctrl-C cannot get lost.
    stop = Stop.on_signals()
    from tools.stack.serve import serve

    try:
        serve(int(os.environ.get("PORT", "4566")), stop)
    except BaseException:
        # Ignore errors that are caused by stopping.
        if not stop.requested.is_set():
            raise
    say("\nStopped.")


if __name__ == "__main__":
    main()
