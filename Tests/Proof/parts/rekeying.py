"""The passphrase is changed by one process while others write, at random moments: conflict or success, none lost.

Seen failing by --sabotage: with a `set` that overwrites what came between, and a change that is always told as made.
"""

import concurrent.futures
import contextlib
import signal
import threading
import time

from kit import faults
from kit.agent import Agent
from kit.crowd import Crowd, Watch, draw
from kit.pause import Paused, calls_of, known_place, takes_lock, wait_until
from kit.place import Place
from kit.row import noticed, skip, tally
from kit.settled import ready, settle
from parts import orders
from parts.liars import ANYWAY, OVERWRITES, lying
from parts.orders import NEW, change_words, new_secret

PART = "concurrency"


def race(context, t, what, turn, has_agent):
    """Four write until the passphrase is changed, and a little longer."""
    place = Place(context, f"{what}-{turn}")
    crowd = Crowd(place, f"seed {context.seed}, {what} {turn}", [NEW])
    changed, times = threading.Event(), []

    def writer(number):
        left = 2
        for count in range(500):
            left -= changed.is_set()
            crowd.write(f"w{number}/{count}", f"{number}.{count}", [] if has_agent else place.secret)
            if left <= 0:
                return

    def changer(pause=draw(context.seed, what, turn).uniform(0, 0.3)):
        time.sleep(pause)
        times.append(time.monotonic())
        done = place.coffer(change_words(place))
        times.append(time.monotonic())
        changed.set()
        t.check(done.code == 0, f"{crowd.label}: the change of the passphrase: {done}")
        crowd.others += done.code == 0

    with Agent(place) if has_agent else contextlib.nullcontext() as agent:
        if agent:
            ready(t, place, agent, crowd.label)
        with Watch(crowd, t):
            crowd.together(changer, *(lambda number=number: writer(number) for number in range(4)))
        refusals = (13, 14) if has_agent else (8, 13)
        for write in crowd.writes:
            allowed = refusals if write.start > times[1] else (0,) if write.end < times[0] else (0, *refusals)
            t.want(write.code in allowed, f"{crowd.label}: {write}, where only {allowed} can be")
        if agent:
            wait_until(lambda: place.coffer(["status"]).code == 14, f"{crowd.label}: the agent locks")
            t.want(place.coffer(["unlock", *new_secret(place)]).code == 0, f"{crowd.label}: not unlocked again")
        settle(t, crowd, [] if has_agent else new_secret(place), NEW)
        crowd.judge(t, codes=(0, *refusals))
    place.remove()


def rivals(context, t, call, turn):
    """Three change the passphrase and stand before the lock: one of them does it, and only its passphrase opens."""
    place = known_place(context, f"rivals-{turn}")
    label, names = f"three changes, {turn}", [f"{word} {NEW.decode()}" for word in ("one", "two", "three")]
    with contextlib.ExitStack() as ending:
        paused = [ending.enter_context(Paused(place, call, change_words(place, name.encode()))) for name in names]
        t.want(all(each.has_paused for each in paused), f"{label}: one of them was not stopped")
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            outcomes = list(pool.map(Paused.go_on, paused))
    codes = [outcome.code for outcome in outcomes]
    t.check(sorted(codes) == [0, 13, 13], f"{label}: {[str(outcome) for outcome in outcomes]}")
    for name, code in zip(names, codes):
        path = place.home / f"new-{name.split()[0]}"
        opened = place.coffer(["list", "--passphrase-file", str(path)])
        t.want(opened.code == (0 if code == 0 else 8), f"{label}: told {code}, then {opened}")
        if code == opened.code == 0:
            found = place.opened(name.encode())
            good = (found.generation, found.settings.get("old")) == (2, "value")
            t.want(good, f"{label}: generation {found.generation}, {found.settings}")
    place.remove()


def agent_asleep(context, t, what):
    """The agent is stopped while the passphrase changes; what it is then asked to save is not saved."""
    place = Place(context, what.replace(" ", "-"))
    crowd = Crowd(place, what, [NEW])
    with Agent(place) as agent:
        ready(t, place, agent, what)
        agent.process.send_signal(signal.SIGSTOP)
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            asked = pool.submit(place.coffer, ["set", "new", "--no-input"], b"x")
            changed = place.coffer(change_words(place))
            file = place.vault.read_bytes()
            agent.process.send_signal(signal.SIGCONT)
            outcome = asked.result()
        t.check(changed.code == 0 and outcome.code in (13, 14), f"{what}: {changed}; then {outcome}")
        t.want(place.vault.read_bytes() == file, f"{what}: it was overwritten; {outcome}")
        wait_until(lambda: place.coffer(["status"]).code == 14, f"{what}: the agent locks")
        t.want(place.coffer(["unlock", *new_secret(place)]).code == 0, f"{what}: not unlocked again")
        crowd.first = crowd.opened()
        settle(t, crowd, [], NEW)
    place.remove()


def run(context):
    rows, rounds = [], 1 if context.short else 25
    for what, has_agent in (("passphrase changed while four set", False), ("the same through an agent", True)):
        with tally(rows, PART, f"{what}: {rounds} times") as t:
            for turn in range(rounds):
                race(context, t, what.replace(" ", "-"), turn, has_agent)
        yield rows.pop()
    rounds = min(rounds, 5)  # stopped, they come in the same order each time; what the system chooses is left
    with tally(rows, PART, f"passphrase changed while the agent is stopped: {rounds} times") as t:
        for turn in range(rounds):
            agent_asleep(context, t, f"agent stopped {turn}")
    yield rows.pop()
    if why := faults.unavailable():
        yield skip(PART, "three changes of the passphrase at once", why)
        return
    with tally(rows, PART, f"three changes of the passphrase at once: {rounds} times") as t:
        call = next(filter(takes_lock, calls_of(context, "calls", change_words)))
        for turn in range(rounds):
            rivals(context, t, call, turn)
    yield rows.pop()
    yield from orders.run(context)


def sabotage(context):
    """Each check with a program that is wrong in what it is there for."""
    other, rows = lying(context, "overwrites", OVERWRITES), []
    for what, says, work in (
            ("overwrites what came between, alone", r"code 0, .*where only \(8, 13\) can be",
             lambda t, what: race(other, t, "overwrites", 0, False)),
            ("overwrites what came while the agent slept", r"it was overwritten; code 0",
             lambda t, what: agent_asleep(other, t, "overwrites-asleep"))):
        with tally([], PART, what) as t:
            work(t, what)
        rows.append(noticed(PART, what, [t.row], says=says))
    what = "each of three changes is told as made"
    if why := faults.unavailable():
        return [*rows, skip(PART, what, why)]
    with tally([], PART, what) as t:
        call = next(filter(takes_lock, calls_of(context, "calls", change_words)))
        rivals(lying(context, "anyway", ANYWAY), t, call, 0)
    return [*rows, noticed(PART, what, [t.row], says=r"^three changes, 0: \['code 0, .*'code 0, .*'code 0, ")]
