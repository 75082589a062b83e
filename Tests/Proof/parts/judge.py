"""What exit code and message have to tell after a fault, by the kind of fault; the vault itself is aftermath.py's."""

import re

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
    (r"/passphrase[>\"]", "the passphrase from"),
    (r"^read\(0<", "the value from"),
    (r"\.lock", LOCKING),
    (r"v\.coffer|/vaults", READING),
]


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
    if "/vaults" in text and (probe := re.match(r"UpdateProbe: (\w+)", said)):
        t.want(probe[1] in ("ioError", "savedButNotSynced"), f"{label}: another error than ioError: {outcome}")
    if text.startswith("1<"):
        return  # what was told could not be written
    if generation == "new" and not save.is_unmade(place, generation, outcome):
        t.want("may not survive a power cut" in said, f"{label}: made, and not told so: {outcome}")
        return
    told = re.search(r"(?:could not|reading) ([a-z ]+)|may not survive a power cut", said)
    expected = next((steps for pattern, steps in STEPS if re.search(pattern, where)), "")
    named = told and (told[1] is None and "directory" in expected or told[1] and re.match(expected, told[1]))
    t.want(named, f"{label}: the message does not name the step, {expected}: {outcome}")


def interrupted(t, place, save, outcome, generation, call, text, label):
    """A call that a signal interrupts is made again; but no fsync, which could then report success over lost bytes."""
    if call.name == "fsync":
        check_told(t, place, save, outcome, generation, call, text, label)
    else:
        t.want(generation == "new" and outcome.code == 0, f"{label}: {generation}; {outcome}")


def not_told_as_made(t, place, save, outcome, generation, call, text, label):
    """A disk that takes or gives half and says nothing of it: whatever is told, it is no success over an old vault."""
    good = outcome.code in (0, 3, 5, 9, 10, 15) and (outcome.code == 0 or outcome.err)
    t.want(good, f"{label}: {outcome}")


def asked(t, place, save, outcome, generation, call, text, label):
    """A client of the agent: the agent may have made the change, and then it is not told as not made."""
    t.want(not place.left, f"{label}: left right after it: {place.left}; {outcome}")
    told = generation == "old" or b"whether the change" in outcome.err or b"may not survive" in outcome.err
    good = outcome.code in (7, 14, 15, 18) and b"coffer: " in outcome.err and told
    t.want(outcome.code == 0 or good or text.startswith(("1<", "2<")), f"{label}: {generation}, {outcome}")


def ended(t, place, save, outcome, generation, call, text, label):
    """No memory, no socket, no thread: it goes on without, or says so; it never breaks down."""
    said = re.search(rb"(coffer|UpdateProbe): ", outcome.err)
    t.want(outcome.code == 0 or outcome.code in (7, 15, 18) and said, f"{label}: {outcome}")


def unseen(t, place, save, outcome, generation, call, text, label):
    """Where the trace does not tell on what a call is made: only that it does not break down."""
    t.want(outcome.code in (0, 15), f"{label}: {outcome}")
