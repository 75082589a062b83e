"""The order in which a save comes to the disk, by its trace: all of it before anything is told.

This needs no disk that can be cut off (power.py). Seen failing by --sabotage: strace skips the syncs.
"""

import re

from kit import faults
from kit.place import Place
from kit.row import noticed, tally
from parts import ways
from parts.agent_saves import AgentSave, ClientSave
from parts.saves import BatchSave

STEPS = [
    ("the temporary file is written", r"^write\(.*\.v\.coffer\.tmp-.*\)\s+= [1-9]\d*$"),
    ("it is synced", r"^fsync\(.*\.v\.coffer\.tmp-[0-9a-f]*>\)\s+= 0$"),
    ("it is renamed", r"^renameat2?\(.*\.v\.coffer\.tmp-.*\)\s+= 0$"),
    ("the directory is synced", r"^fsync\(.*/vaults>\)\s+= 0$"),
]


def tellings(save, calls):
    """The calls that tell a save as made: the last answer of an agent, each line of a program, or the end."""
    if isinstance(save, AgentSave):
        return [call for call in calls if call.name == "sendto"][-1:]
    if isinstance(save, BatchSave):
        return [call for call in calls if call.name == "write" and call.text.startswith("1<")]
    return [call for call in calls if call.name == "exit_group"][-1:]


def check(t, save, log):
    """One attempt for each save of the trace."""
    calls, after = [call for _, call in faults.lines(log)], -1
    for telling in tellings(save, calls):
        label, before = f"{save.name}: told at {telling}", after
        for what, pattern in STEPS:
            found = [call for call in calls if after < call.begun and call.ended < telling.begun
                     and re.search(pattern, f"{call.name}({call.text}")]
            if not t.want(found, f"{label}: not after the step before it, and before it is told: {what}"):
                break
            after = found[0].ended
        t.check(after > before, f"{label}: nothing was saved")
        after = telling.ended
    t.want(after >= 0, f"{save.name}: nothing was told")


def drive(context, save, rows, skipping=False):
    """One row: one save that goes well."""
    if isinstance(save, ClientSave):
        return  # it is the agent that saves
    with tally(rows, "crash", f"{save.name}: on the disk before it is told") as t:
        place = Place(context, f"order-{save.name.replace(' ', '-')}")
        log = place.home / "trace"
        outcome = save.work(place, faults.tracing(log) + (["-e", "inject=fsync:retval=0"] if skipping else []))
        t.want(outcome.code == 0 and not outcome.trouble, f"{save.name}: {outcome}")
        check(t, save, log)


def sabotage(context):
    for save in ways.available(context)[0]:
        if not isinstance(save, ClientSave):
            rows = []
            drive(context, save, rows, True)
            yield noticed("crash", f"{save.name}: no sync", rows, says="before it is told: it is synced")
