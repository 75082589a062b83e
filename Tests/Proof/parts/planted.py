"""Programs around `coffer` that are wrong on purpose: the checks of crash.py have to notice each, and say what."""

import dataclasses
import re
import time

from kit import faults
from kit.place import Place
from kit.row import noticed, tally
from parts import aftermath, judge, planted_agents
from parts.saves import VALUE, Save

OTHER = 'XDG_STATE_HOME="$HOME/s" "$REAL" "$@" --vault "$HOME/x"'
LEFT = '"$REAL" "$@"; c=$?; touch "${COFFER_VAULT%/*}/'


@dataclasses.dataclass(frozen=True)
class Plant:
    """A wrong program. `fault` is made at the last call like `on` of the thread that has a `thread` call."""

    what: str
    script: str
    on: str | None
    fault: str | None
    says: str  # what the check has to say
    check: object = judge.check_told
    thread: str = "renameat("


PLANTS = [
    Plant("writes in place",
          f'cp "$COFFER_VAULT" "$HOME/x"; {OTHER}; exec dd if="$HOME/x" of="$COFFER_VAULT" status=none',
          r"^write\(.*/vaults/v\.coffer>", "signal=KILL", "neither: Refused: damaged", judge.check_killed, "dd"),
    Plant("tells what failed as made", '"$REAL" "$@"; exit 0',
          r"^write\(.*\.v\.coffer\.tmp-", "error=ENOSPC", "told as made, and old"),
    Plant("tells it as made before it is", 'exec 3<&0; (sleep 0.1; "$REAL" "$@" <&3 >/dev/null 2>&1 &); exit 0',
          None, None, "told as made, and old"),
    Plant("says nothing of a failure", '"$REAL" "$@" 2>/dev/null',
          r"^renameat\(.*\.v\.coffer\.tmp-", "error=EIO", "does not name the step, rename"),
    Plant("says nothing of a failure to lock", '"$REAL" "$@" 2>/dev/null',
          r"^flock\(.*\.v\.coffer\.lock>, LOCK_EX", "error=EIO", "does not name the step, open the lock file"),
    Plant("says nothing of a failure of no step", '"$REAL" "$@" 2>/dev/null; exit 15',
          r"^read\(.*/passphrase>", "error=EIO", "does not name the step"),
    Plant("names the wrong step",
          '"$REAL" "$@" 2>&1 | sed "s/could not [a-z ]*/could not lock the vault/" >&2; exit 15',
          r"^renameat\(.*\.v\.coffer\.tmp-", "error=EIO", "does not name the step, rename"),
    Plant("hides that it is not synced", '"$REAL" "$@" 2>&1 | sed "s/, but it may.*//" >&2; exit 15',
          r"^fsync\(.*/vaults>", "error=EIO", "made, and not told so"),
    Plant("tells as made what is not synced", '"$REAL" "$@" 2>/dev/null; exit 0',
          r"^fsync\(.*/vaults>", "error=EIO", "the failure is not told"),
    Plant("passes over a sync of the file that fails", '"$REAL" "$@"',
          r"^fsync\(.*\.v\.coffer\.tmp-", "retval=0", "it failed, and is made"),
    Plant("says nothing of what is not remembered", '"$REAL" "$@" 2>/dev/null',
          r"^fsync\(.*\.freshness\.tmp-", "error=EIO", "nothing is said of what is not remembered"),
    Plant("leaves a file", LEFT + 'v.coffer.new"; exit $c',
          r"^renameat\(.*\.v\.coffer\.tmp-", "signal=KILL", "left after the next save", judge.check_killed),
    Plant("leaves its file after a failure", LEFT + '.v.coffer.tmp-0123456789abcdef"; exit $c',
          r"^renameat\(.*\.v\.coffer\.tmp-", "error=EIO", "left right after it"),
    Plant("opens it to all", '"$REAL" "$@"; c=$?; chmod 644 "$COFFER_VAULT"; exit $c',
          r"^write\(.*\.v\.coffer\.tmp-", "error=EIO", "its mode is"),
    Plant("goes on after a kill", '"$REAL" "$@"; exit 0',
          r"^fsync\(.*/vaults>", "signal=KILL", "not as what was killed ends", judge.check_killed),
    Plant("gives up where it is interrupted", '"$REAL" "$@"',
          r"^write\(.*\.v\.coffer\.tmp-", "error=EIO", r": old; code 15", judge.interrupted),
    Plant("breaks down", '"$REAL" "$@" || kill -SEGV $$', r"^renameat\(.*\.v\.coffer\.tmp-", "error=ENOMEM",
          "code -11", judge.ended),
    Plant("breaks down over what half was written", '"$REAL" "$@" || kill -SEGV $$',
          r"^write\(.*\.v\.coffer\.tmp-", "retval=100000", "code -11", judge.not_told_as_made),
]


class PlantedSave(Save):
    """`coffer set new` by a wrong program; what comes after is by the right one."""

    def __init__(self, script):
        self.script = script

    def work(self, place, before):
        return place.run([*before, "/bin/bash", "-c", self.script, "planted", "set", "new", *place.secret],
                         VALUE.encode(), environment={"REAL": place.context.coffer})


def attempt(t, place, plant):
    """One save by a wrong program, judged like any other."""
    save, log = PlantedSave(plant.script), place.home / "log"
    if plant.on is None:
        aftermath.check(t, place, save, save.work(place, []), plant.what)
        time.sleep(0.3)  # the one that saves in the background is done
        return
    save.work(place, faults.tracing(log))
    call = [call for call in faults.calls(log, plant.thread) if re.search(plant.on, f"{call.name}({call.text}")][-1]
    place.reset()
    outcome = save.run(place, call, plant.fault, log)
    met = faults.hit(log, call, plant.fault)
    same = met and faults.shape(met, place.home) == faults.shape(call, place.home)
    if t.want(same, f"broke off: the fault met {met}"):
        generation = aftermath.check(t, place, save, outcome, plant.what)
        plant.check(t, place, save, outcome, generation, call, met.text, plant.what)


def run(context):
    """One row for each: how often the checks noticed."""
    for number, plant in enumerate(PLANTS):
        rows, folder = [], context.scratch / str(number)
        folder.mkdir()
        with tally(rows, "crash", plant.what) as t:
            attempt(t, Place(dataclasses.replace(context, scratch=folder), "home"), plant)
        yield noticed("crash", plant.what, rows, says=plant.says)
    yield from planted_agents.run(context)
