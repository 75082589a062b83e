"""Two changes of one vault in every order: one is stopped at each of its system calls while the other one is made.

Seen failing by --sabotage: a change of the passphrase that takes no lock loses what was set meanwhile, and a `set` that
takes none does not wait for the one that has it.
"""

import concurrent.futures
import os

from kit import faults
from kit.crowd import Crowd, draw
from kit.pause import Paused, calls_of, known_place, takes_lock
from kit.row import noticed, skip, tally
from kit.settled import settle

PART = "concurrency"
NEW = b"eight lanterns along the harbour wall"


def change_words(place, new=NEW):
    """The words that change the passphrase, at the lowest cost that `coffer` chooses."""
    path = place.home / f"new-{new.decode().split()[0]}"
    path.write_bytes(new + b"\n")
    return ["passphrase", *place.secret, "--new-passphrase-file", str(path), "--cost", "3,64M"]


def new_secret(place):
    return ["--passphrase-file", str(place.home / "new-eight")]


WORDS = {
    "set": lambda place: ["set", "one", *place.secret], "other set": lambda place: ["set", "two", *place.secret],
    "passphrase": change_words,
}


def is_locked(calls, number):
    """Whether the lock of the vault is held before this call."""
    before = [call for call in calls[:number] if call.name == "flock" and "/.v.coffer.lock" in call.text]
    return bool(before) and takes_lock(before[-1])


def stopped(context, t, calls, number, slow, quick, more=(), before=()):
    """One order: the slow one is stopped before a call, the quick one is made or waits; gives how the two ended.

    `more`: more options for the strace of the slow one, that it takes no lock; `before`: words before the quick one.
    """
    call = calls[number]
    place = known_place(context, f"{slow}-{quick}-{number}".replace(" ", "-"))
    label = f"{slow} stopped at {call}, {quick} meanwhile".replace(f"{context.scratch}/", "")
    crowd = Crowd(place, label, [NEW])
    has_lock = is_locked(calls, number) and not more
    pool = concurrent.futures.ThreadPoolExecutor(1)
    with pool, Paused(place, call, WORDS[slow](place), b"1", more) as paused:
        t.want(paused.has_paused, f"{label}: it was not stopped")
        made = pool.submit(place.coffer, WORDS[quick](place), b"2", before)
        try:
            early = made.result(5 if before else 0.2 if has_lock else 30)
            t.want(not has_lock or early.code != 0, f"{label}: made, while the other one held the lock: {early}")
        except concurrent.futures.TimeoutError:
            t.want(has_lock, f"{label}: it waits, although nobody holds a lock")
        outcomes = {slow: paused.go_on(), quick: made.result()}
    codes = {name: outcome.code for name, outcome in outcomes.items()}
    told = "; ".join(f"{name}: {outcome}" for name, outcome in outcomes.items())
    good = codes.get("passphrase", 0) == 0 and codes.get("other set", 0) == 0
    good = good and codes["set"] in ((0, 8, 13) if "passphrase" in codes else (0,))
    t.check(good, f"{label}: {told}")
    for outcome in outcomes.values():
        says = b"the key of the vault" in outcome.err and b"nothing was overwritten" in outcome.err
        t.want(outcome.code != 13 or says, f"{label}: it does not say that the key changed: {told}")
        t.want(b"written down" not in outcome.err, f"{label}: not remembered: {told}")
    after, there = crowd.opened(), dict(crowd.first.settings)
    for name, setting in (("set", "one"), ("other set", "two")):
        if codes.get(name) == 0:
            there[setting] = "1" if name == slow else "2"
    t.want(after.settings == there, f"{label}: {after.settings}, not {there}; {told}")
    rose = after.generation - crowd.first.generation
    t.want(rose == list(codes.values()).count(0), f"{label}: {rose} generations; {told}")
    is_new = codes.get("passphrase") == 0
    settle(t, crowd, new_secret(place) if is_new else place.secret, NEW if is_new else None)
    place.remove()
    return codes


def orders(context, t, slow, quick):
    """Stops the slow one at each of its calls, or at two of them; gives what became of the `set` in their order."""
    calls = calls_of(context, f"calls-{slow}-{quick}".replace(" ", "-"), WORDS[slow], b"1")
    numbers = range(len(calls))
    if context.short:
        lock = next(number for number, call in enumerate(calls) if takes_lock(call))
        random = draw(context.seed, slow, quick)
        numbers = [random.randrange(lock), random.randrange(lock + 1, len(calls))]
    with concurrent.futures.ThreadPoolExecutor(3 * os.cpu_count()) as pool:
        found = list(pool.map(lambda number: stopped(context, t, calls, number, slow, quick), numbers))
    return [codes["set"] for codes in found]


def run(context):
    if why := faults.unavailable():
        yield skip(PART, "two changes in every order", why)
        return
    rows = []
    for slow, quick, expected in (
            ("set", "other set", [0]), ("set", "passphrase", [8, 13, 0]), ("passphrase", "set", [0, 13, 8])):
        where = "2 of its calls" if context.short else "each call"
        with tally(rows, PART, f"{slow} stopped at {where}, {quick} meanwhile") as t:
            codes = orders(context, t, slow, quick)
            # It finds another key when it opens the vault, then when it saves, and then it came first; never back.
            t.want(codes == sorted(codes, key=expected.index), f"{slow} stopped, {quick} meanwhile: {codes}")
            t.want(context.short or {*codes} == {*expected}, f"{slow} stopped, {quick} meanwhile: {codes}")
        yield rows.pop()


def sabotage(context):
    if why := faults.unavailable():
        return [skip(PART, "a change that takes no lock", why)]
    what, rows = "a change of the passphrase that takes no lock", []
    with tally(rows, PART, what) as t:
        calls = calls_of(context, "calls", change_words)
        # After it looked whether the file is still the one that it read.
        number = next(number for number, call in enumerate(calls) if "openat" == call.name and ".tmp-" in call.text)
        more = ["-e", "trace=openat,flock", "-e", "inject=flock:retval=0"]
        stopped(context, t, calls, number, "passphrase", "set", more)
    found = [noticed(PART, what, rows, says="'old': 'value'.*, not {.*'one': '2'")]
    what, rows = "a set that takes no lock while another one has it", []
    with tally(rows, PART, what) as t:
        calls = calls_of(context, "set-calls", WORDS["set"], b"1")
        number = next(number for number, call in enumerate(calls) if takes_lock(call)) + 1
        without = faults.everywhere("flock", "retval=0", "/dev/null")
        stopped(context, t, calls, number, "set", "other set", before=without)
    return [*found, noticed(PART, what, rows, says="made, while the other one held the lock")]
