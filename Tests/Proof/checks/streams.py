"""Standard input, output and error that are closed, full, broken or slow: no success that is none, no stray write."""

import fcntl
import itertools
import os
import pathlib
import random
import resource
import signal
import socket
import struct
import subprocess
import time

from checks import bounded
from checks.bounded import ending, read_all
from checks.verbs import SECRET, VERBS, Surrounded, Verb
from kit.row import tally

PART = "environment"
COMBINATIONS = [names for count in range(4) for names in itertools.combinations((0, 1, 2), count)]
LARGE = bytes(range(32, 127)) * 11_000  # more than any pipe holds


def agent_pid(desk):
    """The number of the agent's process, as its socket tells it."""
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(bounded.PATIENCE)
        client.connect(str(desk.home / "run" / "agent.sock"))
        return struct.unpack("3i", client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]


def call(desk, words, closed=(), ignoring=(), limit=None, **streams):
    """Runs the program with these streams, or none; its status, and what it wrote into pipes."""
    def prepare():
        for number in ignoring:
            signal.signal(number, signal.SIG_IGN)
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        for descriptor in closed:
            os.close(descriptor)

    data = streams.pop("input", None)
    if data is None:
        streams.setdefault("stdin", subprocess.DEVNULL)
    for name in ("stdout", "stderr"):
        streams.setdefault(name, subprocess.PIPE)
    return subprocess.run([desk.context.coffer, *map(str, words)], input=data, env=desk.environment, cwd=desk.home,
                          preexec_fn=prepare, start_new_session=True, timeout=60, **streams)


def expected(verb, no_input, no_output):
    """The status that is due."""
    return 15 if verb.reads and no_input or verb.writes and no_output else 0


def judge(t, desk, verb, done, code, line):
    """The status is as it is due, and the vault as that says. What init made is there also when it cannot say so."""
    is_new = verb.text.startswith("init")
    is_done = done.returncode == 0
    wrong = None if done.returncode == code else f"code {done.returncode}, not {code}: {done.stderr!r}"
    wrong = wrong or verb.wrong(desk, is_done)
    if is_new and not desk.new.exists():
        wrong = wrong or "it made no vault"
    if verb.text.startswith(("unlock", "agent start")) and is_done:
        asked = desk.coffer(["status", "-q"]).code
        wrong = wrong or (f"then the status is {asked}" if asked != (0 if verb.text[0] == "u" else 14) else None)
        # Root alone may see the files of what keeps its memory to itself.
        if not wrong and os.geteuid() == 0 and verb.way != "idle":
            files = [os.readlink(f"/proc/{agent_pid(desk)}/fd/{number}") for number in (0, 1, 2)]
            wrong = None if files == ["/dev/null"] * 3 else f"the agent has {files}"
    if verb.text == "lock" and verb.way == "agent" and is_done:
        asked = desk.coffer(["status", "-q"]).code
        wrong = wrong or (None if asked == 14 else f"then the status is {asked}")
    t.check(wrong is None, f"{line}: {wrong}")


def closed(t, desk, verb, names):
    with Surrounded(desk, verb):
        data = desk.value.read_bytes() if verb.reads else None
        with open(desk.value, "rb") as value:
            done = call(desk, verb.words(desk), names, **({"stdin": value} if data else {}))
        judge(t, desk, verb, done, expected(verb, 0 in names, 1 in names), f"{verb}, closed: {names}")


def closed_agent(t, desk, names):
    """`agent run` in the foreground, with closed descriptors."""
    desk.reset()
    told, telling = os.pipe()
    child = subprocess.Popen(
        [desk.context.coffer, "agent", "run", "--ready-fd", str(telling)], env=desk.environment, pass_fds=[telling],
        start_new_session=True, preexec_fn=lambda: [os.close(number) for number in names])
    os.close(telling)
    line = read_all(told)
    os.close(told)
    codes = [desk.coffer(words).code for words in (["unlock", *desk.secret], ["get", "a"], ["agent", "stop"])]
    ended = ending(child)
    good = line == b"ready\n" and codes == [0, 0, 0] and ended == 0
    t.check(good, f"coffer agent run, closed: {names}: {line!r}, {codes}, ended with {ended}")


def full(t, desk, verb, stream):
    """A full device. What is said to a person is no data: it may be lost."""
    with Surrounded(desk, verb), open("/dev/full", "wb") as device:
        done = call(desk, verb.words(desk), input=desk.value.read_bytes() if verb.reads else b"", **{stream: device})
        code = expected(verb, False, stream == "stdout")
        judge(t, desk, verb, done, code, f"{verb}, {stream} to /dev/full")
        if code:
            good = b"written to standard output" in done.stderr and b"No space left" in done.stderr
            t.want(good, f"{verb} to /dev/full says {done.stderr!r}")


def broken(t, desk, verb, stream, ignoring):
    """A pipe that nobody reads: ended as a filter is, or a failure where SIGPIPE is ignored."""
    with Surrounded(desk, verb):
        reading, writing = os.pipe()
        os.close(reading)
        done = call(desk, verb.words(desk), (), ignoring, restore_signals=not ignoring,
                    input=desk.value.read_bytes() if verb.reads else b"", **{stream: writing})
        os.close(writing)
        code = expected(verb, False, stream == "stdout")
        code = -signal.SIGPIPE if code and not ignoring else code
        line = f"{verb}, {stream} to a pipe that nobody reads{', SIGPIPE ignored' if ignoring else ''}"
        judge(t, desk, verb, done, code, line)


def fails(t, desk, words, wanted):
    """Failures that are told on a stream which does not take them keep their status."""
    for stream in ("stdout", "stderr"):
        with open("/dev/full", "wb") as device:
            done = call(desk, words, **{stream: device})
        t.check(done.returncode in wanted, f"coffer {words}, {stream} to /dev/full: {done.returncode}, not {wanted}")


def parts(t, desk, way):
    """A large value through a pipe that is full most of the time, or that its reader leaves, or into a limited file."""
    with Surrounded(desk, Verb("get a", way)):
        done = desk.coffer(["set", "large", *(desk.secret if way == "file" else [])], LARGE)
        t.want(done.code == 0, str(done))
        words = ["get", "large", *(desk.secret if way == "file" else [])]
        for blocks in (True, False):
            reading, writing = os.pipe()
            os.set_blocking(writing, blocks)
            with subprocess.Popen([desk.context.coffer, *words], env=desk.environment, stdin=subprocess.DEVNULL,
                                  stdout=writing, stderr=subprocess.PIPE, start_new_session=True) as child:
                os.close(writing)
                time.sleep(0.3)
                found, code = read_all(reading), ending(child)
                os.close(reading)
                t.check(found == LARGE and code == 0, f"{words} to a slow reader, blocking: {blocks}: "
                        f"{len(found)} bytes, {read_all(child.stderr.fileno())!r}")
        for count in (0, 1, 5_000):
            with subprocess.Popen([desk.context.coffer, *words], env=desk.environment, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True) as child:
                read_all(child.stdout.fileno(), count)
                child.stdout.close()
                t.check(ending(child) == -signal.SIGPIPE, f"{words}, the reader leaves after {count}: {child.poll()}")
        for limit in (0, 1, 4_096, len(LARGE) - 1, len(LARGE)):
            path = desk.home / "made-output"
            with open(path, "wb") as file:
                done = call(desk, words, limit=limit, stdout=file)
            size, code = path.stat().st_size, 0 if limit == len(LARGE) else 15
            t.check(done.returncode == code and size == limit,
                    f"{words} into a file of at most {limit} bytes: code {done.returncode}, {size} bytes")


def run(rows, context, desk):
    draw = random.Random(context.seed)
    some = (lambda all, few: draw.sample(all, few)) if context.short else (lambda all, few: all)
    with tally(rows, PART, "0, 1 and 2 closed, all 8 combinations, every verb") as t:
        for names in COMBINATIONS:
            for verb in some(VERBS, 1):
                closed(t, desk, verb, names)
            closed_agent(t, desk, names)
    writing = [verb for verb in VERBS if verb.writes]
    with tally(rows, PART, "stdout or stderr on a full device, every verb") as t:
        for verb in some(writing, 10):
            full(t, desk, verb, "stdout")
        for verb in some([verb for verb in VERBS if not verb.writes], 2):
            full(t, desk, verb, "stdout")
        for verb in some(VERBS, 3):
            full(t, desk, verb, "stderr")
        desk.reset()
        for words, wanted in ((["status"], (18,)), (["status", "--json"], (15, 18)),
                              (["get", "none", *desk.secret], (16,)), (["check", desk.value], (3,)),
                              (["inspect", desk.value], (3, 15)), (["nothing"], (2,))):
            fails(t, desk, words, wanted)
    with tally(rows, PART, "stdout or stderr a pipe that nobody reads, every verb") as t:
        for ignoring in ((), (signal.SIGPIPE,)):
            for stream in ("stdout", "stderr"):
                for verb in some(VERBS, 3):
                    broken(t, desk, verb, stream, ignoring)
    with tally(rows, PART, "1 MB through slow, leaving and limited readers") as t:
        for way in some(["file", "agent"], 1):
            parts(t, desk, way)
