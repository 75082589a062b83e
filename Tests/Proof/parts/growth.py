"""Ten thousand unlocks and locks, in the library and in the agent: after the first thousand nothing grows any more."""

import os
import pathlib
import re
import socket
import struct
import subprocess
import sys
import time

from kit.agent import Agent
from kit.place import Place
from kit.row import noticed, skip, tally

from .cases import PART

REST = 1.5  # seconds: a thread that waits for more to do ends after one


def figures(pid):
    """What a process holds when it is at rest."""
    time.sleep(REST)
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    names = ("VmRSS", "VmLck", "Threads")
    found = {name: int(re.search(rf"^{name}:\s+(\d+)", status, re.M)[1]) for name in names}
    found["descriptors"] = len(os.listdir(f"/proc/{pid}/fd"))
    found["mappings"] = pathlib.Path(f"/proc/{pid}/maps").read_text().count("\n")
    return found


# Not VmSize or VmData: the C library keeps the stacks of threads that ended, two mappings each, and touches none.
SLACK = {"VmRSS": 256, "VmLck": 0, "Threads": 0, "descriptors": 0, "mappings": 24}


def growth(before, after):
    """What grew by more than a program that leaks nothing may."""
    return [f"{name} from {before[name]} to {after[name]}" for name, most in SLACK.items()
            if after[name] > before[name] + most]


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


def run(context):
    rows = []
    cycles(context, rows)
    return rows


def sabotage(context):
    """A program that grows."""
    found = []
    cycles(context, found, [sys.executable, "-c", LEAK])
    return [noticed(PART, "a program that grows by a kilobyte a cycle, and a descriptor", found, 2)]
