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
from parts import aftermath, planted, room, saves, short, ways
from parts.kinds import FILES, MEMORY, OTHERS, own, unknown

WRITING = re.compile(r"\.v\.coffer\.tmp-|^fsync.*/vaults>")


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

    def drive(self, what, pairs, check):
        """One row: a fault at each of these calls."""
        if not pairs and self.context.short:
            return
        what = what.replace("each call", "some calls") if self.context.short else what
        with tally(self.rows, "crash", f"{self.save.name}: {what}") as t:
            t.want(pairs, "there is no such call")
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
        met = faults.hit(log, call, fault) if log.exists() else None
        if not t.want(met, f"{label}: the fault was not made; {outcome}"):
            return
        same = faults.shape(met, place.home)[1:] == faults.shape(call, self.places[0].home)[1:]
        t.want(same, f"{label}: the fault met another call, {met}")
        generation = aftermath.check(t, place, self.save, outcome, label)
        check(t, place, self.save, outcome, generation, call, met.text, label)
        if os.environ.get("PROOF_SHOW"):
            print(f"    {generation}: {label}: {str(outcome).replace(str(place.home), '~')}", flush=True)


def interrupted(t, place, save, outcome, generation, call, text, label):
    """A call that a signal interrupts is made again; but no fsync, which could then report success over lost bytes."""
    if call.name == "fsync":
        aftermath.check_told(t, place, save, outcome, generation, call, text, label)
    else:
        t.want(generation == "new" and outcome.code == 0, f"{label}: {generation}; {outcome}")


def not_told_as_made(t, place, save, outcome, generation, call, text, label):
    """A disk that takes or gives half and says nothing of it: whatever is told, it is no success over an old vault."""
    good = outcome.code in (0, 5, 9, 10, 15) and (outcome.code == 0 or outcome.err)
    t.want(good, f"{label}: {outcome}")


def ended(t, place, save, outcome, generation, call, text, label):
    """No memory, no socket, no thread: it goes on without, or says so; it never breaks down."""
    good = outcome.code in (0, 7, 15, 18) and (outcome.code == 0 or b"coffer: " in outcome.err.replace(b"UpdateProbe", b"coffer"))
    t.want(good, f"{label}: {outcome}")


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
    "set": {"signal=KILL": 14, "error=EIO": 12, "error=ENOSPC": 4, "error=EINTR": 4, "retval": 4, "error=ENOMEM": 2, "": 2},
    "passphrase": {"signal=KILL": 5, "error=EIO": 2},
    "set by the agent": {"signal=KILL": 8, "error=EIO": 6, "error=EINTR": 2, "": 2},
    "set by the agent's client": {"signal=KILL": 4, "error=EIO": 2},
    "set where a file was left": {"signal=KILL": 4, "error=EIO": 4},
    "updates by the library": {"signal=KILL": 8, "error=EIO": 6, "retval": 2},
    "init": {"signal=KILL": 2},
    "set by the static program": {"signal=KILL": 4, "error=EIO": 4},
}
# The loader and the runtime are the same as those of `set`, and the least cost of a new key is dear.
OWN_ONLY = (saves.PassphraseSave, saves.InitSave, saves.LeftoverSave)


def sweep(context, save, rows):
    """All faults at one way to save."""
    driver = Driver(context, save, rows)

    def some(calls, fault):
        return driver.some(list(calls), SHORT[save.name].get(fault, 0))

    killed = driver.own if isinstance(save, OWN_ONLY) else driver.calls
    what = "SIGKILL at each call" + (" after the loader's" if killed is driver.own else "")
    driver.drive(what, [(call, "signal=KILL") for call in some(killed, "signal=KILL")], aftermath.check_killed)
    for error, check in (("EIO", aftermath.check_told), ("ENOSPC", aftermath.check_told), ("EINTR", interrupted)):
        fault = f"error={error}"
        driver.drive(f"{error} at each call on files", [(call, fault) for call in some(driver.files, fault)],
                     check if driver.sees else unseen)
    if not driver.sees:
        rows.append(skip("crash", f"{save.name}: the step in the message", "only root sees on what the calls are made"))
    halves = dict(transfers(driver.files))
    if driver.sees:
        driver.drive("reads and writes that move half of what they tell",
                     [(call, halves[call]) for call in some(halves, "retval")], not_told_as_made)
    memory = [call for call in driver.own if call.name in MEMORY]
    driver.drive("ENOMEM at each call for memory", [(call, "error=ENOMEM") for call in some(memory, "error=ENOMEM")], ended)
    others = [call for call in driver.own if call.name in OTHERS]
    driver.drive("an error at each call for sockets, random bytes, threads",
                 [(call, f"error={OTHERS[call.name]}") for call in some(others, "")], ended)
    if left := unknown(driver.own):
        rows[-1].failed.append(f"{save.name}: calls of a kind that nothing is tried of: {', '.join(left)}")
    if save.hidden:
        rows[-1].skipped = f"{save.hidden} calls before the lock, hidden by those of another thread"


def unseen(t, place, save, outcome, generation, call, text, label):
    """Where the trace does not tell on what a call is made: only that it does not break down."""
    t.want(outcome.code in (0, 15), f"{label}: {outcome}")


def run(context):
    yield from room.run(context)
    if why := faults.unavailable():
        yield skip("crash", "faults at system calls", why)
        return
    tried, missing = ways.available(context)
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
