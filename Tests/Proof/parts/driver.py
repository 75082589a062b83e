"""Makes one save again and again, each time with a fault at another of its system calls, and has it judged.

$PROOF_SHOW has each fault and what came of it printed.
"""

import concurrent.futures
import os
import random
import re

from kit import faults
from kit.place import Place
from kit.row import tally
from parts import aftermath
from parts.kinds import FILES, own

WRITING = re.compile(r"\.v\.coffer\.tmp-|^fsync.*/vaults>")


class Driver:
    """Makes one save again and again, each time with another fault."""

    def __init__(self, context, save, rows):
        self.context, self.save, self.rows = context, save, rows
        name = save.name.replace(" ", "-").replace("'", "")
        self.places = [Place(context, f"{name}{number}") for number in range(os.cpu_count() or 1)]
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
