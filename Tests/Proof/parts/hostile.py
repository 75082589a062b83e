"""Hostile files: what strangers write gets the right class, at once and with little memory, or is read right.

    hostile.py PROBE FAMILY NUMBER --seed N      makes one random case again: of vault, contents, listing, frame

Each check was seen failing: `--sabotage` plants faults in the program under test (a class taken for another, another,
another value or file, 100 ms of work or of waiting, 2 s of that, 16 MiB of memory, a crash, a hang), and each has to
be told of.
"""

import argparse
import contextlib
import dataclasses
import os
import pathlib
import sys
import tempfile

if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from kit.place import PASSPHRASE
from kit.row import Row, Tally, noticed, skip, tally

from vault_file import LARGEST

from hostile import changes, expect, fixed, live
from hostile.probe import Broken, Probe
from hostile.stock import Stock
from hostile.structure import largest, structure

sys.setrecursionlimit(10_000)  # lists nest 512 deep
MILLISECONDS, KIBIBYTES = 50, 8_192
# The processor's time is judged. By the clock, waits for a processor are left out, but not those of a virtual machine:
# one case may take CLOCK, and few of a family more than the bound.
CLOCK, FEW = 1_000, 100
NAME = "HostileProbe"
# What the program under test does, what has to be told of it, in which cases, and of how many of them.
PLANTED = {
    "class": ("coffer says", changes.contents, 600, 9), "value": ("other values", changes.contents, 600, 1),
    "other": ("unlocking_says_", changes.vault, 600, 4), "slow": ("ms of the processor", changes.contents, 600, 9),
    "wait": ("ms by the clock: ", changes.contents, 64, 1),
    "linger": ("ms by the clock each", changes.contents, 600, 1),
    "large": ("KiB of memory", changes.contents, 600, 9), "crash": ("ended with", changes.contents, 64, 1),
    "hang": ("hangs at", changes.contents, 64, 1),
}
COMMON = 1 << 16  # bytes; larger ones are bounded with their size


@dataclasses.dataclass
class Worst:
    """The most that one case took, apart from the derivation of a key."""

    processor: float = 0
    clock: float = 0
    resident: int = 0
    address: int = 0
    records: int = 0
    late: int = 0  # by the clock
    slow: list = dataclasses.field(default_factory=list)
    large: list = dataclasses.field(default_factory=list)

    def take(self, case, values, said):
        """Counts one. What has to be read, or written out, may take four times its size, and 2 s for 64 MiB.

        How large that is, the oracle says: what is said is believed only where nothing is allowed for it.
        """
        self.records += 1
        size = said.size if said.size <= COMMON else min(said.size, expect.written_out(case, values))
        size = max(len(case.body) if len(case.body) <= LARGEST else 0, size)
        if size <= COMMON:
            self.processor, self.clock = max(self.processor, said.processor), max(self.clock, said.clock)
            self.resident, self.address = max(self.resident, said.resident), max(self.address, said.address)
        seconds = size / LARGEST
        self.late += said.clock > MILLISECONDS + 2_000 * seconds
        if said.processor > MILLISECONDS + 2_000 * seconds or said.clock > CLOCK + 20_000 * seconds:
            times = f"{said.processor:.1f} ms of the processor, {said.clock:.1f} ms by the clock"
            self.slow.append(f"{times}: {case.again}")
        if said.resident > KIBIBYTES + 4 * size // 1_024:
            self.large.append(f"{said.resident} KiB of memory: {case.again}")


def bound(what, failed):
    return Row("hostile", what, 1, failed[:Tally.MOST], untold=len(failed[Tally.MOST:]))


class Run:
    """The rows of one run of the checks, by one program under test."""

    def __init__(self, context, program, fault=None, patience=60):
        self.context, self.program, self.fault, self.patience = context, program, fault, patience
        self.rows, self.worst, self.header_addresses, self.stock = [], Worst(), 0, Stock(context.seed)
        self.environment = {"LD_LIBRARY_PATH": context.libraries} if context.libraries else {}

    def judge(self, what, made, least=None):
        """Judges cases in a program of their own, so that what one family keeps is not taken for another's.

        `least`: how many lists that are not canonical both readers have to read at least.
        """
        both, late = [], self.worst.late
        with tally(self.rows, "hostile", what) as t, contextlib.ExitStack() as stack:
            memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="cp-", dir=memory))
            try:
                probe = stack.enter_context(
                    Probe(self.program, folder, PASSPHRASE, self.fault, self.patience, self.environment))
                for case, wanted, said in probe.judge(made, expect.expected):
                    wrong = expect.difference(case, wanted, said, both)
                    t.check(wrong is None, f"{case.again}: {wrong} (--seed {self.context.seed})")
                    self.worst.take(case, wanted[1], said)
            except Broken as broken:
                t.check(False, f"{broken} (--seed {self.context.seed})")
            late = self.worst.late - late
            t.want(late <= 1 + t.row.tried // FEW, f"{late} of them took more than {MILLISECONDS} ms by the clock each")
            if least is not None:
                t.row.what += f", {len(both):,} of them read by both"
                t.want(len(both) >= least, f"both readers read {len(both)} lists, not {least}")

    def all(self, step, many):
        """Every family, one after the other; it comes back after each."""
        # First of all, while no key has been derived: the address space has not been stretched by one.
        yield self.judge("header values at and around each limit", fixed.limits(self.stock, many // 4))
        self.header_addresses = self.worst.address
        if step == 1:
            yield self.judge("files of the largest size, and one more", fixed.sizes(self.stock))
            yield self.judge("lists of the most objects, full boxes, and one more", largest(self.stock))
        for fits in (False, True):
            how = "check made to fit" if fits else "as it is"
            yield self.judge(f"one bit flipped, {how}", fixed.flips(self.stock, fits, step))
            yield self.judge(f"cut or longer, {how}", fixed.cuts(self.stock, fits, step))
        yield self.judge("numbers inside the box at and around each limit", fixed.inner(self.stock))
        yield self.judge("lists at and around each limit", structure(self.stock))
        yield self.family("random changes of a vault", changes.vault, many)
        yield self.family("random changes of what is in the box", changes.contents, many)
        yield self.family("random changes of a property list", changes.listing, many, many // 20)
        yield self.family("random changes of a frame", changes.frame, many)

    def bounds(self):
        """What the records took."""
        worst, address = self.worst, self.header_addresses
        time = f"time of {worst.records:,}: at most {worst.processor:.1f} ms of {MILLISECONDS}; clock {worst.clock:.0f}"
        memory = f"memory of {worst.records:,}: at most {worst.resident:,} KiB of {KIBIBYTES:,}"
        stretched = [f"{address} KiB of addresses for a header"] if address > KIBIBYTES else []
        return [bound(time, worst.slow), bound(f"{memory}; a header asks for {address} KiB", stretched + worst.large)]

    def family(self, what, make, count, least=None):
        self.judge(what, (make(self.stock, number) for number in range(count)), least)


def run(context):
    program = context.program(NAME)
    if program is None:
        yield skip("hostile", "all of it", f"there is no {NAME} in {context.programs}: the package builds it")
        return
    step, many = (97, 1_500) if context.short else (1, 40_000)
    work, told = Run(context, program), 0
    for _ in work.all(step, many):
        yield from work.rows[told:]
        told = len(work.rows)
    live.agent(context, work.stock, work.rows, 300 if context.short else 5_000)
    live.program(context, work.stock, work.rows, 15 if context.short else 600)
    yield from work.rows[told:] + work.bounds()


def sabotage(context):
    """Each planted fault, in a short run over cases that show it."""
    program = context.program(NAME)
    if program is None:
        return [skip("hostile", "planted faults", f"there is no {NAME} in {context.programs}")]
    rows = []
    for fault, (told, make, many, count) in PLANTED.items():
        work = Run(context, program, fault, patience=5)
        work.family(fault, make, many)
        found = work.rows + work.bounds()
        rows.append(noticed("hostile", f"the program under test: {fault}", found, count, told))
    return rows + live.sabotage(context)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("probe")
    parser.add_argument("family", choices=("vault", "contents", "listing", "frame"))
    parser.add_argument("number", type=int)
    parser.add_argument("--seed", type=int, required=True)
    a = parser.parse_args()
    case = getattr(changes, a.family)(Stock(a.seed), a.number)
    with tempfile.TemporaryDirectory() as folder, Probe(a.probe, folder, PASSPHRASE) as probe:
        for _, wanted, said in probe.judge([case], expect.expected):
            print(case.body.hex(), wanted, said, expect.difference(case, wanted, said), sep="\n")


if __name__ == "__main__":
    main()
