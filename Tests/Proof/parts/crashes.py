"""A crash of each program, at each of its system calls, tells no secret: in what it says, and in no core file.

Whoever starts the program allows core files and asks the Swift runtime for its crash report, which prints memory.
"""

import contextlib
import os
import resource
import select
import signal
import socket
import subprocess
import sys
import time

from kit.agent import Agent
from kit.row import noticed, skip, tally

from .cases import PART, Case, Scene
from .stepping import CALLS, Forbidden, Stepped

SIGNALS = [signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGILL, signal.SIGTRAP, signal.SIGFPE, signal.SIGQUIT]
REPORT = {"SWIFT_BACKTRACE": "enable=yes,color=no,interactive=no,timeout=5s"}
UNLIMITED = (resource.RLIMIT_CORE, resource.RLIM_INFINITY)
SET, GET = Case("set", ["set", "third"], input="third"), Case("get", ["get", "first"])
PIECE = 8
HARDENING = {CALLS[name] for name in ("prctl", "prlimit64", "rt_sigaction")}


def pieces_in(data, secrets):
    """The names of secrets of which eight bytes in a row are told: as they are, or as a dump of memory has them."""
    digits = b"".join(data.lower().split())
    found = []
    for name, value in secrets.items():
        for at in range(len(value) - PIECE + 1):
            piece = value[at:at + PIECE]
            if piece in data or piece.hex().encode() in digits or piece[::-1].hex().encode() in digits:
                found.append(name)
                break
    return found


def files_in(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


class Crash:
    """One run of a command that is ended by a signal at one of its system calls."""

    def __init__(self, place, program, case, at, number):
        self.folder = place.home / "crash"
        self.folder.mkdir()
        files = {descriptor: os.memfd_create(str(descriptor)) for descriptor in (1, 2)}
        files[0], writing = os.pipe()
        os.write(writing, place.third.encode() if case.input else b"")
        os.close(writing)
        self.name, self.is_hardened, begun = None, False, False
        with contextlib.ExitStack() as stack:
            for file in files.values():
                stack.callback(os.close, file)
            environment = {**place.environment, **REPORT}
            child = Stepped([*program, *place.words(case)], environment, files, UNLIMITED, self.folder)
            stack.callback(child.end)
            for count, call in enumerate(child.calls(), 1):
                # First thing in `main`: no dumps, no core files, no handlers of the runtime.
                self.is_hardened = self.is_hardened or begun and call[0] not in HARDENING
                begun = begun or call[0] == CALLS["prctl"]
                if count == at:
                    self.name = call[0]
                    child.crash(number)
                    break
            self.code = child.code
            self.said = {f"descriptor {n}": os.pread(files[n], 1 << 22, 0) for n in (1, 2)}

    def told(self, secrets):
        """Where which secret is told; a value that `get` was asked for is no secret on its output."""
        left = files_in(self.folder)
        lines = [f"{name} in {where}" for where, data in {**self.said, **left}.items()
                 for name in pieces_in(data, secrets) if (where, name) != ("descriptor 1", "first")]
        if self.is_hardened:
            lines += [f"it left {name}" for name in left]
            lines += ["the runtime's report"] * (b"0x" in self.said["descriptor 2"])
        return lines

    def ended_by(self, number):
        """No signal ends a program of which the runtime makes a report, but it does end; later there is no report."""
        is_report = not self.is_hardened and b"***" in self.said["descriptor 2"]
        return self.code == -number or is_report and self.code is not None


def everywhere(context, rows, program, kind, case, most):
    """A crash at each system call of a command, or at so many of them."""
    with tally(rows, PART, f"crashes of {kind} at system calls of `{case.what}`") as t:
        place = Scene(context, f"c{len(rows)}")
        secrets = place.secrets()
        try:
            at, step = 1, 1
            if most:
                total = sum(1 for _ in trace(place, program, case))
                step = max(1, total // most)
                at = step
            while True:
                number = SIGNALS[at % len(SIGNALS)]
                crash = Crash(place, program, case, at, number)
                # A process that has asked for its end meets no signal any more.
                if crash.name in (None, CALLS["exit_group"]):
                    t.want(crash.code == 0, f"{kind} {case.what} without a crash: {crash.code}")
                    break
                where = f"{kind}, {case.what}, {number.name} at system call {at} (number {crash.name})"
                t.check(crash.ended_by(number), f"{where}: ended with {crash.code}")
                for line in crash.told(secrets):
                    t.want(False, f"{where}: {line}")
                remove(crash.folder)
                place.reset()
                at += step
        except Forbidden as error:
            t.row.skipped = str(error)
        place.remove()


def trace(place, program, case):
    """The system calls of a run without a crash."""
    files = {0: os.open("/dev/null", os.O_RDWR)}
    files |= {1: files[0], 2: files[0]}
    child = Stepped([*program, *place.words(case)], place.environment, files)
    yield from child.calls()
    os.close(files[0])
    place.reset()


def remove(folder):
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()


def agent(context, rows, program, kind):
    """The agent, with a vault unlocked, by each signal."""
    with tally(rows, PART, f"crashes of the agent, {kind}") as t:
        for number in SIGNALS[:2] if context.short else SIGNALS:
            place = Scene(context, f"a{len(rows)}-{int(number)}")
            place.context = type(context)(**{**vars(context), "coffer": program})
            secrets = place.secrets()
            folder = place.home / "crash"
            folder.mkdir()
            before = ["/bin/sh", "-c", f"ulimit -c unlimited; cd '{folder}'; exec \"$@\"", "-"]
            with Agent(place, before, environment=REPORT, may_die=True) as running:
                t.want(running.is_ready, f"{kind}: the agent said {running.said}")
                done = running.unlock("-q")
                t.want(done.code == 0, f"{kind}: unlock: {done}")
                t.want(place.coffer(["get", "first"]).out.decode() == place.values["first"], f"{kind}: no value")
                os.kill(running.pid, number)
                code = running.wait()
                t.check(code == -number, f"{kind}: {number.name} ended it with {code}")
                what = {"what it said": running.told().encode(), **files_in(folder)}
            for where, data in what.items():
                t.want(not pieces_in(data, secrets), f"{kind}, {number.name}: {pieces_in(data, secrets)} in {where}")
                t.want("core" not in where, f"{kind}, {number.name}: it left {where}")
            place.remove()


def told_until_end(child, seconds=6):
    """What a program says until it ends, or is ended: where the runtime's report has no more to say, or in the end."""
    said, limit = b"", time.monotonic() + seconds
    while (left := limit - time.monotonic()) > 0:
        if not select.select([child.stdout], [], [], min(0.3, left) if b"***" in said else left)[0]:
            break
        piece = os.read(child.stdout.fileno(), 1 << 16)
        if not piece:
            return said + child.communicate()[0]
        said += piece
    child.kill()
    return said + child.communicate()[0]


def logind(context, rows):
    """The program beside it, while it talks to a bus that never answers. It is to hold nothing."""
    program = context.program("coffer-logind")
    if program is None:
        rows.append(skip(PART, "crashes of coffer-logind", "it is not built"))
        return
    with tally(rows, PART, "crashes of coffer-logind beside an unlocked agent") as t:
        place = Scene(context, "l")
        secrets = place.secrets()
        folder = place.home / "crash"
        bus = str(place.home / "bus")
        with Agent(place) as running, socket.socket(socket.AF_UNIX) as listener:
            done = running.unlock("-q")
            t.want(done.code == 0, f"unlock: {done}")
            listener.bind(bus)
            listener.listen(16)
            for number in SIGNALS[:1] if context.short else SIGNALS:
                folder.mkdir()
                with subprocess.Popen(
                        ["/bin/sh", "-c", "ulimit -c unlimited; exec \"$@\"", "-", program], cwd=folder,
                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                        env={**place.environment, **REPORT, "DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={bus}"}) as child:
                    connection, _ = listener.accept()
                    time.sleep(0.2)
                    child.send_signal(number)
                    said = told_until_end(child)
                # The runtime's report goes on where the signal came from another program.
                ended = child.returncode == -number or b"***" in said
                t.check(ended, f"{number.name}: {child.returncode}, {said[:200]}")
                for where, data in {"what it said": said, **files_in(folder)}.items():
                    t.want(not pieces_in(data, secrets), f"{number.name}: {pieces_in(data, secrets)} in {where}")
                connection.close()
                remove(folder)
        place.remove()


def leaves_cores(context):
    """Whether a program that does not refuse leaves a core file here."""
    folder = context.scratch / "control"
    folder.mkdir()
    subprocess.run(["/bin/bash", "-c", "ulimit -c unlimited; exec /bin/bash -c 'kill -SEGV $$'"], cwd=folder,
                   capture_output=True, check=False)
    found = any("core" in path.name for path in folder.iterdir())
    remove(folder)
    return found


def run(context):
    rows = []
    programs = {"the program": context.coffer, "the static one": context.static}
    for kind, program in programs.items():
        if program is None:
            rows.append(skip(PART, f"crashes of {kind}", "there is no static program"))
            continue
        for case in [SET] if context.short else [SET, GET]:
            everywhere(context, rows, [program], kind, case, 15 if context.short else None)
        agent(context, rows, program, kind)
        if context.short:
            break
    logind(context, rows)
    if not leaves_cores(context):
        rows.append(skip(PART, "core files", "no program leaves one here, so that there are none says little"))
    return rows


def sabotage(context):
    """A program that keeps the passphrase in ordinary memory, allows core files, and prints it when it crashes."""
    found = []
    careless = [sys.executable, "-c", "import sys, faulthandler, signal\nkept = open(sys.argv[sys.argv.index("
                "'--passphrase-file') + 1]).read()\nsignal.signal(3, lambda *_: sys.exit(3))\nsys.stderr.write(kept)"]
    everywhere(context, found, careless, "a careless program", SET, 12)
    return [noticed(PART, "a program that tells its passphrase in a crash, or leaves it in a core file", found, 1)]
