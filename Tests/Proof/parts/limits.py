"""Where there is little memory: it cannot be locked, or the address space or the cgroup is small."""

import os
import pathlib
import struct

from kit.agent import Agent
from kit.place import Place
from kit.row import noticed, skip, tally

from vault_file import B  # which kit.place finds

from .cases import PART

MIB = 1 << 20
WARNING = b"memory could not be locked"
LIMIT, NOT_ENOUGH = 6, 7


def limited(words):
    """Words before a command: a shell that sets limits and becomes it."""
    return ["/bin/bash", "-c", f"{words}; exec \"$@\"", "-"]


def without_locking(kib, kind=""):
    """Root locks as much as it likes, unless it gives up that right. `-S` lets the limit be raised again."""
    drop = ["/usr/bin/setpriv", "--bounding-set=-ipc_lock", "--inh-caps=-ipc_lock"] if os.geteuid() == 0 else []
    return [*limited(f"ulimit {kind} -l {kib}"), *drop]


def costing(place, mib):
    """Lets the vault ask for so much memory. The key is another one then, which nobody gets to see."""
    file = bytearray(place.vault.read_bytes()[:-32])
    file[20:24] = struct.pack("<I", mib << 10)
    place.write(bytes(file) + B("coffer-check", bytes(file)))


def session(t, place, before, kind):
    """All that people do, with values of up to a mebibyte."""
    new = place.home / "new"
    new.write_bytes(b"another quiet harbour under seven clouds\n")
    large = "v" * MIB

    def do(words, code=0, out=None, input=b"", secret=True):
        done = place.coffer([*words, *(place.secret if secret else [])], input, before)
        t.check(done.code == code, f"{kind}: {' '.join(words)}: {done}")
        if out is not None:
            t.want(done.out == out, f"{kind}: {' '.join(words)} printed {done.out[:60]!r}")
        return done

    do(["init", "--cost", "3,64M", "--vault", str(place.folder / "made.coffer")])
    do(["get", "old"], out=b"value")
    do(["set", "large"], input=large.encode())
    do(["get", "large"], out=large.encode())
    do(["set", "old"], input=b"newer")
    do(["undo", "old"])
    do(["rename", "old", "older"])
    do(["unset", "large"])
    listed = do(["list"])
    do(["passphrase", "--cost", "3,64M", "--new-passphrase-file", str(new)])
    place.passphrase_file.write_bytes(new.read_bytes())
    with Agent(place, before) as agent:
        t.want(agent.is_ready, f"{kind}: the agent said {agent.said!r} {agent.told()}")
        do(["unlock"])
        do(["set", "more"], input=large.encode(), secret=False)
        do(["get", "more"], out=large.encode(), secret=False)
        told = do(["status", "--json"], secret=False)
        do(["lock"], secret=False)
    t.want(place.settings(new.read_bytes().rstrip()) == {"older": "value", "other": "kept", "more": large},
           f"{kind}: the vault holds something else")
    t.want(not place.leftovers() or place.leftovers() == [".made.coffer.lock", "made.coffer"],
           f"{kind}: left {place.leftovers()}")
    return listed, told


def locked_memory(context, rows, before=without_locking):
    """`ulimit -l`."""
    for kib in (0, 64):
        kind = f"ulimit -l {kib}"
        with tally(rows, PART, f"commands with {kind}") as t:
            place = Place(context, f"l{len(rows)}")
            listed, told = session(t, place, before(kib), kind)
            if kib == 0:
                t.want(listed.err.count(WARNING) == 1, f"{kind}: not warned of once: {listed}")
                t.want(b'"memoryLocked":false' in told.out.replace(b" ", b""), f"{kind}: status says {told.out!r}")
            place.remove()


def address_space(context, rows):
    """512 MiB of addresses: what fits works, what does not is refused for want of memory, and nothing is lost."""
    with tally(rows, PART, "commands in 512 MiB of addresses") as t:
        place, before = Place(context, "v"), limited("ulimit -v 524288")
        session(t, place, before, "ulimit -v")
        place.remove()
        place = Place(context, "w", cost=(1, 256 << 10))
        done = place.coffer(["get", "old", *place.secret], before=before)
        t.check(done.code == 0 and done.out == b"value", f"a derivation in 256 MiB: {done}")
        refused(t, place, before, "ulimit -v")
        place.remove()


def refused(t, place, before, kind, codes=(NOT_ENOUGH,), insisting=(NOT_ENOUGH,)):
    """A derivation that needs a gibibyte."""
    costing(place, 1_024)
    file = place.vault.read_bytes()
    for words in (["get", "old"], ["set", "new"], ["get", "old", "--allow-large-memory"]):
        done = place.coffer([*words, *place.secret], b"x", before)
        wanted = insisting if "--allow-large-memory" in words else codes
        t.check(done.code in wanted, f"{kind}: {' '.join(words)} of a vault of 1 GiB: {done}")
        t.want(done.code != NOT_ENOUGH or b"memory" in done.err, f"{kind}: {done}")
    t.want(place.vault.read_bytes() == file and not place.leftovers(), f"{kind}: the vault is another one")


def cgroup(context, rows):
    """A group of 512 MiB, of either version."""
    what = "commands in a cgroup of 512 MiB"
    for root, limit in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")):
        group = pathlib.Path(root, f"coffer-proof-{os.getpid()}")
        try:
            group.mkdir()
        except OSError:
            continue
        try:
            (group / limit).write_text(str(512 * MIB))
        except OSError:
            group.rmdir()
            continue
        break
    else:
        rows.append(skip(PART, what, "no group can be made here"))
        return
    try:
        with tally(rows, PART, what) as t:
            place, before = Place(context, "g"), limited(f"echo $$ > '{group}/cgroup.procs'")
            session(t, place, before, "cgroup")
            place.remove()
            place = Place(context, "h", cost=(1, 256 << 10))
            done = place.coffer(["get", "old", *place.secret], before=before)
            t.check(done.code == 0 and done.out == b"value", f"a derivation in 256 MiB: {done}")
            # It is over half of what there is; who insists is ended by the kernel.
            refused(t, place, before, "cgroup", [LIMIT], [NOT_ENOUGH, -9])
            place.remove()
    finally:
        group.rmdir()


def run(context):
    rows = []
    locked_memory(context, rows)
    if not context.short:
        address_space(context, rows)
        cgroup(context, rows)
    return rows


def sabotage(context):
    """Memory that is locked after all."""
    found = []
    locked_memory(context, found, lambda kib: limited(":"))
    return [noticed(PART, "memory that is locked, where none should be", found, 2)]
