"""The umask and the home directory: what a program finds and did not choose."""

import os
import pathlib
import random
import shutil
import stat
import tempfile

from checks.verbs import SECRET, VERBS, Desk
from kit.row import skip, tally

PART = "environment"
NOBODY = {"user": 65_534, "group": 65_534, "extra_groups": []}
STRANGER = {"user": 54_321, "group": 54_321, "extra_groups": []}  # a user of whom the system knows nothing
MASKS = [0o000, 0o002, 0o022, 0o027, 0o077, 0o277, 0o777]


def shared(context, name):
    """A desk at a place that every user can reach; the caller removes it."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="coffer-proof-"))
    folder.chmod(0o755)
    return Desk(context, name, folder / "home")


def give(desk, user):
    """Makes all of a desk another user's."""
    for path in (desk.home, *desk.home.rglob("*")):
        os.chown(path, user.get("user", os.getuid()), user.get("group", os.getgid()), follow_symlinks=False)
    desk.home.chmod(0o700)


def other_user(context):
    """Words for subprocess that make it another user where this one is root, who may do all; and why not, if not."""
    if os.geteuid() != 0:
        return {}, None
    desk = shared(context, "reach")
    try:
        done = desk.coffer(["version"], **NOBODY)
        return NOBODY, None if done.code == 0 else f"another user cannot run {context.coffer}"
    except OSError as error:
        return NOBODY, f"another user cannot run {context.coffer}: {error}"
    finally:
        shutil.rmtree(desk.home.parent)


def wide(folder):
    """What others may reach, or the owner may not."""
    found = []
    for path in [*folder.rglob("*")]:
        mode = path.lstat().st_mode
        wanted = 0o700 if stat.S_ISDIR(mode) else 0o600 if stat.S_ISREG(mode) else None
        if wanted is not None and stat.S_IMODE(mode) != wanted:
            found.append(f"{path.relative_to(folder)} has {stat.S_IMODE(mode):o}")
    return found


def masked(t, context, user, mask):
    """A first vault in directories that are not there yet, then changes, a new passphrase and an agent."""
    desk = shared(context, f"mask-{mask:o}")
    user_home = desk.home / "user"
    user_home.mkdir(0o700)
    desk.environment.update(HOME=str(user_home), COFFER_RUNTIME_DIR=str(user_home / "run"))
    for name in ("COFFER_VAULT", "XDG_STATE_HOME"):
        del desk.environment[name]
    for path in (desk.passphrase_file, desk.next):
        path.chmod(0o600)
    give(desk, user)
    new = ["--passphrase-file", str(desk.next)]
    steps = [
        (["init", "--cost", "3,64M", *desk.secret], b"", b""), (["set", "a", *desk.secret], SECRET.encode(), b""),
        (["get", "a", *desk.secret], b"", SECRET.encode()),
        (["passphrase", "--cost", "3,64M", *desk.secret, "--new-passphrase-file", str(desk.next)], b"", b""),
        (["unlock", *new], b"", b""), (["set", "b"], b"two", b""), (["get", "b"], b"", b"two"),
        (["list"], b"", b"a\tstring\nb\tstring\n"), (["check"], b"", None), (["agent", "stop"], b"", b""),
        (["get", "b", *new], b"", b"two"),
    ]
    for words, data, out in steps:
        done = desk.coffer(words, data, umask=mask, **user)
        found = wide(user_home)
        good = done.code == 0 and not found and out in (None, done.out)
        t.check(good, f"umask {mask:03o}, coffer {' '.join(words[:2])}: {found or done}")
    files = {path.name for path in user_home.rglob("*")}
    made = {"default.coffer", ".default.coffer.lock", "freshness", "agent.lock"}
    t.check(made <= files, f"umask {mask:03o}: {files}")
    desk.coffer(["agent", "stop"], **user)
    shutil.rmtree(desk.home.parent)


def homes(desk):
    """Homes that are none, by name."""
    locked = desk.home / "locked"
    locked.mkdir(exist_ok=True)
    locked.chmod(0)
    return {"unset": None, "empty": "", "relative": "made-home", "missing": "/nonexistent/x", "/proc": "/proc",
            "a file": str(desk.passphrase_file), "not permitted": str(locked), "no UTF-8": b"/tmp/\xff\x9b31m",
            "too long": "/" + "x" * 5_000}


def without_home(t, context, user, name, draw):
    """All verbs work with a vault that is named, and say so where it is not; nothing is made somewhere else."""
    desk = shared(context, "home")
    home = homes(desk)[name]
    del desk.environment["XDG_STATE_HOME"], desk.environment["HOME"]
    if home is not None:
        desk.environment["HOME"] = home
    verbs = [verb for verb in VERBS if verb.way != "agent"]
    for verb in draw.sample(verbs, 3) if context.short else verbs:
        desk.reset()
        data = desk.value.read_bytes() if verb.reads else b""
        if verb.way == "idle":
            give(desk, user)
            desk.coffer(["agent", "start"], **user)
        give(desk, user)
        done = desk.coffer(verb.words(desk), data, **user)
        wrong = (done if done.code else None) or verb.wrong(desk, True)
        t.check(not wrong, f"HOME {name}: {verb}: {wrong}")
        desk.coffer(["agent", "stop"], **user)
    # Where is the vault that nobody named? At the place of the account's, or nowhere: none is there.
    desk.environment.pop("COFFER_VAULT")
    before = sorted(os.listdir(desk.home))
    for words in (["get", "a", *desk.secret], ["list"], ["check"], ["unlock", *desk.secret]):
        done = desk.coffer(words, **user)
        t.check(done.code in (19, 15) and b"coffer: " in done.err, f"HOME {name}, no vault named: {words}: {done}")
    done = desk.coffer(["init", "--cost", "3,64M", *desk.secret], **user)
    t.check(done.code in (19, 15), f"HOME {name}, no vault named: coffer init: {done}")
    (desk.home / "locked").chmod(0o700)
    after = sorted(set(os.listdir(desk.home)) - {"run", "locked"} - set(before))
    t.check(not after, f"HOME {name}: it made {after}")
    shutil.rmtree(desk.home.parent)


def no_variables(t, context, user):
    """No environment at all."""
    desk = shared(context, "bare")
    temporary = desk.home / "tmp"
    temporary.mkdir()
    desk.environment = {"LD_LIBRARY_PATH": context.libraries} if context.libraries else {}
    give(desk, user)
    vault = ["--vault", str(desk.vault)]
    for words, code, out in ((["version"], 0, None), (["help"], 0, None),
                             (["get", "a", *desk.secret, *vault], 0, SECRET.encode()), (["check", *vault], 0, None),
                             (["get", "a", *desk.secret], 19, b"")):
        done = desk.coffer(words, **user)
        t.check(done.code == code and out in (None, done.out), f"no environment: coffer {' '.join(words[:2])}: {done}")
    more = {"environment": {"TMPDIR": str(temporary)}, **user}
    if not os.path.isdir(f"/run/user/{user['user']}"):
        codes = [desk.coffer(words, **more).code for words in (
            ["unlock", *desk.secret, *vault], ["get", "a", *vault], ["agent", "stop"])]
        t.check(codes == [0, 0, 0] and not wide(temporary), f"TMPDIR alone, an agent: {codes}, {wide(temporary)}")
    shutil.rmtree(desk.home.parent)


def run(rows, context, desk):
    draw = random.Random(context.seed)
    user, why = other_user(context)
    if why:
        rows.append(skip(PART, "umask and HOME as another user", why))
    else:
        with tally(rows, PART, "umask 000 to 777, from the first vault on: 0700 and 0600") as t:
            for mask in (0o777,) if context.short else MASKS:
                masked(t, context, user, mask)
        with tally(rows, PART, "HOME unset, empty, relative, missing, forbidden, every verb") as t:
            names = list(homes(desk))
            if not user:  # the real home is not to be touched
                names = [name for name in names if name not in ("unset", "empty", "relative")]
            for name in draw.sample(names, 1) if context.short else names:
                without_home(t, context, user, name, draw)
            if user and not context.short:
                without_home(t, context, STRANGER, "unset", draw)
                no_variables(t, context, user)
