"""What is checked after a save that was killed or got a fault: nothing lost, nothing half, nothing left, and well told."""

import re
import stat

# What the message names as the step, by what is called and on what; `StorageError.Step` has the words. A step before
# that a save begins to write is enough: nothing has happened by then.
READING = "open the vault|read the vault|follow the symbolic link|open the directory|check the file to be replaced"
LOCKING = "open the lock file|lock the vault"
# What no save may pass over, by call and what it is made on; where it comes before the rename, nothing is made then.
BEFORE = re.compile(
    r"^(fsync\(.*\.v\.coffer\.tmp-|(openat|write|pread64|newfstatat|renameat2?)\(.*\.v\.coffer\.tmp-"
    r"|flock\(.*\.v\.coffer\.lock>, LOCK_EX|openat\(.*\.v\.coffer\.lock)")
AFTER = re.compile(r"^fsync\(.*/vaults>")
# What has to be told where it fails, though the save is made: what is remembered of the vault is not.
REMEMBERING = re.compile(r"^(fsync|openat|write|pread64|renameat2?)\(.*/state/.*\.freshness\.tmp-")
STEPS = [
    (r"fsync.*\.tmp-", "bring the temporary file to the disk"),
    (r"fsync", "bring the directory to the disk"),
    (r"renameat", "rename the temporary file"),
    (r"openat.*\.tmp-", "create the temporary file"),
    (r"write.*\.tmp-", "write the temporary file"),
    (r"pread64.*\.tmp-", "read the temporary file back"),
    (r"newfstatat.*\.tmp-", "keep the mode of the file|read the temporary file back|rename the temporary file"),
    (r"\.lock", LOCKING),
    (r"v\.coffer|/vaults", READING),
]


def check(t, place, save, outcome, label):
    """The vault after one save that a fault met; gives the generation."""
    generation, place.left = save.generation(place), set(place.leftovers())
    t.check(generation in ("old", "new"), f"{label}: {generation}; {outcome}")
    t.want(outcome.code is not None, f"{label}: it hangs")
    t.want(not outcome.trouble, f"{label}: {outcome}")
    t.want(not save.lost(place, generation, outcome), f"{label}: told as made, and {generation}; {outcome}")
    if generation == "old" and (again := save.again(place)):
        t.want(again.code == 0 and save.generation(place) == "new", f"{label}: it cannot be made again: {again}")
        generation = "old" if again.code else "made again"
    if generation in ("old", "new", "made again"):
        mode = place.vault.lstat().st_mode
        t.want(stat.S_ISREG(mode) and stat.S_IMODE(mode) == 0o600, f"{label}: its mode is {mode:o}")
        check_next_save(t, place, save, generation, label)
    return "old" if generation == "made again" else generation


def check_next_save(t, place, save, generation, label):
    """The next save finds the vault, is made, and takes away what the other one left."""
    passphrase = save.passphrase if generation == "new" else None
    before = place.opened(passphrase)
    done = place.coffer(["set", "next", *save.secret(place, generation)], b"y")
    good = t.want(done.code == 0, f"{label}: the next save fails: {done}")
    after = place.opened(passphrase)
    good = good and after.settings == {**before.settings, "next": "y"} and after.generation == before.generation + 1
    t.want(good, f"{label}: after the next save, generation {after.generation}, {str(after.settings)[:300]}")
    t.want(not place.leftovers(), f"{label}: left after the next save: {place.leftovers()}")
    state = place.state / "coffer"
    left = {path.name for path in state.iterdir()} - {"freshness", ".freshness.lock"} if state.is_dir() else ()
    t.want(not left, f"{label}: left in the state after the next save: {left}")


def check_killed(t, place, save, outcome, generation, call, text, label):
    """It, or who asked for it, ended as what was killed does."""
    t.want(save.killed(place, generation, outcome), f"{label}: not as what was killed ends, {generation}: {outcome}")


def check_told(t, place, save, outcome, generation, call, text, label):
    """Exit code and message after a failure at a call: 15, the step, and that the change is made if it is."""
    said, where = outcome.err.decode(errors="replace"), f"{call.name}({text}"
    left = place.left - set(save.left)
    t.want(not left or call.name == "unlinkat", f"{label}: left right after it: {left}; {outcome}")
    before = BEFORE.search(where) and not any(name in where for name in save.left)
    if before:
        t.want(save.is_unmade(place, generation, outcome), f"{label}: it failed, and is made: {generation}; {outcome}")
    if outcome.code == 0:
        t.want(not before and not AFTER.search(where), f"{label}: the failure is not told: {outcome}")
        told = not save.warns or not REMEMBERING.search(where) or "could not be written down" in said
        t.want(told, f"{label}: nothing is said of what is not remembered: {outcome}")
        return
    if not t.want(outcome.code == 15 and str(place.state) not in text, f"{label}: {outcome}"):
        return
    if text.startswith("1<"):
        return  # what was told could not be written
    if generation == "new" and not save.is_unmade(place, generation, outcome):
        t.want("may not survive a power cut" in said, f"{label}: made, and not told so: {outcome}")
        return
    told = re.search(r"could not ([a-z ]+)|may not survive a power cut", said)
    expected = next((steps for pattern, steps in STEPS if re.search(pattern, where)), "")
    named = told and (told[1] is None and "directory" in expected or told[1] and re.match(expected, told[1]))
    t.want(named, f"{label}: the message does not name the step, {expected}: {outcome}")
