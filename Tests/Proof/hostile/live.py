"""The same for programs as people run them: changed frames to an agent, changed files to the command line."""

import contextlib
import dataclasses
import itertools
import os
import re
import select
import signal
import socket
import struct
import time

from kit.agent import Agent
from kit.place import Place
from kit.row import noticed, tally

from hostile import changes, expect, fixed, frames
from hostile.stock import Stock

HELLO = bytes([frames.HELLO]) + frames.VERSION.to_bytes(4, "little")
MALFORMED = bytes([9, 3])
MOST = (64 << 20) + (1 << 16)  # bytes of a body
REFUSED = [struct.pack("<I", length) for length in (0, MOST + 1, 1 << 31, (1 << 32) - 1)]
WAITING = [struct.pack("<I", MOST), struct.pack("<I", 64 << 20) + b"\2", b"\1"]  # more is announced than comes
CODES = {
    "admitted": 0, "success": 0, "notAVault": 3, "unsupportedVersion": 4, "unsupportedFeature": 4, "damaged": 5,
    "limitExceeded": 6, "wrongPassphrase": 8, "tampered": 9, "invalidContents": 10,
}
GROWTH, PATIENCE = 8_192, 10  # KiB, seconds
LONGEST = 1  # seconds, with what the machine does meanwhile


def peak(pid, anew=False):
    """The most memory that a process has had, in KiB; or what it has, from which on it is counted anew."""
    if anew:
        with open(f"/proc/{pid}/clear_refs", "w") as file:
            file.write("5")
    with open(f"/proc/{pid}/status") as file:
        return int(re.search(r"VmHWM:\s+(\d+)", file.read())[1])


class Connection:
    """One connection to an agent, after the greeting."""

    def __init__(self, place):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(f"{place.environment['COFFER_RUNTIME_DIR']}/agent.sock")
        self.ask(HELLO)

    def send(self, data):
        self.socket.sendall(data)

    def reply(self):
        """The body of the next frame; None at the end."""
        start = self.receive(4)
        return None if start is None else self.receive(struct.unpack("<I", start)[0])

    def receive(self, count):
        data = b""
        while len(data) < count:
            got = self.socket.recv(count - len(data))
            if not got:
                return None
            data += got
        return data

    def ask(self, body):
        self.send(struct.pack("<I", len(body)) + body)
        return self.reply()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.socket.close()


def wrong_answer(place, body):
    """What is wrong with the agent's answer to a body, or None; and the seconds that it took."""
    start = time.monotonic()
    try:
        with Connection(place) as connection:
            reply = connection.ask(body)
            if not frames.is_request(body):
                good = reply == MALFORMED and connection.reply() is None
                return None if good else f"{reply} and not the end of the connection", time.monotonic() - start
            if reply is None or not frames.is_reply(reply) or reply == MALFORMED:
                return f"{reply} to a request", time.monotonic() - start
    except OSError as error:
        return f"{type(error).__name__}: {error}", time.monotonic() - start
    return None, time.monotonic() - start


def announced(place, t):
    """Lengths of which no frame comes: refused where they are too great; what waits for more keeps nobody else."""
    for start in REFUSED:
        with Connection(place) as connection:
            connection.send(start)
            replies = connection.reply(), connection.reply()
        t.check(replies == (MALFORMED, None), f"{replies} to a frame that begins with {start}")
    with contextlib.ExitStack() as stack:
        waiting = [stack.enter_context(Connection(place)) for _ in WAITING]
        for connection, start in zip(waiting, WAITING):
            connection.send(start)
        wrong, _ = wrong_answer(place, b"\2")
        t.check(wrong is None, f"while frames wait that begin with {WAITING}: {wrong}")
        early = select.select([connection.socket for connection in waiting], [], [], 0.1)[0]
        t.check(not early, f"{len(early)} of {WAITING} were answered, or ended, before they were whole")
    t.check(wrong_answer(place, b"\2")[0] is None, f"no status after frames that begin with {WAITING}")


def agent(context, stock, rows, count, kill_after=None):
    """Frames to an agent that holds a vault: each is answered, and the vault is what it was."""
    with tally(rows, "hostile", "changed frames to a running agent") as t:
        place = Place(context, "agent")
        with Agent(place, may_die=kill_after is not None) as running:
            if not running.is_ready or running.unlock().code != 0:
                t.want(False, f"no agent: {running.told()}")
                return
            wrong_answer(place, b"\2")
            file, before, longest = place.vault.read_bytes(), peak(running.pid, anew=True), 0
            requests = (case for case in map(lambda n: changes.frame(stock, n), itertools.count()) if case.kind == "Q")
            for number, case in enumerate(itertools.islice(requests, count)):
                if number == kill_after:
                    os.kill(running.pid, signal.SIGKILL)
                if case.body[0] == frames.STOP and frames.is_request(case.body):
                    continue
                wrong, seconds = wrong_answer(place, case.body)
                longest = max(longest, seconds)
                good = t.check(wrong is None, f"{case.again}: {wrong} (--seed {context.seed})")
                if not good and number == kill_after:
                    return
            announced(place, t)
            grown = peak(running.pid) - before
            t.want(grown <= GROWTH, f"the agent grew by {grown} KiB")
            t.want(longest <= LONGEST, f"an answer took {longest * 1_000:.0f} ms")
            t.row.what += f": {longest * 1_000:.0f} ms, {grown} KiB at most"
            t.want(place.vault.read_bytes() == file, "the vault is another one")
            got = running.unlock(), place.coffer(["get", "old"])
            t.want(all(done.code == 0 for done in got) and got[1].out.strip() == b"value", f"then: {got[0]}; {got[1]}")


def program(context, stock, rows, count):
    """Files to `check` and `list`: the exit code is that of the class, and a failure writes to standard error alone."""
    with tally(rows, "hostile", "changed files to `check` and `list`") as t:
        place = Place(context, "program")
        headers = list(itertools.islice(fixed.limits(stock, 0), sum(map(len, fixed.EDGES.values()))))
        for case in itertools.chain(headers[::max(len(headers) // count, 1)], (
                make(stock, number) for number in range(count) for make in (changes.vault, changes.contents))):
            place.write(case.body)
            header, opened = (expect.file(dataclasses.replace(case, kind=kind))[0][0] for kind in ("H", case.kind))
            asked = [(["check"], header)]
            if opened != "admitted":  # else a dear key would be derived
                asked.append((["list", "--json", "--accept-unexpected", *place.secret], opened))
            for words, found in asked:
                done = place.coffer([*words, "--no-input"])
                good = done.code == CODES[found] and (done.code == 0) == bool(done.out) and (
                    done.code == 0 or bool(done.err))
                t.check(good, f"{words[0]} of {case.again}: {done}, wanted {found} (--seed {context.seed})")


def sabotage(context):
    """An agent that is killed meanwhile; a program that says that all is well."""
    rows, stock = [], Stock(context.seed)
    killed, content = [], []
    agent(context, stock, killed, 100, kill_after=50)
    rows.append(noticed("hostile", "an agent that dies of a frame", killed))
    liar = context.scratch / "content"
    liar.write_text("#!/bin/sh\necho whole\nexit 0\n")
    liar.chmod(0o755)
    program(dataclasses.replace(context, coffer=str(liar), scratch=context.scratch / "liar"), stock, content, 5)
    return rows + [noticed("hostile", "a program that takes every file", content, 5)]
