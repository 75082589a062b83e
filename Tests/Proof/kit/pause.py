"""A program that is stopped at one of its system calls, for as long as others do what they have to do."""

import os
import pathlib
import re
import signal
import subprocess
import time

from kit import faults
from kit.place import Outcome, Place, rest_of


def wait_until(condition, what, seconds=30):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"not in {seconds} s: {what}")
        time.sleep(0.001)


def known_place(context, name):
    """A home whose vault was opened once: to open it again writes nothing, so a save makes the same calls each time."""
    place = Place(context, name)
    opened = place.coffer(["list", *place.secret])
    if opened.code != 0:
        raise AssertionError(f"a new vault does not open: {opened}")
    return place


def calls_of(context, name, words, input=b""):
    """The calls of a save on the vault, on what is remembered of it, and on their directories."""
    place = known_place(context, name)
    log = place.home / "trace"
    outcome = place.coffer([*words(place)], input, faults.tracing(log))
    if outcome.code != 0:
        raise AssertionError(f"it does not go well under strace: {outcome}")
    folders = f"{place.home}/vaults", f"{place.home}/state"
    calls = [call for call in faults.calls(log) if any(folder in call.text for folder in folders)]
    place.remove()
    return calls


def takes_lock(call):
    """Whether it is the call that takes the lock of the vault."""
    return call.name == "flock" and "/.v.coffer.lock" in call.text and "LOCK_EX" in call.text


class Paused:
    """A `coffer` that stands before one of its calls until it is let go.

    strace holds the call back for a moment; before that is over strace itself is stopped, and so what it traces. A
    `with` leaves neither of them behind.
    """

    def __init__(self, place, call, words, input=b"", more=()):
        self.log, self.call = pathlib.Path(place.home, f"paused-{time.monotonic_ns()}"), call
        command = [*faults.injecting(call, "delay_enter=300000", self.log), *more, place.context.coffer, *words]
        self.child = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=place.environment,
            cwd=place.home, start_new_session=True)
        self.child.stdin.write(input)
        self.child.stdin.close()
        self.child.stdin = None
        try:
            wait_until(lambda: self.is_there() or self.child.poll() is not None, f"{words[0]} reaches {call}")
        except BaseException:
            self.kill()
            raise
        self.child.send_signal(signal.SIGSTOP)
        self.has_paused = self.is_there()

    def is_there(self):
        """The log has the beginning of the call, and not what it gave."""
        text = self.log.read_text(errors="replace") if self.log.exists() else ""
        made = re.findall(rf"^\d+ +{self.call.name}\(", text, re.M)
        return len(made) == self.call.number and not text.endswith("\n")

    def go_on(self):
        """Lets it end, and gives how."""
        self.child.send_signal(signal.SIGCONT)
        return self.end()

    def kill(self):
        """Ends it where it is, without a chance to clear up."""
        if self.child.poll() is None:
            os.killpg(self.child.pid, signal.SIGKILL)
        return self.end()

    def end(self):
        try:
            out, err = self.child.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            os.killpg(self.child.pid, signal.SIGKILL)
            return Outcome(None, *rest_of(self.child))
        return Outcome(self.child.returncode, out, err)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        if self.child.returncode is None:
            self.kill()
