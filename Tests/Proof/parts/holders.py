"""Locks that somebody holds, loses or leaves: nobody waits for ever, and none is left when its holder is killed.

Seen failing by the --sabotage of locks.py: a lock that is never given back, and what PLANTED names.
"""

import concurrent.futures
import contextlib
import fcntl
import os
import subprocess
import time

from kit.agent import Agent
from kit.crowd import Crowd, draw
from kit.pause import Paused, calls_of, known_place
from kit.place import Place
from kit.settled import STEP, held_locks, lock_of, ready, settle, state_of
from parts.liars import ANEW, HASTY, lying
from parts.orders import WORDS, is_locked

PART = "locks"


def holder_killed(context, t, calls, number, keeper=()):
    """A save is killed at a call while it holds the lock, and two wait: both are made, and its file is removed."""
    place = known_place(context, f"killed-{number}")
    label = f"killed at {calls[number]}".replace(f"{context.scratch}/", "")
    crowd = Crowd(place, label)
    with contextlib.ExitStack() as ending:
        paused = ending.enter_context(Paused(place, calls[number], WORDS["set"](place), b"1"))
        t.want(paused.has_paused, f"{label}: it was not stopped")
        if keeper:
            kept = subprocess.Popen([*keeper, str(lock_of(place)), "sleep", "60"], start_new_session=True)
            ending.callback(kept.wait)
            ending.callback(os.killpg, kept.pid, 9)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            waiting = [pool.submit(crowd.write, f"w{each}", f"{each}", place.secret) for each in range(2)]
            time.sleep(0.1)
            early = [str(write.result()) for write in waiting if write.done()]
            killed = paused.kill()
        t.check(killed.code == -9, f"{label}: {killed}")
        t.want(not early, f"{label}: done while another one held the lock: {early}")
        is_made = any(call.name.startswith("rename") and "v.coffer.tmp" in call.text for call in calls[:number])
        if is_made:  # one save more
            crowd.first.settings["one"] = "1"
            crowd.others = 1
        settle(t, crowd, place.secret)
        crowd.judge(t, counts=False)
    place.remove()


def held_for_long(context, t):
    """Who waits for a lock that another program keeps is told so after ten seconds, the agent's client after five."""
    place = known_place(context, "held")
    lock_of(place).touch(0o600)
    pool = concurrent.futures.ThreadPoolExecutor(2)
    with lock_of(place).open("rb") as file, Agent(place) as agent, pool:
        ready(t, place, agent, "held")
        fcntl.flock(file, fcntl.LOCK_EX)
        before = state_of(place)

        def attempt(words, least):
            start = time.monotonic()
            outcome = place.coffer(["set", "new", "--no-input", *words], b"value")
            seconds = time.monotonic() - start
            said = STEP.encode() in outcome.err and b"another process is changing the vault" in outcome.err
            t.check(outcome.code == 15 and said, f"held: {outcome}")
            t.want(least <= seconds, f"held: told after {seconds:.1f} s")

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
        good = state_of(place) == before and away.read_bytes() == b"mine"
        t.want(good, f"lock file is a {kind}: something was written")
    place.remove()


def inherited(context, t, first=""):
    """What a command of ours leaves running holds no lock, nor any file of the vault; `first`: what it does before."""
    place = Place(context, "inherited")
    command = f"{first}sleep 60 > /dev/null 2>&1 & echo $! > {place.home}/pid; cat {place.passphrase_file}"
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


PLANTED = [
    # what is wrong, what has to be told, how it is tried
    ("a lock that nobody waits for", r"^held: told after [01]\.\d s",
     lambda context, t: held_for_long(lying(context, "hasty", HASTY), t)),
    ("a lock file that is made anew", r"^lock file of mode \d+: it is another one",
     lambda context, t: left_behind(lying(context, "anew", ANEW), t)),
    ("a lock file that is a pipe, removed", r"^lock file is a pipe: code 0",
     lambda context, t: left_behind(lying(context, "pipe", ANEW), t)),
    ("a file of the vault that is left open", r"^a command that runs on has open: .*/v\.coffer\b",
     lambda context, t: inherited(context, t, 'exec 9< "$COFFER_VAULT"; ')),
]
