"""The command line: one module per command, loaded when it is called."""

INTERRUPTED = 130
"""The exit status of a command that was interrupted."""
