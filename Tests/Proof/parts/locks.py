"""A file system that has no locks: no save without one. With holders.py: and nobody waits for a lock for ever.

Seen failing by --sabotage: locks that are given without being there, a lock that is never given back, and what
holders.py plants.
"""

import concurrent.futures
import dataclasses
import errno
import os

from kit import faults
from kit.agent import Agent
from kit.crowd import Crowd
from kit.pause import known_place
from kit.place import Place
from kit.row import noticed, skip, tally
from kit.settled import STEP, lock_of, settle, state_of
from parts.holders import PLANTED, held_calls, held_for_long, holder_killed, inherited, left_behind
from parts.orders import change_words

PART = "locks"
ERRORS = ("ENOLCK", "EOPNOTSUPP", "ENOSYS", "EINVAL")


def verbs(place):
    """Everything that saves, with what it reads."""
    return [
        (["set", "new", *place.secret], b"value"), (["unset", "other", *place.secret], b""),
        (["rename", "old", "older", *place.secret], b""), (["undo", "old", *place.secret], b""),
        (change_words(place), b""),
    ]


def refused(t, place, outcome, error, label, before):
    """Told as a failure of the lock, with the reason of the system; and nothing was written."""
    said = outcome.err.decode(errors="replace")
    reason = os.strerror(getattr(errno, error))
    t.check(outcome.code == 15, f"{label}: {outcome}")
    told = STEP in said and reason in said and str(place.vault) in said and "othing was lost" in said
    t.want(told, f"{label}: it does not say that locking the vault failed, and why: {outcome}")
    t.want(state_of(place) == before, f"{label}: something was written without a lock: {outcome}")


def no_locks(context, t, error, fault):
    """Each verb that saves, on a file system where no file can be locked; and those that only read."""
    place = Place(context, f"no-locks-{error}")
    t.want(place.coffer(["set", "old", *place.secret], b"newer").code == 0, f"{error}: no value to undo")
    without = faults.everywhere("flock", fault, place.home / "log")
    if program := context.program("UpdateProbe"):
        before = state_of(place)
        done = place.run([*without, program, place.vault, 1], place.passphrase + b"\n")
        reason = f"system error {getattr(errno, error)}"  # the library gives the number
        told = STEP in done.err.decode() and done.err.decode().endswith(f"{reason}\n")
        t.check(done.code == 15 and told, f"the library's program, {error}: {done}")
        t.want(state_of(place) == before, f"the library's program, {error}: it wrote without a lock: {done}")
    else:
        t.row.skipped = "the library's program: there is no UpdateProbe"
    for words, data in verbs(place):
        before = state_of(place)
        outcome = place.coffer(words, data, without)
        refused(t, place, outcome, error, f"{words[0]}, {error}", before)
    other = place.folder / "other.coffer"
    made = place.coffer(["init", "--vault", str(other), "--cost", "3,64M", *place.secret], before=without)
    t.check(made.code == 15 and STEP.encode() in made.err and not other.exists(), f"init, {error}: {made}")
    before = state_of(place)
    readers = (["get", "old", *place.secret], b"newer"), (["list", *place.secret], b"old\t"), (["check"], b"")
    for words, out in readers:
        outcome = place.coffer(words, before=without)
        t.check(outcome.code == 0 and outcome.out.startswith(out), f"{words[0]} needs no lock, {error}: {outcome}")
    t.want(state_of(place) == before, f"{error}: reading changed the vault, or something beside it")
    place.remove()


def agent_without_locks(context, t, error, fault):
    """The agent, where the vault has no lock: it refuses to save, keeps the vault unlocked, and still reads."""
    place = known_place(context, f"agent-{error}")
    lock_of(place).touch(0o600)
    log = place.home / "log"
    with Agent(place, [*faults.everywhere("flock", fault, log), "-P", str(lock_of(place))]) as agent:
        unlocked = agent.unlock()
        t.want(unlocked.code == 0, f"agent, {error}: {unlocked}")
        before = state_of(place)
        for words, data in ((["set", "new"], b"value"), (["unset", "other"], b""), (["rename", "old", "older"], b"")):
            outcome = place.coffer([*words, "--no-input"], data)
            refused(t, place, outcome, error, f"{words[0]} through the agent, {error}", before)
        got = place.coffer(["get", "old", "--no-input"])
        t.check((got.code, got.out.strip()) == (0, b"value"), f"get through the agent, {error}: {got}")
    place.remove()


def agent_of_its_own(context, t, error, fault, timeout=20):
    """Where the agent's own folder has no locks there is no agent: two could take each other's place."""
    place = Place(context, f"own-{error}")
    without = faults.everywhere("flock", fault, place.home / "log")
    done = place.coffer(["agent", "run"], before=without, timeout=timeout)
    good = t.check(done.code == 15 and b"take the agent's lock" in done.err, f"agent run, {error}: {done}")
    t.want(not (place.home / "run/agent.sock").exists(), f"agent run, {error}: it left a socket")
    if not good:
        return  # `unlock` would start another one
    done = place.coffer(["unlock", *place.secret], before=without, timeout=30)
    t.check(done.code == 18, f"unlock, {error}: {done}")
    place.remove()


def freshness_without_locks(context, t, error, fault):
    """Where only what is remembered cannot be locked, the save is made, and it is said that it was not remembered."""
    place = known_place(context, f"freshness-{error}")
    state = place.home / "state" / "coffer"
    before = (state / "freshness").read_bytes()
    words = [*faults.everywhere("flock", fault, place.home / "log"), "-P", str(state / ".freshness.lock")]
    outcome = place.coffer(["set", "new", *place.secret], b"value", words)
    t.check(outcome.code == 0 and b"could not be written down" in outcome.err, f"{error}: {outcome}")
    t.want(place.settings().get("new") == "value", f"{error}: told as made, and {place.settings()}")
    t.want((state / "freshness").read_bytes() == before, f"{error}: what is remembered was changed without a lock")
    crowd = Crowd(place, f"after {error}")
    settle(t, crowd, place.secret)
    place.remove()


def run(context):
    rows, errors = [], ERRORS[:2] if context.short else ERRORS
    if why := faults.unavailable():
        yield skip(PART, "a file system without locks", why)
    else:
        with tally(rows, PART, f"no locks, each verb: {', '.join(errors)}") as t:
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                list(pool.map(lambda error: no_locks(context, t, error, f"error={error}"), errors))
        yield rows.pop()
        with tally(rows, PART, "no locks, through an agent; and no agent there") as t:
            for error in errors:
                agent_without_locks(context, t, error, f"error={error}")
                agent_of_its_own(context, t, error, f"error={error}")
        yield rows.pop()
        with tally(rows, PART, "what is remembered cannot be locked") as t:
            for error in errors:
                freshness_without_locks(context, t, error, f"error={error}")
        yield rows.pop()
        calls, numbers = held_calls(context)
        where = f"{len(numbers)} of the calls" if context.short else "each call"
        with tally(rows, PART, f"SIGKILL at {where} under the lock, two wait for it") as t:
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                list(pool.map(lambda number: holder_killed(context, t, calls, number), numbers))
        yield rows.pop()
    if not context.short:
        with tally(rows, PART, "a lock that is held for longer than one waits") as t:
            held_for_long(context, t)
        yield rows.pop()
    with tally(rows, PART, "lock files that are left, or are something else") as t:
        left_behind(context, t)
        inherited(context, t)
    yield rows.pop()


def planted(context, what, says, work):
    rows, folder = [], context.scratch / what.replace(" ", "-").replace(",", "")
    folder.mkdir()
    with tally(rows, PART, what) as t:
        work(dataclasses.replace(context, scratch=folder), t)
    return noticed(PART, what, rows, says=says)


def sabotage(context):
    if why := faults.unavailable():
        yield skip(PART, "locks that are not there", why)
    else:
        unlocked = "something was written without a lock: code 0"
        yield planted(context, "a save without a lock", f"^set, ENOLCK: {unlocked}",
                      lambda context, t: no_locks(context, t, "ENOLCK", "retval=0"))
        if context.program("UpdateProbe"):
            yield planted(context, "a save by the library without a lock", "ENOLCK: it wrote without a lock: code 0",
                          lambda context, t: no_locks(context, t, "ENOLCK", "retval=0"))
        yield planted(context, "another failure than of the lock", "^[^,]*, ENOLCK: (code 15|it does not say)",
                      lambda context, t: no_locks(context, t, "ENOLCK", "error=EIO"))
        yield planted(context, "a save of the agent without a lock", f"^set through the agent, ENOSYS: {unlocked}",
                      lambda context, t: agent_without_locks(context, t, "ENOSYS", "retval=0"))
        yield planted(context, "an agent without a lock of its own", "^agent run, ENOLCK: code None",
                      lambda context, t: agent_of_its_own(context, t, "ENOLCK", "retval=0", 2))
        yield planted(context, "what is remembered is saved without a lock", "was changed without a lock$",
                      lambda context, t: freshness_without_locks(context, t, "ENOLCK", "retval=0"))
        yield planted(context, "a lock that is kept", ": still locked: ", kept)
    for what, says, work in PLANTED:
        yield planted(context, what, says, work)


def kept(context, t):
    """A save is killed, and another program takes the lock as if it were still that one."""
    calls, numbers = held_calls(context)
    holder_killed(context, t, calls, numbers[0], ["flock"])
