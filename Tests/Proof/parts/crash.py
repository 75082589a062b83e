"""A kill or a fault at each system call of a save.

$PROOF_SHOW has each fault and what came of it printed. Seen failing by --sabotage: the same checks of programs around
`coffer` that are wrong on purpose (planted.py).
"""

import concurrent.futures
import os
import random
import re

from kit import faults
from kit.place import Place
from kit.row import skip, tally
from parts import aftermath, planted, room, saves, short

FILES = {
    "openat", "open", "read", "pread64", "write", "pwrite64", "writev", "readlink", "readlinkat", "newfstatat", "fstat",
    "statx", "fsync", "fdatasync", "syncfs", "fchmod", "fchmodat", "fchown", "rename", "renameat", "renameat2",
    "unlinkat", "unlink", "getdents64", "flock", "close", "mkdirat", "mkdir", "fcntl", "ftruncate", "access", "lseek",
}
WRITING = re.compile(r"\.v\.coffer\.tmp-|^fsync.*/vaults>")
MEMORY = {"mmap", "mprotect", "madvise", "mlock", "munlock", "munmap", "brk"}


def own(calls, place):
    """The calls of the program itself, from the first that names something of its home on; and whether one does.

    A program that has forbidden others to look into it shows root alone on what its calls are made.
    """
    def names_home(call):
        return call.name != "execve" and str(place.home) in call.text.replace(f"AT_FDCWD<{place.home}>", "")
    named = [number for number, call in enumerate(calls) if names_home(call)]
    forbidding = [number for number, call in enumerate(calls) if call.name == "prctl"]
    return calls[(named or forbidding or [0])[0]:], bool(named)


class Driver:
    """Makes one save again and again, each time with another fault."""

    def __init__(self, context, save, rows):
        self.context, self.save, self.rows = context, save, rows
        self.places = [Place(context, f"{save.name.replace(' ', '-')}{number}") for number in range(os.cpu_count() or 1)]
        self.random = random.Random(f"{context.seed}/{save.name}")
        place = self.places[0]
        self.calls = save.calls(place, place.home / "trace")
        self.own, self.sees = own(self.calls, place)
        self.files = [call for call in self.own if call.name in FILES]

    def some(self, calls, most):
        """All calls, or in the short form some of them: those of the save itself, and a few of the others."""
        calls = [call for call in calls if call.name != "execve"]
        if not self.context.short:
            return calls
        writing = [call for call in calls if WRITING.search(f"{call.name}({call.text}")]
        others = [call for call in calls if call not in writing]
        chosen = set(self.random.sample(writing, min(len(writing), most)))
        more = (most + 2) // 4 if writing else most
        chosen |= set(self.random.sample(others, min(len(others), more)))
        return [call for call in calls if call in chosen]

    def drive(self, what, pairs, check=None):
        """One row: a fault at each of these calls."""
        if not pairs:
            return
        what = what.replace("each call", "some calls") if self.context.short else what
        with tally(self.rows, "crash", f"{self.save.name}: {what}") as t:
            free = list(self.places)

            def attempt(call, fault):
                place = free.pop()
                try:
                    self.attempt(t, place, call, fault, check)
                finally:
                    free.append(place)

            with concurrent.futures.ThreadPoolExecutor(len(self.places)) as pool:
                for done in [pool.submit(attempt, *pair) for pair in pairs]:
                    done.result()

    def attempt(self, t, place, call, fault, check):
        label = f"{self.save.name}, {fault} at {call}".replace(str(place.home), "~")
        place.reset()
        log = place.home / "log"
        log.unlink(missing_ok=True)
        outcome = self.save.run(place, call, fault, log)
        text = faults.hit(log, fault) if log.exists() else None
        t.want(text is not None, f"{label}: the fault was not made; {outcome}")
        generation = aftermath.check(t, place, self.save, outcome, label)
        if check and text is not None:
            check(t, place, outcome, generation, call, text or call.text, label)
        if os.environ.get("PROOF_SHOW"):
            print(f"    {generation}: {label}: {str(outcome).replace(str(place.home), '~')}", flush=True)


def interrupted(t, place, outcome, generation, call, text, label):
    """A call that a signal interrupts is made again; but no fsync, which could then report success over lost bytes."""
    if call.name == "fsync":
        aftermath.check_told(t, place, outcome, generation, call, text, label)
    else:
        t.want(generation == "new" and outcome.code == 0, f"{label}: {generation}; {outcome}")


def transfers(calls):
    """The reads and writes in the folders of vault and state, each with half of what it moved.

    Value and passphrase are what was read of them; nobody could tell.
    """
    for call in calls:
        moved = re.search(r"\)\s+= (\d+)$", call.text)
        ours = re.search(r"/vaults[/>]|/state/", call.text) and call.name in ("read", "pread64", "write")
        if ours and moved and int(moved[1]) > 1:
            yield call, f"retval={int(moved[1]) // 2}"


# How many calls get a fault in the short form, by the way to save; what writes the file comes first.
SHORT = {
    "set": {"signal=KILL": 14, "error=EIO": 12, "error=ENOSPC": 4, "error=EINTR": 4, "retval": 4, "error=ENOMEM": 2},
    "passphrase": {"signal=KILL": 5, "error=EIO": 2},
    "set by the agent": {"signal=KILL": 8, "error=EIO": 6, "error=EINTR": 2},
    "updates by the library": {"signal=KILL": 8, "error=EIO": 6, "retval": 2},
    "init": {"signal=KILL": 2},
    "set by the static program": {"signal=KILL": 4, "error=EIO": 4},
}


def sweep(context, save, rows):
    """All faults at one way to save."""
    driver = Driver(context, save, rows)

    def some(calls, fault):
        return driver.some(list(calls), SHORT[save.name].get(fault, 0))

    driver.drive("SIGKILL at each call", [(call, "signal=KILL") for call in some(driver.calls, "signal=KILL")])
    for error, check in (("EIO", aftermath.check_told), ("ENOSPC", aftermath.check_told), ("EINTR", interrupted)):
        fault = f"error={error}"
        driver.drive(f"{error} at each call on files", [(call, fault) for call in some(driver.files, fault)],
                     check if driver.sees else None)
    if not driver.sees:
        rows.append(skip("crash", f"{save.name}: the step in the message", "only root sees on what the calls are made"))
    halves = dict(transfers(driver.files))
    driver.drive("reads and writes that move half of what they tell",
                 [(call, halves[call]) for call in some(halves, "retval")], not_told_as_made)
    memory = [call for call in driver.own if call.name in MEMORY]
    driver.drive("ENOMEM at each call for memory", [(call, "error=ENOMEM") for call in some(memory, "error=ENOMEM")])


def not_told_as_made(t, place, outcome, generation, call, text, label):
    """A disk that takes or gives half and says nothing of it: whatever is told, it is no success over an old vault."""
    t.want(outcome.code not in (None, 1) and (outcome.code == 0 or outcome.err), f"{label}: {outcome}")


def run(context):
    yield from room.run(context)
    if why := faults.unavailable():
        yield skip("crash", "faults at system calls", why)
        return
    tried, missing = saves.available(context)
    for save in tried:
        rows = []
        sweep(context, save, rows)
        yield from rows
    yield from short.run(context)
    for name, why in missing:
        yield skip("crash", f"{name}: SIGKILL and errors", why)


def sabotage(context):
    """Programs that are wrong on purpose, around the right one: see planted.py."""
    if why := faults.unavailable():
        return [skip("crash", "planted faults", why)]
    return planted.run(context)
