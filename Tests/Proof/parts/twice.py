"""A second fault while the first one is cleared up, and a file system that cannot bring one file to the disk.

Seen failing by --sabotage: a program that does not make the change, or hides the failure.
"""

import dataclasses
import re

from kit import faults
from kit.place import Place
from kit.row import noticed, tally
from parts import aftermath
from parts.planted import PlantedSave
from parts.saves import Save

WRITE, FILE, FOLDER = r"^write\(.*\.v\.coffer\.tmp-", r"^fsync\(.*\.v\.coffer\.tmp-", r"^fsync\(.*/vaults>"


@dataclasses.dataclass(frozen=True)
class Case:
    """The fault at the last call that looks like `on`, what `second` words inject besides, and how it has to end."""

    what: str
    on: str
    fault: str
    second: str  # what strace's `inject` takes; or the name of a call that has to be met
    codes: tuple
    generation: str
    left: bool = False  # whether the temporary file may stay, for the next save to remove
    says: str = ""


CASES = [
    Case("killed as it clears up a full disk", WRITE, "error=ENOSPC", "unlinkat:signal=KILL", (-9,), "old", True),
    Case("cannot clear up a full disk", WRITE, "error=ENOSPC", "unlinkat:error=EIO", (15,), "old", True,
         "could not write the temporary file"),
    Case("clears up a full disk", WRITE, "error=ENOSPC", "unlinkat", (15,), "old", False,
         "could not write the temporary file"),
    Case("clears up a file that cannot be synced", FILE, "error=EIO", "unlinkat", (15,), "old", False,
         "could not bring the temporary file to the disk"),
    Case("cannot sync a file alone (EINVAL)", FILE, "error=EINVAL", "syncfs", (0,), "new"),
    Case("cannot sync a file alone (ENOSYS)", FILE, "error=ENOSYS", "syncfs", (0,), "new"),
    Case("cannot sync a directory alone", FOLDER, "error=EINVAL", "syncfs", (0,), "new"),
    Case("can sync neither a file alone nor all", FILE, "error=EINVAL", "syncfs:error=EIO", (15,), "old", False,
         "could not bring the temporary file to the disk"),
    Case("can sync neither a directory alone nor all", FOLDER, "error=EINVAL", "syncfs:error=EIO", (15,), "new", False,
         "may not survive a power cut"),
]


def attempt(t, place, save, case):
    """One save with both faults."""
    log = place.home / "log"
    Save().work(place, faults.tracing(log))
    call = [call for call in faults.calls(log) if re.search(case.on, f"{call.name}({call.text}")][-1]
    place.reset()
    second, _, fault = case.second.partition(":")
    words = faults.tracing(log, True, f"{call.name},{second}")
    words += ["-e", f"inject={call.name}:{case.fault}:when={call.number}"]
    outcome = save.work(place, words + (["-e", f"inject={second}:{fault}"] if fault else []))
    met = [call for _, call in faults.lines(log) if call.name == second]
    want = faults.INJECTED if fault.startswith("error") else "= ?" if fault else "= 0"
    label = f"{case.what}: {case.fault} at {call.name}#{call.number}, {case.second}"
    t.want(met and want in met[0].text, f"{label}: the second call was not met: {met}; {outcome}")
    generation = aftermath.check(t, place, save, outcome, label)
    t.want(generation == case.generation and outcome.code in case.codes, f"{label}: {generation}, {outcome}")
    t.want(case.left or not place.left, f"{label}: left right after it: {place.left}")
    t.want(case.says in outcome.err.decode(errors="replace"), f"{label}: it does not say {case.says!r}: {outcome}")


def drive(context, rows, save, cases):
    with tally(rows, "crash", f"{save.name}: two faults, or no sync of one file") as t:
        for number, case in enumerate(cases):
            attempt(t, Place(context, f"twice{number}"), save, case)


def run(context):
    rows = []
    drive(context, rows, Save(), CASES[1::2] if context.short else CASES)
    return rows


WRONG = {
    "makes a second failure a success": ('"$REAL" "$@"; exit 0', "told as made, and old"),
    "leaves its file": ('"$REAL" "$@"; c=$?; touch "${COFFER_VAULT%/*}/.v.coffer.tmp-0123456789abcdef"; exit $c',
                        "left right after it"),
    "says nothing": ('"$REAL" "$@" 2>/dev/null', "it does not say"),
}


def sabotage(context):
    for number, (what, (script, says)) in enumerate(WRONG.items()):
        folder, rows = context.scratch / f"wrong{number}", []
        folder.mkdir()
        drive(dataclasses.replace(context, scratch=folder), rows, PlantedSave(script), CASES[1:4])
        yield noticed("crash", f"{what}: two faults", rows, says=says)
