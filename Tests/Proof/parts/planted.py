"""Programs around `coffer` that are wrong on purpose: the checks of crash.py have to notice each."""

import dataclasses
import re
import time

from kit import faults
from kit.place import Place
from kit.row import noticed, tally
from parts import aftermath
from parts.saves import VALUE, Save

OTHER = 'XDG_STATE_HOME="$HOME/s" "$REAL" "$@" --vault "$HOME/x"'
SCRIPTS = {
    # name: the script, the thread of the trace that saves, the call and fault
    "writes in place": (f'cp "$COFFER_VAULT" "$HOME/x"; {OTHER}; exec dd if="$HOME/x" of="$COFFER_VAULT" status=none',
                        '["dd", ', ("write", "signal=KILL")),
    "tells what failed as made": ('"$REAL" "$@"; exit 0', ".v.coffer.tmp-", ("write", "error=ENOSPC")),
    "tells it as made before it is": ('exec 3<&0; (sleep 0.1; "$REAL" "$@" <&3 >/dev/null 2>&1 &); exit 0', None, (None, None)),
    "says nothing of a failure": ('"$REAL" "$@" 2>/dev/null', ".v.coffer.tmp-", ("renameat", "error=EIO")),
    "names the wrong step": ('"$REAL" "$@" 2>&1 | sed "s/could not [a-z ]*/could not lock the vault/" >&2; exit 15',
                             ".v.coffer.tmp-", ("renameat", "error=EIO")),
    "hides that it is not synced": ('"$REAL" "$@" 2>&1 | sed "s/, but it may.*//" >&2; exit 15',
                                    ".v.coffer.tmp-", ("fsync", "error=EIO")),
    "leaves a file": ('"$REAL" "$@"; c=$?; touch "$COFFER_VAULT.new"; exit $c', ".v.coffer.tmp-", ("renameat", "signal=KILL")),
    "opens it to all": ('"$REAL" "$@"; c=$?; chmod 644 "$COFFER_VAULT"; exit $c',
                        ".v.coffer.tmp-", ("write", "error=EIO")),
}


class PlantedSave(Save):
    """`coffer set new` by a wrong program; what comes after is by the right one."""

    def __init__(self, script):
        self.script = script

    def work(self, place, before):
        return place.run([*before, "/bin/bash", "-c", self.script, "planted", "set", "new", *place.secret],
                         VALUE.encode(), environment={"REAL": place.context.coffer})


def run(context):
    """One row for each: how often the checks noticed."""
    result = []
    for number, (what, (script, thread, (name, fault))) in enumerate(SCRIPTS.items()):
        rows, folder = [], context.scratch / str(number)
        folder.mkdir()
        save = PlantedSave(script)
        with tally(rows, "crash", what) as t:
            place = Place(dataclasses.replace(context, scratch=folder), "home")
            log = place.home / "log"
            if name is None:
                outcome = save.work(place, [])
            else:
                save.work(place, faults.tracing(log))
                calls = [call for call in faults.calls(log, thread) if call.name == name]
                calls = [call for call in calls if re.search("/vaults[/>]", call.text)]
                place.reset()
                outcome = save.run(place, calls[-1], fault, log)
            generation = aftermath.check(t, place, save, outcome, what)
            if fault and fault.startswith("error="):
                aftermath.check_told(t, place, save, outcome, generation, calls[-1], calls[-1].text, what)
            time.sleep(0.3)  # one that saves in the background is done
        result.append(noticed("crash", what, rows))
        print("    noticed: " + "\n    noticed: ".join(line[:250] for line in rows[0].failed[:3]), flush=True)
    return result
