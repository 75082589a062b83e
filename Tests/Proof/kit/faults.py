"""Faults at system calls, made by strace: a trace tells which calls a program makes, then each gets a fault in turn."""

import dataclasses
import pathlib
import re
import shutil
import subprocess

STRACE = shutil.which("strace", path="/usr/bin:/bin:/usr/local/bin")
LINE = re.compile(r"^(?:\[pid\s+\d+\] |\d+\s+)?(\w+)\((.*)$")
RESUMED = re.compile(r"^(?:\d+\s+)?<\.\.\. (\w+) resumed>(.*)$")
THREAD = re.compile(r"\d*")
UNFINISHED, INJECTED = " <unfinished ...>", "(INJECTED"
NAMING = re.compile(r"open|readlink|unlink|rename|mkdir|newfstatat|fchmodat|access")


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
    begun: int = dataclasses.field(default=0, compare=False)  # the line of the trace where it begins
    ended: int = dataclasses.field(default=0, compare=False)  # and where it ends
    alone: bool = False  # counted where its thread alone is traced, which an agent has several of

    def __str__(self):
        return f"{self.name}#{self.number}({self.text[:110]}"


def tracing(log, follow=True, names=None):
    """The words before a command that write its calls to a log."""
    return [STRACE, *(["-f"] if follow else []), "-q", "-s", "64", "-y", "-o", str(log),
            *(["-e", "trace=" + names] if names else [])]


def injecting(call, fault, log):
    """The words before a command that gets a fault at one call.

    fault: `signal=KILL`, `error=EIO`, `retval=0`, ...: what strace's `inject` takes. A killed or failed call is not
    made; one with `retval` is not made either, and the program is told that it was.
    """
    return [*tracing(log, not call.alone, call.name), "-e", f"inject={call.name}:{fault}:when={call.number}"]


def everywhere(name, fault, log, follow=True):
    """The words before a command that gets the fault at each call of a name."""
    return [*tracing(log, follow, name), "-e", f"inject={name}:{fault}"]


def lines(log):
    """The calls of a trace as (thread, call), in the order of their beginnings, each with how it ended.

    strace writes a call in two lines where another thread's comes between; and counts the calls of each thread apart.
    """
    found, counts, begun = [], {}, {}
    for at, line in enumerate(pathlib.Path(log).read_text(errors="replace").splitlines()):
        thread = THREAD.match(line)[0]
        if resumed := RESUMED.match(line):
            place = begun.pop((thread, resumed[1]), None)
            if place is not None:
                call = found[place][1]
                found[place] = thread, dataclasses.replace(call, text=call.text + resumed[2], ended=at)
        elif match := LINE.match(line):
            name, text = match.groups()
            counts[thread, name] = counts.get((thread, name), 0) + 1
            if text.endswith(UNFINISHED):
                begun[thread, name], text = len(found), text.removesuffix(UNFINISHED)
            found.append((thread, Call(name, counts[thread, name], text, at, at)))
    return found


def calls(log, thread=""):
    """The calls of a trace, in their order: of its first process, or of the first thread that has this in a line."""
    made = lines(log)
    chosen = next(number for number, call in made if thread in f"{call.name}({call.text}")
    return [call for number, call in made if number == chosen]


def first(log, call):
    """The first call, of whichever thread, that has this name and number: the one that gets the fault; or None."""
    return next((other for _, other in lines(log) if (other.name, other.number) == (call.name, call.number)), None)


def hit(log, call, fault):
    """The call that got the fault in this run, None if none got it."""
    if fault == "signal=KILL":
        killed = "killed by SIGKILL" in pathlib.Path(log).read_text(errors="replace")
        return first(log, call) if killed else None
    return next((other for _, other in lines(log) if INJECTED in other.text), None)


def shape(call, home):
    """What a call is made on, without what differs from run to run: whether two are the same one of a save."""
    text = call.text.replace(str(home), "~").replace(UNFINISHED, "")
    on = re.findall(r"<([^<>]*)>", text.split(" = ")[0])[:1]
    named = re.findall(r'"([^"]*)"', text)[:1] if NAMING.match(call.name) else []
    return call.name, *(re.sub(r"tmp-[0-9a-f]{16}|\d+", "#", word) for word in on + named)
