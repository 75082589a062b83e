"""HostileProbe, which judges records and measures each: what it says is compared with what an oracle says."""

import collections
import dataclasses
import fcntl
import os
import select
import struct
import subprocess

PIPE = 1 << 20
MOST = 1 << 17  # bytes of values that are told
BATCH = 900_000  # bytes that fit into the pipe, so that the probe and the oracle work at the same time


@dataclasses.dataclass(frozen=True)
class Case:
    """What is judged. `again` says how to make it once more."""

    kind: str  # H: a file's header, O: a file is opened, L: a list, Q: a request, R: a reply
    body: bytes
    again: str
    known: tuple | None = None  # what has to be said of it, where an oracle would take minutes


@dataclasses.dataclass(frozen=True)
class Said:
    """What the probe said: words as an oracle gives them, values in their encoding, and costs."""

    words: tuple  # class, field, value, bound; None for what is not said
    values: bytes | None  # None too where they are more than MOST
    size: int  # of the values
    clock: float  # ms
    processor: float  # ms
    resident: int  # KiB
    address: int  # KiB
    derivation: float  # ms

    @classmethod
    def parse(cls, line):
        outcome, field, value, bound, clock, processor, resident, address, derivation, values = line.split()
        words = outcome, *(None if word == "-" else word for word in (field, value, bound))
        numbers = (int(clock) / 1e6, int(processor) / 1e6, int(resident), int(address), int(derivation) / 1e6)
        if values[0] in "-#":
            return cls(words, None, int(values[1:] or 0), *numbers)
        return cls(words, bytes.fromhex(values), len(values) // 2, *numbers)


class Broken(Exception):
    """The probe crashed or hangs."""


class Probe:
    """One process of the probe."""

    def __init__(self, program, folder, passphrase, fault=None, patience=60, environment=None):
        self.patience, self.buffer, self.lines = patience, b"", collections.deque()
        self.process = subprocess.Popen(
            [program, folder, *([fault] if fault else [])], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, bufsize=0,
            env={**os.environ, "SWIFT_BACKTRACE": "enable=no", **(environment or {})})
        for pipe in (self.process.stdin, self.process.stdout):
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE)
        os.set_blocking(self.process.stdin.fileno(), False)  # so that a probe that hangs is noticed
        self.send([Case("P", passphrase, "the passphrase")])
        self.line("the passphrase")

    def send(self, cases):
        data = b"".join(case.kind.encode() + struct.pack("<I", len(case.body)) + case.body for case in cases)
        view = memoryview(data)
        while view:
            _, ready, _ = select.select([], [self.process.stdin], [], self.patience)
            if not ready:
                raise Broken(f"hangs within {len(cases)} records from {cases[0].again}")
            try:
                view = view[os.write(self.process.stdin.fileno(), view):]
            except BlockingIOError:
                continue  # less room than a page
            except BrokenPipeError:
                return  # the next answer tells

    def line(self, again):
        while not self.lines:
            ready, _, _ = select.select([self.process.stdout], [], [], self.patience)
            if not ready:
                raise Broken(f"hangs at {again}")
            got = os.read(self.process.stdout.fileno(), PIPE)
            if not got:
                code, told = self.process.wait(), self.process.stderr.read().decode(errors="replace").strip()
                raise Broken(f"ended with {code} at {again}: {told[-500:]!r}")
            *lines, self.buffer = (self.buffer + got).split(b"\n")
            self.lines.extend(lines)
        return self.lines.popleft().decode()

    def judge(self, cases, expect):
        """Gives (case, what is expected, what the probe said) for each case, in their order."""
        batch, size = [], 0
        for case in cases:
            batch.append(case)
            size += len(case.body) + 5
            if size > BATCH:
                yield from self.finish(batch, expect)
                batch, size = [], 0
        yield from self.finish(batch, expect)

    def finish(self, batch, expect):
        self.send(batch)
        expected = [expect(case) for case in batch]
        for case, words in zip(batch, expected):
            yield case, words, Said.parse(self.line(case.again))

    def close(self):
        """Ends the probe, also one that hangs."""
        if self.process.poll() is None:
            self.process.stdin.close()
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()
