"""A power cut at each call of a save on files: only what had reached the disk by then is there afterwards.

The disk is an image, on a loop device with ext4. The saving process is killed at a call, and at once, while the image
is still mounted, it is copied: what the kernel has not written to the disk yet is not in it. The copy is mounted, which
replays its journal, and judged like a save that was killed. A disk that reorders what it has not been told to flush is
not tried. Seen failing by --sabotage: strace skips each fsync.
"""

import concurrent.futures
import dataclasses
import random
import re
import shutil
import time

from kit import faults, mounts
from kit.place import Place
from kit.row import noticed, skip, tally
from parts import aftermath, saves, ways
from parts.agent_saves import AgentSave
from parts.kinds import FILES, own

OPTIONS = {
    "ext4": "loop",
    # Nothing that makes up for a missing fsync, and a commit every second. What is remembered of the vault is on
    # another disk, that is not cut off: it must never be ahead of the vault.
    "harsh ext4": "loop,noauto_da_alloc,data=writeback,commit=1",
}
DISKS = 2
# They save by the same code, and crash.py kills them at each call; and the vault that `init` is not to find is on the
# disk. Of the agent it is the answer that matters: whether it comes before all is on the disk.
NOT_CUT = (AgentSave, saves.StaticSave, saves.InitSave, saves.LeftoverSave)
SKIPPED = {"any fsync": ".", "that of the file": r"\.v\.coffer\.tmp-", "that of the directory": "/vaults>"}


class Disk:
    """An image with a vault on it, as it was before the save; and where it, or what a cut left, is mounted."""

    def __init__(self, context, save, number, kind):
        self.save, self.options = save, OPTIONS[kind]
        folder = context.scratch / f"{save.name.split()[-1]}-{kind.split()[0]}{number}"
        folder.mkdir()
        self.original, self.live, self.cut, self.root = (folder / name for name in ("first", "live", "cut", "root"))
        mounts.make_image(self.original)
        with mounts.image(self.original, self.root, self.options):
            self.place = Place(context, "home", folder=self.root / "home")
            if "harsh" in kind:
                self.place.state = folder / "state"
                self.place.environment["XDG_STATE_HOME"] = str(self.place.state)
            self.calls = [] if isinstance(save, AgentSave) else save.calls(self.place, folder / "trace")
            self.place.reset()
            save.secret(self.place, "new")  # what it needs is on the disk

    def after_cut(self, before, check, wait=0.0):
        """Makes the save, with these words before it, on the live disk; then checks what a cut at its end leaves.

        That of an agent is cut once the client has its answer, while the agent lives.
        """
        def cut():
            time.sleep(wait)
            shutil.copyfile(self.live, self.cut)

        shutil.copyfile(self.original, self.live)
        shutil.rmtree(self.place.state, ignore_errors=True)
        with mounts.image(self.live, self.root, self.options):
            if isinstance(self.save, AgentSave):
                outcome = self.save.work(self.place, before, cut)
            else:
                outcome = self.save.work(self.place, before)
                cut()
        with mounts.image(self.cut, self.root, self.options):
            check(self.place, outcome)


def cutting(call, log, skipped):
    """The words that kill at a call, and make some fsyncs do nothing: "all", or those of one number."""
    words = faults.tracing(log, True, f"fsync,{call.name}" if call else "fsync")
    if skipped:
        words += ["-e", "inject=fsync:retval=0" + ("" if skipped == "all" else f":when={skipped}")]
    return words + (["-e", f"inject={call.name}:signal=KILL:when={call.number}"] if call else [])


def drive(context, rows, save, kind, most=None, skipped=None):
    """One row: a cut at each call, and one after the end."""
    why = f", no fsync {skipped.pattern}" if skipped else ""
    what = "each call" if most is None else "some calls"
    with tally(rows, "power", f"{save.name} on {kind}{why}: a cut at {what} on files") as t:
        disks = [Disk(context, save, number, kind) for number in range(DISKS)]
        calls = [call for call in own(disks[0].calls, disks[0].place)[0] if call.name in FILES]
        numbers = None
        if skipped:
            missing = [call for call in calls if call.name == "fsync" and skipped.search(call.text)]
            numbers = str(missing[0].number) if len(missing) == 1 else "all"
            calls = [call for call in calls if call.name != "fsync"]  # strace makes one fault a call
        if most is not None:
            writing = [call for call in calls if ".v.coffer.tmp-" in call.text or call.name == "fsync"]
            draw = random.Random(f"{context.seed}/{save.name}/{kind}")
            others = [call for call in calls if call not in writing]
            chosen = draw.sample(writing, min(len(writing), most)) + draw.sample(others, min(len(others), most // 2))
            calls = [call for call in calls if call in chosen]
        free = list(disks)

        def attempt(call, wait):
            disk = free.pop()
            try:
                label = f"{save.name} on {kind}{why}, cut {f'at {call}' if call else 'once it is done'}, after {wait} s"
                label = label.replace(str(disk.place.home), "~")
                log = context.scratch / f"log-{disk.root.parent.name}"

                def check(place, outcome):
                    t.want(outcome.code == (-9 if call else 0), f"{label}: it was not cut there: {outcome}")
                    aftermath.check(t, place, save, outcome, label)

                disk.after_cut(cutting(call, log, numbers), check, wait)
            finally:
                free.append(disk)

        # Time for a commit of the journal, which may come before what it speaks of has been written.
        first = next((number for number, call in enumerate(calls) if ".v.coffer.tmp-" in call.text), 0)
        late = [call for call in calls[first:] if call.name in ("renameat", "close")][:None if most is None else 1]
        cuts = [(call, 0.0) for call in [*calls, None]] + [(call, 1.3) for call in late if "harsh" in kind]
        with concurrent.futures.ThreadPoolExecutor(DISKS) as pool:
            for done in [pool.submit(attempt, *cut) for cut in cuts]:
                done.result()


def drive_answers(context, rows, save, kind, times, skipped=False):
    """One row: a cut right after the agent has answered, which it must not before the save is on the disk."""
    why = ", no fsync" if skipped else ""
    with tally(rows, "power", f"{save.name} on {kind}{why}: a cut once it is answered") as t:
        disk = Disk(context, save, 0, kind)
        for number in range(times):
            label = f"{save.name} on {kind}{why}, cut once it is answered, time {number}"
            log = context.scratch / "log"

            def check(place, outcome):
                t.want(outcome.code == 0, f"{label}: it is not made: {outcome}")
                aftermath.check(t, place, save, outcome, label)

            disk.after_cut(cutting(None, log, "all") if skipped else [], check)


def unavailable(context):
    """Why no disk can be cut off here, or None."""
    if why := faults.unavailable():
        return why
    try:
        mounts.make_image(context.scratch / "try", 2)
        with mounts.image(context.scratch / "try", context.scratch / "tried"):
            return None
    except (mounts.Refused, OSError) as error:
        return f"mounting is not permitted: {error}"


def run(context):
    if why := unavailable(context):
        yield skip("power", "a power cut at each call of a save", why)
        return
    tried, missing = ways.available(context)
    for save in tried:
        rows = []
        for kind in OPTIONS:
            if type(save) is AgentSave:
                if kind == "harsh ext4" or not context.short:
                    drive_answers(context, rows, save, kind, 1 if context.short else 10)
            elif isinstance(save, NOT_CUT):
                continue
            elif not context.short:
                drive(context, rows, save, kind)
            elif kind == "harsh ext4" and save.name != "passphrase":
                drive(context, rows, save, kind, most=6)
        yield from rows
    for name, why in missing:
        if name == saves.BatchSave.name:
            yield skip("power", f"{name}: a cut at each call", why)


def sabotage(context):
    """Without fsync, what was told as made is lost, and a vault can be empty; without one of both, too."""
    if why := unavailable(context):
        return [skip("power", "saves without fsync", why)]
    result = []
    for number, (what, pattern) in enumerate(SKIPPED.items()):
        folder = context.scratch / str(number)
        folder.mkdir()
        for save in ways.available(context)[0]:
            rows = []
            if type(save) is AgentSave and pattern == ".":
                drive_answers(dataclasses.replace(context, scratch=folder), rows, save, "harsh ext4", 2, True)
                result.append(noticed("power", f"{save.name}: without {what}", rows, says="told as made, and"))
            if isinstance(save, NOT_CUT) or pattern != "." and save.name != "set":
                continue
            drive(dataclasses.replace(context, scratch=folder), rows, save, "harsh ext4", 6, re.compile(pattern))
            result.append(noticed("power", f"{save.name}: without {what}", rows, says="told as made, and|neither"))
    return result
