"""A file system that has no locks, locks that somebody holds or leaves: no save without a lock, and none waits for ever.

Seen failing by --sabotage: locks that are given without being there, and a lock that is never given back.
"""

import concurrent.futures
import errno
import fcntl
import os
import subprocess
import time

from kit import faults
from kit.agent import Agent
from kit.crowd import Crowd, draw, held_locks, settle
from kit.pause import Paused, calls_of, known_place
from kit.place import Place
from kit.row import noticed, skip, tally
from parts.orders import WORDS, change_words, is_locked

PART = "locks"
ERRORS = ("ENOLCK", "EOPNOTSUPP", "ENOSYS", "EINVAL")
STEP = "could not lock the vault"


def lock_of(place):
    return place.folder / f".{place.vault.name}.lock"


def state_of(place):
    """What changes with everything that is written, made or removed beside the vault."""
    found, folder = place.vault.stat(), place.folder.stat()
    return (place.vault.read_bytes(), found.st_ino, found.st_mtime_ns, found.st_ctime_ns, folder.st_mtime_ns,
            sorted(os.listdir(place.folder)))


# ---- No locks

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
    before, log = state_of(place), place.home / "log"
    without = faults.everywhere("flock", fault, log)
    for words, data in verbs(place):
        outcome = place.coffer(words, data, without)
        refused(t, place, outcome, error, f"{words[0]}, {error}", before)
    other = place.folder / "other.coffer"
    made = place.coffer(["init", "--vault", str(other), "--cost", "3,64M", *place.secret], before=without)
    t.check(made.code == 15 and STEP.encode() in made.err and not other.exists(), f"init, {error}: {made}")
    if program := context.program("UpdateProbe"):
        done = place.run([*without, program, place.vault, 1], place.passphrase + b"\n")
        t.check(done.code != 0 and state_of(place)[:4] == before[:4], f"the library's program, {error}: {done}")
    for words, out in ((["get", "old", *place.secret], b"newer"), (["list", *place.secret], b"old\t"), (["check"], b"")):
        outcome = place.coffer(words, before=without)
        t.check(outcome.code == 0 and outcome.out.startswith(out), f"{words[0]}, which needs no lock, {error}: {outcome}")
    t.want(state_of(place)[:4] == before[:4], f"{error}: reading changed the vault")
    place.remove()


def agent_without_locks(context, t, error, fault):
    """The agent, where the vault has no lock: it refuses the save, keeps the vault unlocked, and saves once there is."""
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


def agent_of_its_own(context, t, error):
    """Where the agent's own folder has no locks there is no agent: two could take each other's place."""
    place = Place(context, f"own-{error}")
    without = faults.everywhere("flock", f"error={error}", place.home / "log")
    done = place.coffer(["agent", "run"], before=without, timeout=20)
    t.check(done.code == 15 and b"take the agent's lock" in done.err, f"agent run, {error}: {done}")
    t.want(not (place.home / "run/agent.sock").exists(), f"agent run, {error}: it left a socket")
    done = place.coffer(["unlock", *place.secret], before=without, timeout=30)
    t.check(done.code == 18, f"unlock, {error}: {done}")
    place.remove()


def freshness_without_locks(context, t, error):
    """Where only what is remembered cannot be locked, the save is made, and it is said that it was not remembered."""
    place = known_place(context, f"freshness-{error}")
    state = place.home / "state" / "coffer"
    before = (state / "freshness").read_bytes()
    words = [*faults.everywhere("flock", f"error={error}", place.home / "log"), "-P", str(state / ".freshness.lock")]
    outcome = place.coffer(["set", "new", *place.secret], b"value", words)
    t.check(outcome.code == 0 and b"could not be written down" in outcome.err, f"{error}: {outcome}")
    t.want(place.settings().get("new") == "value", f"{error}: told as made, and {place.settings()}")
    t.want((state / "freshness").read_bytes() == before, f"{error}: what is remembered was changed without a lock")
    crowd = Crowd(place, f"after {error}")
    settle(t, crowd, place.secret)
    place.remove()


# ---- Locks that somebody holds, or leaves

def holder_killed(context, t, calls, number, keeper=()):
    """A save is killed at a call while it holds the lock, and two wait: both are made at once, and its file is removed."""
    place = known_place(context, f"killed-{number}")
    label = f"killed at {calls[number]}".replace(f"{context.scratch}/", "")
    crowd = Crowd(place, label)
    paused = Paused(place, calls[number], WORDS["set"](place), b"1")
    t.want(paused.has_paused, f"{label}: it was not stopped")
    keepers = [subprocess.Popen([*keeper, str(lock_of(place)), "sleep", "60"])] if keeper else []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        waiting = [pool.submit(crowd.write, f"w{each}", f"{each}", place.secret) for each in range(2)]
        time.sleep(0.1)
        early = [str(write.result()) for write in waiting if write.done()]
        killed, start = paused.kill(), time.monotonic()
        late = max(write.result().end for write in waiting) - start
    t.check(killed.code == -9, f"{label}: {killed}")
    t.want(not early, f"{label}: done while another one held the lock: {early}")
    t.want(late < 8, f"{label}: the others waited for {late:.1f} s more")
    is_made = any(call.name.startswith("rename") and "v.coffer.tmp" in call.text for call in calls[:number])
    if is_made:  # one save more
        crowd.first.settings["one"] = "1"
        crowd.others = 1
    settle(t, crowd, place.secret)
    crowd.judge(t, counts=False)
    for process in keepers:
        process.kill()
    place.remove()


def held_for_long(context, t):
    """Who waits for a lock that another program keeps is told so after ten seconds, the agent's client after five."""
    place = known_place(context, "held")
    lock_of(place).touch(0o600)
    with lock_of(place).open("rb") as file, Agent(place) as agent, concurrent.futures.ThreadPoolExecutor(2) as pool:
        agent.unlock()
        fcntl.flock(file, fcntl.LOCK_EX)
        before = state_of(place)

        def attempt(words, least):
            start = time.monotonic()
            outcome = place.coffer(["set", "new", "--no-input", *words], b"value")
            seconds = time.monotonic() - start
            said = STEP.encode() in outcome.err and b"another process is changing the vault" in outcome.err
            t.check(outcome.code == 15 and said, f"held: {outcome}")
            t.want(least <= seconds < least + 20, f"held: told after {seconds:.1f} s")

        for done in [pool.submit(attempt, place.secret, 10), pool.submit(attempt, [], 5)]:
            done.result()
        t.want(state_of(place) == before, "held: something was written without the lock")
        fcntl.flock(file, fcntl.LOCK_UN)
        for words in (place.secret, []):
            outcome = place.coffer(["set", "new", "--no-input", *words], b"value")
            t.check(outcome.code == 0, f"given back: {outcome}")
    place.remove()


def left_behind(context, t):
    """A lock file that is left keeps nobody out, whatever is in it; one that is no file of ours is refused at once."""
    place = known_place(context, "left")
    lock = lock_of(place)
    for mode, content in ((0o600, b""), (0o666, b"4711\n"), (0o000, b"x")):
        lock.unlink(missing_ok=True)
        lock.write_bytes(content)
        lock.chmod(mode)
        number = lock.stat().st_ino
        done = place.coffer(["set", "new", *place.secret], b"value", timeout=9)
        # Another user than root cannot open a file of mode 000.
        good = done.code == 0 or mode == 0 and os.geteuid() != 0 and done.code == 15
        t.check(good, f"lock file of mode {mode:o}: {done}")
        found = lock.stat()
        same = (found.st_ino, found.st_mode & 0o777) == (number, 0o600) and lock.read_bytes() == content
        t.want(done.code != 0 or same, f"lock file of mode {mode:o}: it is another one, or {found.st_mode:o}")
    away = place.home / "away"
    away.write_bytes(b"mine")
    kinds = {
        "link": lambda: lock.symlink_to(away), "link to nothing": lambda: lock.symlink_to(place.home / "nothing"),
        "folder": lock.mkdir, "pipe": lambda: os.mkfifo(lock, 0o600), "hard link": lambda: os.link(away, lock),
    }
    for kind, make in kinds.items():
        lock.rmdir() if lock.is_dir() and not lock.is_symlink() else lock.unlink(missing_ok=True)
        make()
        before = state_of(place)
        done = place.coffer(["set", "new", *place.secret], b"other", timeout=9)
        t.check(done.code == 15 and b"could not open the lock file" in done.err, f"lock file is a {kind}: {done}")
        t.want(state_of(place) == before and away.read_bytes() == b"mine", f"lock file is a {kind}: something was written")
    place.remove()


def inherited(context, t):
    """What a command of ours leaves running holds no lock, nor any file of the vault."""
    place = Place(context, "inherited")
    command = f"sleep 60 > /dev/null 2>&1 & echo $! > {place.home}/pid; cat {place.passphrase_file}"
    done = place.coffer(["set", "new", "--passphrase-command", command], b"value")
    left = int((place.home / "pid").read_text())
    try:
        files = [os.readlink(f"/proc/{left}/fd/{number}") for number in os.listdir(f"/proc/{left}/fd")]
        t.check(done.code == 0 and not held_locks(place), f"a command that runs on: {held_locks(place)}; {done}")
        t.want(not any("coffer" in name for name in files), f"a command that runs on has open: {files}")
    finally:
        os.kill(left, 9)
    place.remove()


def held_calls(context):
    """The calls of a `set` before which it holds the lock; and which of them are tried."""
    calls = calls_of(context, "calls", WORDS["set"], b"1")
    numbers = [number for number in range(len(calls)) if is_locked(calls, number)]
    if context.short:
        numbers = sorted(draw(context.seed, PART).sample(numbers, 3))
    return calls, numbers


def run(context):
    rows, errors = [], ERRORS[:2] if context.short else ERRORS
    if why := faults.unavailable():
        rows.append(skip(PART, "a file system without locks", why))
    else:
        with tally(rows, PART, "a file system without locks, each verb: " + ", ".join(errors)) as t:
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                list(pool.map(lambda error: no_locks(context, t, error, f"error={error}"), errors))
        with tally(rows, PART, "the same through an agent; an agent there") as t:
            for error in errors:
                agent_without_locks(context, t, error, f"error={error}")
                agent_of_its_own(context, t, error)
        with tally(rows, PART, "what is remembered cannot be locked") as t:
            for error in errors:
                freshness_without_locks(context, t, error)
        with tally(rows, PART, "SIGKILL at each call under the lock, two wait for it") as t:
            calls, numbers = held_calls(context)
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                list(pool.map(lambda number: holder_killed(context, t, calls, number), numbers))
    if not context.short:
        with tally(rows, PART, "a lock that is held for longer than one waits") as t:
            held_for_long(context, t)
    with tally(rows, PART, "lock files that are left, or are something else") as t:
        left_behind(context, t)
        inherited(context, t)
    return rows


def planted(context, what, work, *arguments):
    rows = []
    with tally(rows, PART, what) as t:
        work(context, t, *arguments)
    return noticed(PART, what, rows)


def sabotage(context):
    if why := faults.unavailable():
        return [skip(PART, "locks that are not there", why)]
    calls, numbers = held_calls(context)
    return [
        planted(context, "a save without a lock", no_locks, "ENOLCK", "retval=0"),
        planted(context, "a save of the agent without a lock", agent_without_locks, "ENOSYS", "retval=0"),
        planted(context, "a lock that is kept", holder_killed, calls, numbers[0], ["flock"]),
    ]
