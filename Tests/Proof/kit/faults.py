"""Faults at system calls, made by strace: a trace tells which calls a program makes, then each gets a fault in turn."""

import dataclasses
import pathlib
import re
import shutil
import subprocess

STRACE = shutil.which("strace", path="/usr/bin:/bin:/usr/local/bin")
LINE = re.compile(r"^(?:\[pid\s+\d+\] |\d+\s+)?(\w+)\((.*)$")
INJECTED = "(INJECTED"


def unavailable():
    """Why strace cannot be used here, or None."""
    if STRACE is None:
        return "there is no strace"
    done = subprocess.run([STRACE, "-qq", "-e", "trace=none", "/bin/true"], capture_output=True, check=False)
    return None if done.returncode == 0 else f"strace cannot trace here: {done.stderr.decode().strip()[:200]}"


@dataclasses.dataclass(frozen=True)
class Call:
    """One system call of a trace: the `number`-th of its name, from 1."""

    name: str
    number: int
    text: str

    def __str__(self):
        return f"{self.name}#{self.number}({self.text[:110]}"


def tracing(log, follow=True, names=None):
    """The words before a command that write its calls to a log."""
    return [STRACE, *(["-f"] if follow else []), "-q", "-s", "64", "-y", "-o", str(log),
            *(["-e", "trace=" + names] if names else [])]


def injecting(call, fault, log, follow=True):
    """The words before a command that gets a fault at one call.

    fault: `signal=KILL`, `error=EIO`, `retval=0`, ...: what strace's `inject` takes. A killed or failed call is not
    made; one with `retval` is not made either, and the program is told that it was.
    """
    return [*tracing(log, follow, call.name), "-e", f"inject={call.name}:{fault}:when={call.number}"]


def everywhere(name, fault, log, follow=True):
    """The words before a command that gets the fault at each call of a name."""
    return [*tracing(log, follow, name), "-e", f"inject={name}:{fault}"]


def calls(log, thread=""):
    """The calls of a trace, in their order: of its first process, or of the first thread that has this in a line."""
    lines = pathlib.Path(log).read_text(errors="replace").splitlines()
    chosen = next(line.split(" ", 1)[0] for line in lines if thread in line)
    found, counts = [], {}
    for line in lines:
        match = LINE.match(line)
        if line.split(" ", 1)[0] != chosen or not match:
            continue
        name, text = match.groups()
        counts[name] = counts.get(name, 0) + 1
        found.append(Call(name, counts[name], text))
    return found


def hit(log, fault):
    """The text of the call that got the fault in this run, "" if the trace does not tell, None if none got it."""
    lines = pathlib.Path(log).read_text(errors="replace").splitlines()
    if fault == "signal=KILL":
        return "" if any("killed by SIGKILL" in line for line in lines) else None
    injected = next((line for line in lines if INJECTED in line), None)
    if injected is None:
        return None
    match = LINE.match(injected)
    return match[2] if match else ""
