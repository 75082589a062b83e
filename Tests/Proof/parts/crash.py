"""A kill or a fault at each system call of a save.

Seen failing by --sabotage: the same checks of a save that is told as made before it is.
"""

import concurrent.futures
import os
import random

from kit import faults
from kit.place import Place
from kit.row import skip, tally
from parts import aftermath, saves

FILES = {
    "openat", "open", "read", "pread64", "write", "pwrite64", "writev", "readlink", "readlinkat", "newfstatat", "fstat",
    "statx", "fsync", "fdatasync", "syncfs", "fchmod", "fchmodat", "fchown", "rename", "renameat", "renameat2", "unlinkat",
    "unlink", "getdents64", "flock", "close", "mkdirat", "mkdir", "fcntl", "ftruncate", "access", "lseek",
}
MEMORY = {"mmap", "mprotect", "madvise", "mlock", "munlock", "munmap", "brk"}


def own(calls, place):
    """The calls of the program itself: from the first that names something of its home on."""
    def names_home(call):
        return str(place.home) in call.text.replace(f"AT_FDCWD<{place.home}>", "")
    first = next(number for number, call in enumerate(calls) if names_home(call))
    return calls[first:]


class Driver:
    """Makes one save again and again, each time with another fault."""

    def __init__(self, context, save, rows):
        self.context, self.save, self.rows = context, save, rows
        self.places = [Place(context, f"{save.name.split()[-1]}{number}") for number in range(os.cpu_count() or 1)]
        self.random = random.Random(f"{context.seed}/{save.name}")
        place = self.places[0]
        self.calls = save.calls(place, place.home / "trace")
        self.own = own(self.calls, place)
        self.files = [call for call in self.own if call.name in FILES]

    def some(self, calls, most):
        """All calls, or in the short form some of them: those of the save itself, and a few of the others."""
        calls = [call for call in calls if call.name not in ("exit", "exit_group", "execve")]
        if not self.context.short:
            return calls
        writing = [call for call in calls if ".tmp-" in call.text or call.name in ("renameat", "fsync", "flock")]
        others = [call for call in calls if call not in writing]
        chosen = writing[:most] + self.random.sample(others, min(len(others), max(0, most - len(writing))))
        return [call for call in calls if call in chosen]

    def drive(self, what, calls, fault, check):
        """One row: the fault at each of these calls."""
        with tally(self.rows, "crash", f"{self.save.name}: {what}") as t:
            free = list(self.places)

            def attempt(call):
                place = free.pop()
                try:
                    self.attempt(t, place, call, fault, check)
                finally:
                    free.append(place)

            with concurrent.futures.ThreadPoolExecutor(len(self.places)) as pool:
                for done in [pool.submit(attempt, call) for call in calls]:
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
            print(generation, str(outcome).replace(str(place.home), "~"), label, flush=True)


def interrupted(t, place, outcome, generation, call, text, label):
    """A call that a signal interrupts is made again."""
    t.want(generation == "new" and outcome.code == 0, f"{label}: {generation}; {outcome}")


def run(context):
    rows, why = [], faults.unavailable()
    if why:
        return [skip("crash", "faults at system calls", why)]
    tried, missing = saves.available(context)
    for save in tried:
        driver = Driver(context, save, rows)
        driver.drive("SIGKILL at each call", driver.some(driver.calls, 24), "signal=KILL", None)
        for error in ("EIO", "ENOSPC"):
            driver.drive(f"{error} at each call on files", driver.some(driver.files, 16), f"error={error}",
                         aftermath.check_told)
        driver.drive("EINTR at each call on files", driver.some(driver.files, 12), "error=EINTR", interrupted)
        memory = [call for call in driver.own if call.name in MEMORY]
        driver.drive("ENOMEM at each call for memory", driver.some(memory, 4), "error=ENOMEM", None)
    return rows + [skip("crash", f"{name}: SIGKILL and errors", why) for name, why in missing]
