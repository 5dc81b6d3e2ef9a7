"""Run a command and say what it took: `python -S measured.py DESCRIPTOR COMMAND...`.

The kernel's figure for the most memory of a process (`ru_maxrss`) begins with that of the process it was started from,
so a command that is started from a large one seems large. This small process stands between the two. It writes the
status, the seconds of the processor and the megabytes that the command took to a descriptor.
"""

import os
import sys


def main(descriptor: int, command: list[str]) -> None:
    """Run the command and write what it took."""
    os.set_inheritable(descriptor, False)
    process = os.posix_spawn(command[0], command, os.environ)
    _, status, usage = os.wait4(process, 0)
    figures = f"{os.waitstatus_to_exitcode(status)} {usage.ru_utime + usage.ru_stime} {usage.ru_maxrss / 1024}"
    os.write(descriptor, figures.encode())


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
