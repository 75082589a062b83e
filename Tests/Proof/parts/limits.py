"""Where memory is short: it cannot be locked, the address space or the cgroup ends, one request for memory is refused; and
ten thousand unlocks and locks, which must not make a program grow."""

import os
import pathlib
import re
import socket
import struct
import subprocess
import sys

from kit import faults
from kit.agent import Agent
from kit.place import Place
from kit.row import noticed, skip, tally

from vault_file import B  # which kit.place finds

from .scans import PART

MIB = 1 << 20
WARNING = b"memory could not be locked"
REQUESTS = ("mmap", "mremap", "brk", "mprotect", "madvise", "mlock", "mlock2")
NOT_ENOUGH = 7


def limited(words):
    """Words before a command: a shell that sets limits and becomes it."""
    return ["/bin/bash", "-c", f"{words}; exec \"$@\"", "-"]


def without_locking(kib):
    """Root locks as much as it likes, unless it gives up that right."""
    drop = ["/usr/bin/setpriv", "--bounding-set=-ipc_lock", "--inh-caps=-ipc_lock"] if os.geteuid() == 0 else []
    return [*limited(f"ulimit -l {kib}"), *drop]


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
        refused(t, place, before, "ulimit -v", [NOT_ENOUGH])
        place.remove()


def refused(t, place, before, kind, codes):
    """A derivation that needs a gibibyte."""
    costing(place, 1_024)
    file = place.vault.read_bytes()
    for words in (["get", "old"], ["set", "new"], ["get", "old", "--allow-large-memory"]):
        done = place.coffer([*words, *place.secret], b"x", before)
        wanted = codes if "--allow-large-memory" in words else [NOT_ENOUGH]
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
            # Who insists is ended by the kernel.
            refused(t, place, before, "cgroup", [NOT_ENOUGH, -9])
            place.remove()
    finally:
        group.rmdir()


def outcome(t, place, words, before, kind, codes=(0, NOT_ENOUGH)):
    """One `set` or `get` where memory is short: done, or refused for that, and nothing lost."""
    done = place.coffer([*words, *place.secret], b"x", before)
    t.check(done.code in codes, f"{kind}: {' '.join(words)}: {done}")
    if words[0] == "get":
        t.want((done.code == 0) == (done.out == b"value"), f"{kind}: printed {done.out!r}: {done}")
    else:
        settings = place.settings()
        t.want(settings in ({"old": "value", "other": "kept"}, {"old": "value", "other": "kept", "new": "x"}),
               f"{kind}: {settings}")
        t.want(done.code != 0 or "new" in settings, f"{kind}: acknowledged and lost")
        t.want(not place.leftovers(), f"{kind}: left {place.leftovers()}")
        place.reset()
    return done


def less_and_less(context, rows):
    """Address spaces from what the start of the program takes up to what a command needs."""
    with tally(rows, PART, "address spaces from too small up, `get` and `set`") as t:
        place, step = Place(context, "s"), 16 if context.short else 1
        start = next(mib for mib in range(1, 2_000, 1)
                     if place.coffer(["version"], before=limited(f"ulimit -v {mib << 10}")).code == 0)
        for words in (["get", "old"], ["set", "new"]):
            worked = 0
            for mib in range(start + 1, start + 200, step):
                done = outcome(t, place, words, limited(f"ulimit -v {mib << 10}"), f"{mib} MiB of addresses")
                worked = worked + 1 if done.code == 0 else 0
                if worked == 3:
                    break
        place.remove()


def refused_requests(context, rows):
    """Each request for memory that a command makes itself is refused, one at a time."""
    what = "a refused request for memory, at each one of `get` and `set`"
    why = faults.unavailable()
    if why:
        rows.append(skip(PART, what, why))
        return
    with tally(rows, PART, what) as t:
        place, log = Place(context, "m"), context.scratch / "m.log"
        for words in (["get", "old"], ["set", "new"]):
            done = place.coffer([*words, *place.secret], b"x", faults.tracing(log))
            t.want(done.code == 0, f"traced: {done}")
            calls = faults.calls(log)
            place.reset()
            # The loader's and the runtime's are before the first call of `main`.
            first = next(index for index, call in enumerate(calls) if call.name == "prctl")
            chosen = [call for call in calls[first:] if call.name in REQUESTS]
            for call in chosen[::8] if context.short else chosen:
                outcome(t, place, words, faults.injecting(call, "error=ENOMEM", log), str(call))
        place.remove()


def figures(pid):
    """What a process holds."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    found = {name: int(re.search(rf"^{name}:\s+(\d+)", status, re.M)[1]) for name in ("VmRSS", "VmData", "VmLck", "Threads")}
    found["descriptors"] = len(os.listdir(f"/proc/{pid}/fd"))
    found["mappings"] = pathlib.Path(f"/proc/{pid}/maps").read_text().count("\n")
    return found


# Not VmSize: the C library reserves addresses for each new thread.
SLACK = {"VmRSS": 256, "VmData": 1_024, "VmLck": 0, "Threads": 0, "descriptors": 0, "mappings": 4}


def growth(before, after):
    """What grew by more than a program that leaks nothing may."""
    return [f"{name} from {before[name]} to {after[name]}" for name in SLACK if after[name] > before[name] + SLACK[name]]


class Probe:
    """A program of the tests that unlocks, reads and locks."""

    def __init__(self, place, words):
        self.place = place
        self.process = subprocess.Popen(
            [*words, "vault", str(place.vault)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=place.environment,
            bufsize=0)
        self.pid, self.answers = self.process.pid, self.process.stdout
        assert self.answers.readline() == b"ready\n"

    def cycles(self, count):
        self.process.stdin.write(b"cycles %d\n%s\n" % (count, self.place.passphrase))
        answer = self.answers.readline()
        assert answer == b"ok\n", answer

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.answers.close()


class AgentCycles:
    """Unlocks in the agent, a read and a lock, by its protocol (Sources/CofferAgent/Protocol)."""

    HELLO, EPOCH, UNLOCK, LOCK, VALUE, DONE = 1, 3, 4, 5, 6, 2

    def __init__(self, place, agent):
        self.place, self.key, self.pid = place, place.opened().master, agent.pid
        self.path = text(str(place.vault).encode())
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(place.home / "run" / "agent.sock"))
        self.ask(struct.pack("<BI", self.HELLO, 1))

    def ask(self, body):
        self.socket.sendall(text(body))
        length, = struct.unpack("<I", self.receive(4))
        return self.receive(length)

    def receive(self, count):
        data = b""
        while len(data) < count:
            more = self.socket.recv(count - len(data))
            assert more, "the agent hung up"
            data += more
        return data

    def cycles(self, count):
        value = b"value"
        for _ in range(count):
            epoch = self.ask(bytes([self.EPOCH]) + self.path)[1:]
            done = self.ask(bytes([self.UNLOCK]) + self.path + epoch + text(self.key) + b"\0\0\0")
            assert done == bytes([self.DONE]), done
            assert value in self.ask(bytes([self.VALUE]) + self.path + text(b"old"))
            done = self.ask(bytes([self.LOCK, 1]) + self.path)
            assert done == bytes([self.DONE]), done

    def close(self):
        self.socket.close()


def text(data):
    return struct.pack("<I", len(data)) + data


def repeat(t, subject, kind, count):
    """So many cycles; after the first tenth nothing may grow any more."""
    subject.cycles(count // 10)
    before = figures(subject.pid)
    subject.cycles(count - count // 10)
    after = figures(subject.pid)
    t.row.tried += count
    for line in growth(before, after):
        t.want(False, f"{kind}: {line} in {count} cycles")
    subject.close()


def cycles(context, rows, probe=None):
    count = 500 if context.short else 10_000
    program = probe or (context.program("ResidueProbe") and [context.program("ResidueProbe")])
    what = "unlocks and locks without growth, library"
    if program:
        with tally(rows, PART, what) as t:
            place = Place(context, f"y{len(rows)}", {"first": "value"})
            repeat(t, Probe(place, program), "library", count)
            place.remove()
    else:
        rows.append(skip(PART, what, "ResidueProbe is not built"))
    if probe:
        return
    with tally(rows, PART, "unlocks and locks without growth, agent") as t:
        place = Place(context, f"y{len(rows)}")
        with Agent(place) as agent:
            repeat(t, AgentCycles(place, agent), "agent", count)
        place.remove()


def run(context):
    rows = []
    locked_memory(context, rows)
    if not context.short:
        address_space(context, rows)
        cgroup(context, rows)
        less_and_less(context, rows)
    refused_requests(context, rows)
    cycles(context, rows)
    return rows


LEAK = """
import os, sys
kept, write = [], lambda line: os.write(1, line)
write(b"ready\\n")
for line in iter(sys.stdin.buffer.readline, b""):
    sys.stdin.buffer.readline()
    count = int(line.split()[1])
    kept.append(bytearray(os.urandom(1000 * count)))
    kept.append(os.open("/dev/null", 0))
    write(b"ok\\n")
"""


def sabotage(context):
    """A program that grows; memory that is locked after all; a program that ends otherwise where memory is short."""
    rows, found = [], []
    cycles(context, found, [sys.executable, "-c", LEAK])
    rows.append(noticed(PART, "a program that grows by a kilobyte and a descriptor", found, 2))
    found = []
    locked_memory(context, found, lambda kib: limited(":"))
    rows.append(noticed(PART, "memory that is locked, where none should be", found, 2))
    found = []
    with tally(found, PART, "careless") as t:
        place = Place(context, "careless")
        outcome(t, place, ["get", "old"], ["/bin/sh", "-c", "kill -ABRT $$"], "a program that aborts")
        outcome(t, place, ["set", "new"], ["/bin/sh", "-c", "exit 0"], "a program that acknowledges and saves nothing")
        place.remove()
    rows.append(noticed(PART, "an abort, and an acknowledged save that is none, for want of memory", found, 2))
    return rows
