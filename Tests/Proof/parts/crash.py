"""A kill or a fault at each system call of a save.

Seen failing by --sabotage: the same checks of programs around `coffer` that are wrong on purpose (planted.py).
"""

import os
import re

from kit import faults
from kit.row import skip
from parts import judge, order, planted, room, saves, short, twice, ways
from parts.agent_saves import ClientSave
from parts.driver import Driver
from parts.kinds import FILES, INTERRUPTED, MEMORY, OTHERS, unknown


def transfers(calls):
    """The reads and writes in the folders of vault and state, each with half of what it moved.

    Value and passphrase are what was read of them; nobody could tell.
    """
    for call in calls:
        moved = re.search(r"\)\s+= (\d+)$", call.text)
        ours = re.search(r"/vaults[/>]|/state/", call.text) and call.name in ("read", "pread64", "write")
        if ours and moved and int(moved[1]) > 1:
            yield call, f"retval={int(moved[1]) // 2}"


ONLY_ROOT = "only root sees on what the calls are made"
# How many calls get a fault in the short form, by the way to save; what writes the file comes first.
SHORT = {
    "set": {"signal=KILL": 14, "error=EIO": 12, "error=ENOSPC": 4, "error=EINTR": 4, "retval": 4, "error=ENOMEM": 2,
            "": 2},
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
    driver.drive(what, [(call, "signal=KILL") for call in some(killed, "signal=KILL")], judge.check_killed)
    if save.hidden:
        rows[-1].skipped = f"{save.hidden} calls before the lock, hidden by those of another thread"
    is_client = isinstance(save, ClientSave)
    failed = judge.asked if is_client else judge.check_told
    for error, check in (("EIO", failed), ("ENOSPC", failed)):
        fault = f"error={error}"
        driver.drive(f"{error} at each call on files", [(call, fault) for call in some(driver.files, fault)],
                     check if driver.sees or is_client else judge.unseen)
    # Of an agent that cannot be reached for some other reason than a signal, its client says so.
    again = INTERRUPTED | ({"read", "write"} if is_client else FILES)
    calls = [call for call in driver.own if call.name in again]
    driver.drive("EINTR at each call that can be made again",
                 [(call, "error=EINTR") for call in some(calls, "error=EINTR")],
                 judge.interrupted if driver.sees else judge.unseen)
    if not driver.sees:
        rows.append(skip("crash", f"{save.name}: the step in the message", ONLY_ROOT))
    halves = dict(transfers(driver.files))
    if driver.sees and not is_client:
        driver.drive("reads and writes that move half of what they tell",
                     [(call, halves[call]) for call in some(halves, "retval")], judge.not_told_as_made)
    ended = judge.asked if is_client else judge.ended
    memory = [call for call in driver.own if call.name in MEMORY]
    driver.drive("ENOMEM at each call for memory",
                 [(call, "error=ENOMEM") for call in some(memory, "error=ENOMEM")], ended)
    others = [call for call in driver.own if call.name in OTHERS]
    driver.drive("an error at each other call that can fail",
                 [(call, f"error={OTHERS[call.name]}") for call in some(others, "")], ended)
    if left := unknown(driver.own):
        rows[-1].failed.append(f"{save.name}: calls of a kind that nothing is tried of: {', '.join(left)}")


def run(context):
    yield from room.run(context)
    if why := faults.unavailable():
        yield skip("crash", "faults at system calls", why)
        return
    tried, missing = ways.available(context)
    for save in tried:
        rows = []
        sweep(context, save, rows)
        if os.geteuid() == 0:
            order.drive(context, save, rows)
        yield from rows
    if os.geteuid() == 0:
        yield from twice.run(context)
    else:
        yield skip("crash", "two faults, and what is on the disk before it is told", ONLY_ROOT)
    yield from short.run(context)
    for name, why in missing:
        yield skip("crash", f"{name}: SIGKILL and errors", why)


def sabotage(context):
    """Programs that are wrong on purpose, around the right one: see planted.py, planted_agents.py, and the other
    modules that have a `sabotage`.
    """
    yield from room.sabotage(context)
    yield from short.sabotage(context)
    if why := faults.unavailable() or os.geteuid() != 0 and ONLY_ROOT:
        yield skip("crash", "planted faults", why)
        return
    yield from planted.run(context)
    yield from twice.sabotage(context)
    yield from order.sabotage(context)
