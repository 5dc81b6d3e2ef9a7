"""What Ruby code is not allowed to do, in words: the message says what the call would have done.

Nothing here is needed for safety (a method that is in no table can not be called); it makes the refusal clear.
"""

from __future__ import annotations

from .values import Module, Value

_PROGRAMS = frozenset(
    "system exec spawn fork popen popen2 popen2e popen3 capture2 capture2e capture3 ` syscall".split()
)
_EVALUATION = frozenset(
    "eval instance_eval class_eval module_eval binding instance_variable_get_eval load autoload set_trace_func"
    " trace_var".split()
)
_FILES = frozenset("open sysopen test mkfifo".split())
_OTHER = {
    "at_exit": "runs code after the end",
    "exit": "ends the process",
    "exit!": "ends the process",
    "abort": "ends the process",
    "trap": "catches signals",
    "sleep": "waits",
    "gets": "reads from the terminal",
    "readline": "reads from the terminal",
    "readlines": "reads from the terminal",
    "select": "waits for files",
    "srand": "sets the process's random numbers",
    "object_id": "depends on where an object lies in memory",
    "__id__": "depends on where an object lies in memory",
}
_MODULES = {
    "IO": "runs programs and reads files",
    "Open3": "runs programs",
    "Process": "looks at the process",
    "Socket": "reaches the network",
    "TCPSocket": "reaches the network",
    "UDPSocket": "reaches the network",
    "UNIXSocket": "reaches the network",
    "Net": "reaches the network",
    "Resolv": "reaches the network",
    "OpenURI": "reaches the network",
    "ObjectSpace": "looks at all objects of the process",
    "GC": "looks at the process's memory",
    "Marshal": "makes objects from bytes",
    "Thread": "runs code at the same time",
    "Fiber": "runs code at the same time",
    "Ractor": "runs code at the same time",
    "Mutex": "runs code at the same time",
    "Queue": "runs code at the same time",
    "Signal": "catches signals",
    "TracePoint": "looks into the interpreter",
    "RubyVM": "looks into the interpreter",
    "Binding": "evaluates text",
    "Tempfile": "writes files",
    "FileUtils": "writes files",
    "PTY": "runs programs",
    "Fiddle": "calls machine code",
    "DL": "calls machine code",
    "Win32": "needs Windows",
    "PStore": "writes files",
    "DRb": "reaches the network",
    "Etc": "reads the machine's users",
    "Syslog": "writes to the system's log",
    "WIN32OLE": "needs Windows",
}


def refusal(receiver: Value, name: str) -> str | None:
    """Words for a method that would reach out of the run, or nothing for one that simply is not there."""
    shown = f"{receiver.name}.{name}" if isinstance(receiver, Module) and receiver.name else name
    if name in _PROGRAMS:
        return f"`{shown}` runs a program, which is not allowed"
    if name in _EVALUATION:
        return f"`{shown}` evaluates text as code or opens objects, which is not allowed"
    if name in _FILES:
        return f"`{shown}` opens files or runs programs, which is not allowed"
    words = _OTHER.get(name)
    if words is not None and not isinstance(receiver, (list, dict)):
        return f"`{shown}` {words}, which is not allowed"
    return None


def refused_constant(name: str) -> str | None:
    """The same for a constant."""
    first = name.split("::")[0]
    words = _MODULES.get(first)
    return None if words is None else f"`{name}` {words}, which is not allowed"
