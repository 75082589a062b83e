"""The locks of a home, and what has to be so beside a vault when all who changed it are done."""

import fcntl
import os

STEP = "could not lock the vault"


def lock_of(place):
    return place.folder / f".{place.vault.name}.lock"


def state_of(place):
    """What changes with everything that is written, made or removed beside the vault."""
    found, folder = place.vault.stat(), place.folder.stat()
    return (place.vault.read_bytes(), found.st_ino, found.st_mtime_ns, found.st_ctime_ns, folder.st_mtime_ns,
            sorted(os.listdir(place.folder)))


def held_locks(place):
    """The lock files of a home that somebody holds; an agent may hold its own for life."""
    held = []
    for path in [*place.folder.glob(".*.lock"), *(place.home / "state").rglob(".*.lock")]:
        with path.open("rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                held.append(path.name)
    return held


def ready(t, place, agent, label):
    """Unlocks the vault in an agent, and sees that it gives values out."""
    unlocked = agent.unlock()
    t.want(agent.is_ready and unlocked.code == 0, f"{label}: no agent: {unlocked}")
    got = place.coffer(["get", "old", "--no-input"])
    t.want((got.code, got.out.strip()) == (0, b"value"), f"{label}: nothing to be had from the agent: {got}")


def settle(t, crowd, words, passphrase=None):
    """After all: nobody holds a lock, the next save works and clears up, and what is remembered fits the file."""
    place, label = crowd.place, crowd.label
    t.want(not held_locks(place), f"{label}: still locked: {held_locks(place)}")
    write = crowd.write("last", f"last {label}", words)
    t.want(write.code == 0, f"{label}: the next save fails: {write}")
    t.want(lock_of(place).exists(), f"{label}: the next save leaves no lock file, so nothing was locked")
    t.want(not place.leftovers(), f"{label}: left after the next save: {place.leftovers()}")
    t.want(not held_locks(place), f"{label}: locked after the next save: {held_locks(place)}")
    file = place.home / "passphrase-now"
    file.write_bytes((passphrase or place.passphrase) + b"\n")
    listed = place.coffer(["list", "--passphrase-file", str(file)])
    t.want(listed.code == 0, f"{label}: what is remembered does not fit the file: {listed}")
    names = {line.split(b"\t")[0].decode() for line in listed.out.splitlines()}
    t.want(names == crowd.opened().settings.keys(), f"{label}: it lists {sorted(names)}")
