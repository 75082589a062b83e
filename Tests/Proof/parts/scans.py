"""The memory of a command at its system calls: secrets stand in guarded memory alone, and nowhere at its end.

The program is stepped from one system call to the next, and its whole memory is searched there. One exception is known
and counted: while libsodium derives a key, it has that key on heap and stack, and wipes it before it returns.
"""

import base64
import contextlib
import os
import subprocess
import sys

from kit.agent import Agent
from kit.place import CHEAP
from kit.row import noticed, skip, tally

from . import keeping
from .cases import CASES, PART, SHORT, Case, Scene, canary
from .memory_search import Forbidden, Search, misplaced, needles, told
from .stepping import CALLS, Stepped
from .stepping import Forbidden as Untraceable


class Derivation:
    """Follows the calls of libsodium's key derivation: it takes its working memory, and gives it back at its end."""


    def __init__(self):
        self.inside = self.ending = False

    def at(self, call):
        number, _, length = call[:3]
        if number == CALLS["mmap"] and length >= CHEAP[1] << 10:
            self.inside = True
        elif self.ending and number not in (CALLS["munmap"], CALLS["brk"]):
            self.inside = self.ending = False
        elif self.inside and number == CALLS["munmap"] and length >= CHEAP[1] << 10:
            self.ending = True
        return self.inside


def is_of_derivation(hit):
    return hit.secret == "key" and hit.form == "raw" and hit.mapping in ("heap", "stack", "anonymous")


class Walk:
    """One case, walked through."""

    def __init__(self, place, case, program, every):
        self.place, self.case, self.every = place, case, every
        self.program, self.seen, self.stops, self.of_derivation = program, set(), 0, 0
        self.lines = []

    def run(self):
        place, case = self.place, self.case
        search = Search(place.secrets())
        self.secrets = search.secrets
        with contextlib.ExitStack() as stack:
            files = {number: os.memfd_create(str(number)) for number in (1, 2)}
            reading, writing = os.pipe()
            files[0] = reading
            os.write(writing, case.input.replace("THIRD", "third").replace("third", place.third).encode())
            os.close(writing)
            if case.output:
                os.close(files[1])
                files[1] = os.open(case.output, os.O_WRONLY)
            for file in files.values():
                stack.callback(os.close, file)
            limit = case.limit() if case.limit else None
            child = Stepped([*self.program, *place.words(case)], place.environment, files, limit)
            stack.callback(child.end)
            self.step(child, search)
            self.judge(child, files)
        return search

    def step(self, child, search):
        derivation, count, known = Derivation(), 0, False
        wanted = {CALLS["write"], CALLS["exit_group"]}
        for call in child.calls():
            count += 1
            inside = derivation.at(call)
            # Before it has read anything it has nothing to hold.
            known = known or call[0] == CALLS["read"]
            if not known or not (inside or call[0] in wanted or count % self.every == 0):
                continue
            self.stops += 1
            hits = search.run(child.pid)
            self.seen.update(hit.secret for hit in hits if hit.mapping == "guarded")
            last = call[0] == CALLS["exit_group"]
            wrong = misplaced(hits, () if last else search.secrets.keys() - {"absent"})
            if inside and any(is_of_derivation(hit) for hit in wrong):
                self.of_derivation += 1
                wrong = [hit for hit in wrong if not is_of_derivation(hit)]
            if last:
                # The keys that a save has made are known by now.
                wrong += misplaced(Search(self.place.secrets()).run(child.pid))
            if wrong:
                self.lines.append(f"{self.case.what}: at system call {count} (number {call[0]}): {told(wrong)}")

    def judge(self, child, files):
        """It ended as it should, had the secrets that it was given, and told of none in its messages."""
        what = self.case.what
        said = os.pread(files[2], 1 << 16, 0)
        if child.code != self.case.code:
            self.lines.append(f"{what}: code {child.code}, not {self.case.code}: {said.decode(errors='replace')}")
        for name, value in self.secrets.items():
            if any(needle in said for _, needle, _ in needles(value)):
                self.lines.append(f"{what}: the messages hold of {name}")
        needed = {"right": "passphrase", "wrong": "wrong passphrase"}.get(self.case.passphrase)
        if needed and self.case.code != 5 and needed not in self.seen:
            self.lines.append(f"{what}: never saw the {needed}: the scans are blind")


def walk(context, rows, cases, every, program, title):
    """One row for all cases."""
    with tally(rows, PART, title) as t:
        scans = exceptions = 0
        for number, case in enumerate(cases):
            place = Scene(context, f"s{len(rows)}-{number}")
            try:
                case.prepare(place)
                with contextlib.ExitStack() as stack:
                    if case.agent:
                        agent = stack.enter_context(Agent(place))
                        if case.passphrase == "none":
                            done = agent.unlock()
                            t.want(done.code == 0, f"{case.what}: unlock: {done}")
                    # A client that is looked at for too long is given up by the agent.
                    steps = Walk(place, case, program, max(every, 8) if case.agent else every)
                    search = steps.run()
                scans += search.scans
                exceptions += steps.of_derivation
                for line in steps.lines:
                    t.want(False, line)
            except (Forbidden, Untraceable) as error:
                t.row.skipped = str(error)
                break
            finally:
                place.remove()
        t.row.tried = scans
        t.row.what += f"; {exceptions} in libsodium's derivation" if exceptions else ""


def run(context):
    rows, every = [], 80 if context.short else 1
    cases = CASES[:SHORT] if context.short else CASES
    walk(context, rows, cases, every, [context.coffer], f"scans of {len(cases)} commands at their system calls")
    if context.static and not context.short:
        walk(context, rows, cases, every, [context.static], f"scans of {len(cases)} commands, static program")
    return rows


def planted(context):
    """Every spelling, planted in a program, has to be found."""
    rows = []
    value = canary(f"{context.seed}/planted").encode()
    spelled = {
        "raw": value, "utf16": value.decode().encode("utf-16-le"), "hex": value.hex().encode(),
        "HEX": value.hex().upper().encode(), "piece": value[3:22],
    }
    spelled.update((f"base64+{n}", base64.b64encode(b"x" * n + value)) for n in range(3))
    program = "import os; b = bytearray(os.read(0, 4096)); os.write(1, b'.'); os.read(0, 1)"
    sharing = "import os, mmap; b = mmap.mmap(-1, 4096); os.readv(0, [b]); os.write(1, b'.'); os.read(0, 1)"
    spelled["a copy in shared memory"] = value
    for form, text in spelled.items():
        found = []
        with tally(found, PART, form) as t:
            text_of = sharing if "shared" in form else program
            with subprocess.Popen([sys.executable, "-c", text_of], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  bufsize=0) as child:
                child.stdin.write(text)
                child.stdout.read(1)
                hits = Search({"planted": value, "absent": canary("absent").encode()}).run(child.pid)
                t.check(not misplaced(hits), told(hits))
                child.stdin.close()
        rows.append(noticed(PART, f"a value in ordinary memory, as {form}", found))
    return rows


def sabotage(context):
    """A program that keeps what it reads, and one that tells what it keeps."""
    rows = planted(context)
    telling = [sys.executable, "-c", "import sys; kept = open(sys.argv[sys.argv.index('--passphrase-file') + 1], 'rb')"
               ".read(); sys.stderr.write('no: ' + kept.decode()); sys.exit(8)"]
    found = []
    walk(context, found, [Case("careless", ["get", "first"])], 40, telling, "a careless program")
    rows.append(noticed(PART, "a program that keeps and tells its passphrase, and ends with another code", found, 4))
    what = "a `coffer` that keeps what it reads"
    if keeping.library(context) is None:
        return [*rows, skip(PART, what, "there is no C compiler")]
    for case in CASES:
        # What comes through the agent is received; what is refused before it is read is not kept.
        if not case.agent and case.code != 5:
            found = []
            walk(context, found, [case], 80, ["/usr/bin/env", f"LD_PRELOAD={keeping.library(context)}", context.coffer],
                 what)
            rows.append(noticed(PART, f"{what}: {case.what}", found))
    return rows
