"""Where memory runs short: less and less addresses, and requests of the program that the system refuses."""

import os
import re

from kit import faults
from kit.place import Place
from kit.row import noticed, skip, tally

from .cases import PART
from .limits import NOT_ENOUGH, limited

REQUESTS = ("mmap", "mremap", "brk", "mprotect", "madvise", "mlock", "mlock2")


def one(call, log):
    """Words before a command of which one call is refused."""
    return faults.injecting(call, "error=ENOMEM", log)


def all_from(call, log):
    """Words before a command of which a call is refused, and all later ones of its name."""
    return [*faults.tracing(log, names=call.name), "-e", f"inject={call.name}:error=ENOMEM:when={call.number}+"]


def outcome(t, place, words, before, kind):
    """One `set` or `get` where memory is short: done, or refused for that, and nothing lost."""
    done = place.coffer([*words, *place.secret], b"x", before)
    t.check(done.code in (0, NOT_ENOUGH), f"{kind}: {' '.join(words)}: {done}")
    if words[0] == "get":
        t.want((done.code == 0) == (done.out == b"value"), f"{kind}: printed {done.out!r}: {done}")
    else:
        settings = place.settings()
        t.want(settings in ({"old": "value", "other": "kept"}, {"old": "value", "other": "kept", "new": "x"}),
               f"{kind}: {settings}")
        t.want(done.code != 0 or "new" in settings, f"{kind}: acknowledged and lost")
        t.want(not place.leftovers(), f"{kind}: left {place.leftovers()}")
        place.reset()
    return done


def less_and_less(context, rows):
    """Address spaces from what the start of the program takes up to what a command needs."""
    with tally(rows, PART, "address spaces from too small up, `get` and `set`") as t:
        place = Place(context, "s")
        start = next(kib for kib in range(1_024, 2_000_000, 1_024)
                     if place.coffer(["version"], before=limited(f"ulimit -v {kib}")).code == 0)
        for words in (["get", "old"], ["set", "new"]):
            worked = 0
            for kib in range(start + 64, start + 200_000, 64):
                done = outcome(t, place, words, limited(f"ulimit -v {kib}"), f"{kib} KiB of addresses")
                worked = worked + 1 if done.code == 0 else 0
                if worked == 3:
                    break
            else:
                t.want(False, f"{' '.join(words)}: never worked, not with {kib} KiB of addresses either")
        place.remove()


def is_of_freeing(call):
    """Whether pages are made writable to be wiped: several of them at once, for what goes back to the system."""
    length = re.search(r"^0x\w+, (\d+), PROT_READ\|PROT_WRITE", call.text)
    return call.name == "mprotect" and length and int(length[1]) > 2 * os.sysconf("SC_PAGE_SIZE")


def refused_requests(context, rows, way, many):
    """Each request for memory that a command makes itself is refused, alone or with all that follow."""
    what = f"a refused request for memory{many}, at each one of `get` and `set`"
    why = faults.unavailable()
    if why:
        rows.append(skip(PART, what, why))
        return
    with tally(rows, PART, what) as t:
        place, log = Place(context, "m"), context.scratch / "m.log"
        for words in (["get", "old"], ["set", "new"]):
            done = place.coffer([*words, *place.secret], b"x", faults.tracing(log))
            t.want(done.code == 0, f"traced: {done}")
            calls = faults.calls(log)
            place.reset()
            # The loader's and the runtime's are before the first call of `main`.
            first = next(index for index, call in enumerate(calls) if call.name == "prctl")
            chosen = [call for call in calls[first:] if call.name in REQUESTS]
            if context.short:
                chosen = [call for index, call in enumerate(chosen) if index % 8 == 0 or is_of_freeing(call)]
            for call in chosen:
                log.unlink()
                place.reset()  # the first `get` remembers what it saw
                outcome(t, place, words, way(call, log), f"{call}{many}")
                t.want(log.exists() and faults.hit(log, call, "error=ENOMEM"), f"{call}{many}: was not refused")
        place.remove()


def run(context):
    rows = []
    if not context.short:
        less_and_less(context, rows)
    refused_requests(context, rows, one, "")
    refused_requests(context, rows, all_from, " and all after it")
    return rows


def sabotage(context):
    """A program that ends otherwise where memory is short."""
    found = []
    with tally(found, PART, "careless") as t:
        place = Place(context, "careless")
        outcome(t, place, ["get", "old"], ["/bin/sh", "-c", "kill -ABRT $$"], "a program that aborts")
        outcome(t, place, ["set", "new"], ["/bin/sh", "-c", "exit 0"], "a program that acknowledges and saves nothing")
        place.remove()
    return [noticed(PART, "an abort, and an acknowledged save that is none, for want of memory", found, 2)]
