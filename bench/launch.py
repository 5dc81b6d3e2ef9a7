"""Start a command and tell what it used: `python -S -E launch.py FILE COMMAND...`; FILE gets status, seconds and kB.

The most memory that a process had is counted from the moment it was split off, when it still is its parent: of a parent
with a large heap every child seems large. So a process that has read nothing stands between, and waits.
"""

import os
import sys


def main() -> None:
    """Start it, wait, write; end as it ended."""
    kept, *command = sys.argv[1:]
    child = os.posix_spawnp(command[0], command, os.environ)
    _, status, usage = os.wait4(child, 0)
    code = os.waitstatus_to_exitcode(status)
    with open(kept, "w", encoding="ascii") as file:
        file.write(f"{code} {usage.ru_utime + usage.ru_stime} {usage.ru_maxrss}\n")
    sys.exit(code if code >= 0 else 128 - code)


if __name__ == "__main__":
    main()
