"""A power cut at each call of a save on files: only what had reached the disk by then is there afterwards.

The disk is an image, on a loop device with ext4. The saving process is killed at a call, and at once, while the image is
still mounted, it is copied: what the kernel has not written to the disk yet is not in it. The copy is mounted, which
replays its journal, and judged like a save that was killed. A disk that reorders what it has not been told to flush is
not tried. Seen failing by --sabotage: strace skips each fsync.
"""

import concurrent.futures
import random
import shutil
import time

from kit import faults, mounts
from kit.place import Place
from kit.row import noticed, skip, tally
from parts import aftermath, saves
from parts.crash import FILES, own

OPTIONS = {
    "ext4": "loop",
    # Nothing that makes up for a missing fsync, and a commit every second.
    "harsh ext4": "loop,noauto_da_alloc,data=writeback,commit=1",
}
DISKS = 2


class Disk:
    """An image with a vault on it, as it was before the save; and where it, or what a cut left, is mounted."""

    def __init__(self, context, save, number, options):
        self.save, self.options = save, options
        folder = context.scratch / f"{save.name.split()[0]}{number}{len(options)}"
        folder.mkdir()
        self.original, self.live, self.cut, self.root = (folder / name for name in ("first", "live", "cut", "root"))
        mounts.make_image(self.original)
        with mounts.image(self.original, self.root, options):
            self.place = Place(context, "home", folder=self.root / "home")
            self.calls = save.calls(self.place, folder / "trace")
            self.place.reset()
            save.secret(self.place, "new")  # what it needs is on the disk

    def after_cut(self, before, check, wait=0.0):
        """Makes the save, with these words before it, on the live disk; then checks what a cut at its end leaves."""
        shutil.copyfile(self.original, self.live)
        with mounts.image(self.live, self.root, self.options):
            outcome = self.save.work(self.place, before)
            time.sleep(wait)
            shutil.copyfile(self.live, self.cut)
        with mounts.image(self.cut, self.root, self.options):
            check(self.place, outcome)


def cutting(call, log, without_fsync):
    """The words that kill at a call, and make each fsync do nothing if that is wanted."""
    words = faults.tracing(log, True, f"fsync,{call.name}" if call else "fsync")
    words += ["-e", "inject=fsync:retval=0"] if without_fsync else []
    return words + (["-e", f"inject={call.name}:signal=KILL:when={call.number}"] if call else [])


def drive(context, rows, save, kind, without_fsync=False, most=None):
    """One row: a cut at each call, and one after the end."""
    why = " without fsync" if without_fsync else ""
    with tally(rows, "power", f"{save.name} on {kind}{why}: a cut at each call on files") as t:
        disks = [Disk(context, save, number, OPTIONS[kind]) for number in range(DISKS)]
        calls = [call for call in own(disks[0].calls, disks[0].place) if call.name in FILES]
        if without_fsync:
            calls = [call for call in calls if call.name != "fsync"]
        if most is not None:
            writing = [call for call in calls if ".v.coffer.tmp-" in call.text or call.name == "fsync"]
            draw = random.Random(f"{context.seed}/{save.name}/{kind}")
            calls = draw.sample(writing, min(len(writing), most)) + draw.sample(calls, min(len(calls), most // 2))
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

                disk.after_cut(cutting(call, log, without_fsync), check, wait)
            finally:
                free.append(disk)

        # Time for a commit of the journal, which may come before what it speaks of has been written.
        late = [call for call in calls if call.name in ("renameat", "close")][:None if most is None else 1]
        cuts = [(call, 0.0) for call in [*calls, None]] + [(call, 1.3) for call in late if "harsh" in kind]
        with concurrent.futures.ThreadPoolExecutor(DISKS) as pool:
            for done in [pool.submit(attempt, *cut) for cut in cuts]:
                done.result()


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
        return [skip("power", "a power cut at each call of a save", why)]
    rows = []
    tried, missing = saves.available(context)
    for save in tried:
        if isinstance(save, saves.AgentSave):
            continue  # it saves by the same code, in a thread; crash.py stops that at each call
        for kind in OPTIONS:
            if not context.short:
                drive(context, rows, save, kind)
            elif kind == "harsh ext4" and save.name != "passphrase":
                drive(context, rows, save, kind, most=6)
    return rows + [skip("power", f"{name}: a cut at each call", why) for name, why in missing]


def sabotage(context):
    """Without fsync, what was told as made is lost, and on a harsh disk a vault is even empty."""
    if why := unavailable(context):
        return [skip("power", "saves without fsync", why)]
    result = []
    for save in saves.available(context)[0]:
        if isinstance(save, saves.AgentSave):
            continue
        rows = []
        drive(context, rows, save, "harsh ext4", without_fsync=True, most=6)
        result.append(noticed("power", f"{save.name}: each fsync is skipped", rows))
        print("    noticed: " + "\n    noticed: ".join(rows[0].failed), flush=True)
    return result
