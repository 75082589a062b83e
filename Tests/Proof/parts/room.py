"""Saves where there is no room, and where nothing may be written: real conditions, no injected ones.

Seen failing by --sabotage: a program that tells each save as made, and one that empties the vault.
"""

import contextlib
import dataclasses
import os
import subprocess

from kit import mounts
from kit.place import Place
from kit.row import noticed, skip, tally

VALUE = b"w" * 9_000  # three pages, so that a disk can be full within a write
NOBODY = 65_534


def check(t, place, outcome, expected, label, steps=""):
    """The old vault, whole, and a failure that names the step; or, where there is room, the new one."""
    if outcome.code == 0 and "room" in expected:
        t.check(place.settings().get("new") == VALUE.decode(), f"{label}: told as made, and is not")
    else:
        t.check(place.vault.read_bytes() == place.original, f"{label}: not the old vault")
        said = outcome.err.decode(errors="replace")
        named = any(f"could not {step}" in said for step in steps)
        t.want(outcome.code == 15 and named, f"{label}: the message does not name the step, {steps}: {outcome}")
    t.want(not place.leftovers(), f"{label}: left: {place.leftovers()}")


def fill(place, free, size=4_096):
    """Takes all room of a file system but this many blocks."""
    filler = place.home / "filler"
    with open(filler, "wb", buffering=0) as file, contextlib.suppress(OSError):
        while file.write(b"\1" * size) == size:
            pass
    with open(filler, "r+b") as file:
        file.truncate(max(0, filler.stat().st_size - free * size))
        os.fsync(file.fileno())
    os.sync()
    return filler


def full(t, context, folder, kind, free):
    place = Place(context, "full", folder=folder / f"home{free}")
    words = ["set", "new", *place.secret]
    place.coffer(["get", "old", *place.secret])  # what is remembered of it is there
    os.sync()
    filler = fill(place, free)
    try:
        outcome = place.coffer(words, VALUE)
        label = f"a full {kind}, {free} blocks free"
        steps = ("create the temporary file", "write the temporary file", "bring the temporary file to the disk",
                 "open the lock file")
        check(t, place, outcome, "or room", label, steps)
    finally:
        filler.unlink()
        os.sync()
    done = place.coffer(words, VALUE)
    t.want(done.code == 0 and place.settings().get("new") == VALUE.decode(), f"{label}: with room again: {done}")
    place.remove()
    return outcome


def full_disks(context, rows):
    """The row fails, too, if no disk was full, or none just when the temporary file was written."""
    for kind in ("tmpfs", "ext4"):
        what = f"set on a full {kind}, block by block"
        try:
            folder = context.scratch / kind
            if kind == "ext4":
                mounts.make_image(context.scratch / "full.img", 4)
            with (mounts.tmpfs(folder, "size=160k") if kind == "tmpfs" else
                  mounts.image(context.scratch / "full.img", folder)), tally(rows, "crash", what) as t:
                ends = [full(t, context, folder, kind, free) for free in range(3 if context.short else 12)]
                written = any(b"could not write the temporary file" in end.err for end in ends)
                t.want(written, f"no disk was full in the middle: {[end.code for end in ends]}")
        except mounts.Refused as error:
            rows.append(skip("crash", what, str(error)))


def limited(context, rows):
    """RLIMIT_FSIZE makes writes short, and then refuses them."""
    with tally(rows, "crash", "set, files limited to N bytes") as t:
        place = Place(context, "limited")
        for most in (1, 100, 4_096) if context.short else (0, 1, 7, 100, 512, 4_095, 4_096, 4_097, 8_192, 12_000):
            place.reset()
            outcome = place.coffer(["set", "new", *place.secret], VALUE, ["/usr/bin/prlimit", f"--fsize={most}"])
            check(t, place, outcome, "failure", f"files of at most {most} bytes", ("write the temporary file",))


def forbidden(context, rows):
    """Directories that may not be written, or not even entered; for root as another user."""
    what = "set where nothing may be written"
    user = ["/usr/bin/setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"] if os.geteuid() == 0 else []
    for folder in (context.scratch, context.scratch.parent):
        folder.chmod(0o711)
    if subprocess.run([*user, "/usr/bin/test", "-x", context.coffer], check=False).returncode != 0:
        rows.append(skip("crash", what, f"another user cannot execute {context.coffer}"))
        return
    with tally(rows, "crash", what) as t:
        for mode, steps in ((0o500, ["open the lock file"]), (0o400, ["open the vault"]), (0o000, ["open the vault"])):
            place = Place(context, f"mode{mode:o}")
            if user:
                subprocess.run(["chown", "-R", str(NOBODY), place.home], check=True)
            place.folder.chmod(mode)
            label = f"a directory of mode {mode:04o}"
            outcome = place.coffer(["set", "new", *place.secret], VALUE, user)
            got = place.coffer(["get", "old", *place.secret], before=user)
            place.folder.chmod(0o700)
            check(t, place, outcome, "failure", label, steps)
            readable = (got.code == 0 and got.out == b"value") if mode & 0o100 else got.code == 15
            t.want(readable, f"{label}: get: {got}")
    what = "set on a file system that is read-only"
    try:
        with mounts.tmpfs(context.scratch / "ro", "size=1m") as folder, tally(rows, "crash", what) as t:
            place = Place(context, "ro", folder=folder / "home")
            mounts.command("mount", "-o", "remount,ro", folder)
            outcome = place.coffer(["set", "new", *place.secret], VALUE)
            check(t, place, outcome, "failure", "a read-only file system", ("open the lock file",))
            got = place.coffer(["get", "old", *place.secret])
            t.want(got.code == 0 and got.out == b"value", f"a read-only file system: get: {got}")
    except mounts.Refused as error:
        rows.append(skip("crash", what, str(error)))


def run(context):
    rows = []
    for work in (full_disks, limited, forbidden):
        work(context, rows)
    return rows


WRONG = {
    "tells each save as made": ('[ "$1" = set ] && exit 0', "told as made, and is not|does not name the step"),
    "empties the vault": ('[ "$1" = set ] && {{ : > "$COFFER_VAULT"; exit 15; }}', "not the old vault"),
    "names no step": ('[ "$1" = set ] && {{ "{coffer}" "$@" 2>/dev/null; exit $?; }}', "does not name the step"),
}


def sabotage(context):
    """Each of the three checks has to notice each of these programs, which are wrong at `set`."""
    context.scratch.parent.chmod(0o711)
    for number, (what, (script, says)) in enumerate(WRONG.items()):
        for work in (full_disks, limited, forbidden):
            folder, rows = context.scratch / f"{work.__name__}{number}", []
            folder.mkdir()
            wrong = folder / "wrong"
            lines = "#!/bin/bash", script.format(coffer=context.coffer), f'exec "{context.coffer}" "$@"', ""
            wrong.write_text("\n".join(lines))
            wrong.chmod(0o755)
            work(dataclasses.replace(context, scratch=folder, coffer=str(wrong), short=True), rows)
            yield noticed("crash", f"{work.__name__.replace('_', ' ')}: {what}", rows, says=says)
