"""Whole dialogues at terminals of every size and kind, and what the process table shows meanwhile."""

import fcntl
import os
import pathlib
import random
import struct
import subprocess
import termios
import time

from checks.bounded import ending
from checks.prompts import unchanged
from checks.questions import DIALOGUES, answer, command, shows
from checks.screen import Missing, Screen
from checks.verbs import PASSPHRASE, SECRETS, Surrounded, Verb, stop_agent
from kit.agent import Agent
from kit.row import tally

# Rows, columns, UTF-8 in line editing, further variables.
TERMINALS = [
    (24, 80, True, {}), (5, 20, True, {}), (1, 1, False, {}), (0, 0, True, {}),
    (24, 80, False, {"LC_ALL": "C", "TERM": "dumb"}), (24, 20, True, {"COLUMNS": "20", "LINES": "2", "TERM": ""}),
]


def in_process_table(secrets):
    """Which files of the process table show a secret: of all processes that this one may look into, itself too."""
    found = []
    for process in pathlib.Path("/proc").iterdir():
        if process.name.isdigit():
            for name in ("cmdline", "environ", "comm"):
                try:
                    data = (process / name).read_bytes()
                except OSError:
                    continue
                found += [f"/proc/{process.name}/{name}" for secret in secrets if secret in data]
    return found


def whole(t, desk, text, steps, terminal):
    """All questions of a call are answered: it is done, shows no secret, and leaves the terminal as it was."""
    rows, columns, utf8, more = terminal
    line = f"coffer {text} at {columns}×{rows}{'' if utf8 else ' without IUTF8'} {more or ''}"
    desk.reset()
    with Screen(rows, columns, utf8) as screen:
        child = screen.start(command(desk, text), {**desk.environment, **more})
        try:
            answer(screen, steps)
            code = screen.wait(child)
            wrong = (f"it ended with {code}: {screen.shown!r}" if code else None) or screen.left_as_it_was()
            wrong = wrong or ("what was typed is shown" if shows(screen, steps) else None)
        except Missing as error:
            wrong = str(error)
        t.check(wrong is None, f"{line}: {wrong}")
    stop_agent(desk)


def narrow(t, desk, verb):
    """A terminal of 20 columns gets the same text as one of 80: nothing is cut."""
    texts = []
    for columns in (80, 20):
        with Surrounded(desk, verb), Screen(24, columns) as screen:
            more = {"COLUMNS": str(columns)}
            child = screen.start([desk.context.coffer, *verb.words(desk)], {**desk.environment, **more})
            code = screen.wait(child)
            texts.append((code, bytes(byte for byte in screen.shown if byte not in b"0123456789smh")))
    t.check(texts[0] == texts[1], f"{verb} at 20 columns: {texts[1]}, at 80: {texts[0]}")


def watched(t, desk, text, steps):
    """At each question the process table shows nothing that was typed before, nor does it after the end."""
    desk.reset()
    with Screen() as screen:
        child = screen.start(command(desk, text), desk.environment)
        try:
            for number, step in enumerate(steps):
                screen.expect(step.prompt)
                found = in_process_table(SECRETS)
                t.check(not found, f"coffer {text}, asking {step.prompt!r}: {found}")
                if step.hidden:
                    screen.wait_until_hidden()
                screen.type(step.answer + b"\n")
            screen.wait(child)
            found = in_process_table(SECRETS)
            t.check(not found, f"coffer {text}, after the end: {found}")
        except Missing as error:
            t.check(False, f"coffer {text}: {error}")
    stop_agent(desk)


def unread(pipe):
    """How many bytes of a pipe its reader has not taken yet."""
    return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))[0]


def waiting(t, desk):
    """A program that has the passphrase and half of the value from a pipe, beside an agent that has both."""
    desk.reset()
    line = "coffer set c --passphrase-fd 0, waiting for the value"
    with Agent(desk) as agent:
        agent.unlock()
        with subprocess.Popen(
                [desk.context.coffer, "set", "c", "--passphrase-fd", "0"], stdin=subprocess.PIPE, env=desk.environment,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True) as child:
            child.stdin.write(PASSPHRASE + b"\n" + SECRETS[4])
            child.stdin.flush()
            end = time.monotonic() + Screen.PATIENCE
            while (left := unread(child.stdin)) and child.poll() is None and time.monotonic() < end:
                time.sleep(0.005)
            found = in_process_table(SECRETS)
            t.check(not left and child.poll() is None and not found, f"{line}: {left} bytes not read; {found}")
            child.stdin.close()
            t.want(ending(child) is not None, f"{line}: it did not end with the value")


def unasked(t, desk, text, how):
    """Nobody can be asked: it ends with 14 at once, says which option to use, and takes nothing from standard input."""
    line = f"coffer {text}, {how}"
    desk.reset()
    words = command(desk, text)
    pipe = PASSPHRASE + b"\n" + PASSPHRASE + b"\n" + PASSPHRASE + b"\n"
    if how == "standard input a terminal of others":
        with Screen() as screen:
            screen.type(pipe)
            done = subprocess.run(words, stdin=screen.slave, capture_output=True, env=desk.environment, timeout=20,
                                  start_new_session=True)
            wrong = "the terminal's settings changed" if screen.settings() != screen.before else None
    elif how == "--no-input":
        with Screen() as screen:
            child = screen.start([*words, "--no-input"], desk.environment, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            out, err = child.communicate(timeout=20)
            done = subprocess.CompletedProcess(words, child.returncode, out, err)
            wrong = "it showed something" if screen.drain() else screen.left_as_it_was()
    else:
        done = subprocess.run(words, input=pipe if "pipe" in how else None, stdin=None if "pipe" in how else
                              subprocess.DEVNULL, capture_output=True, env=desk.environment, timeout=20,
                              start_new_session=True)
        wrong = None
    wrong = wrong or (f"it ended with {done.returncode}: {done.stderr!r}" if done.returncode != 14 else None)
    wrong = wrong or unchanged(desk) or (None if b"passphrase-file" in done.stderr else f"it says {done.stderr!r}")
    t.check(wrong is None, f"{line}: {wrong}")
    stop_agent(desk)


def run(rows, context, desk):
    draw = random.Random(context.seed)
    part = "terminal"
    with tally(rows, part, "whole dialogues, 1 to 80 columns, also LANG=C: done, not shown") as t:
        for terminal in TERMINALS:
            for text, steps in draw.sample(DIALOGUES, 1) if context.short else DIALOGUES:
                whole(t, desk, text, steps, terminal)
    with tally(rows, part, "20 columns: the same text as 80") as t:
        verbs = [Verb("get a", "file"), Verb("list", "file"), Verb("list --json", "file"), Verb("inspect"),
                 Verb("check"), Verb("status", "agent"), Verb("help"), Verb("help set"), Verb("version"),
                 Verb("help exit-codes")]
        for verb in draw.sample(verbs, 4) if context.short else verbs:
            narrow(t, desk, verb)
    with tally(rows, part, "argv and environment of all processes, at each question") as t:
        for text, steps in draw.sample(DIALOGUES, 5) if context.short else DIALOGUES:
            watched(t, desk, text, steps)
        waiting(t, desk)
        if os.geteuid() != 0:
            t.row.skipped = "root alone sees the environment of coffer"
    with tally(rows, part, "nobody to ask (setsid, --no-input): 14, and nothing is taken") as t:
        for how in ("no terminal", "no terminal but a pipe", "standard input a terminal of others", "--no-input"):
            for text, _ in draw.sample(DIALOGUES, 4) if context.short else DIALOGUES:
                if "pipe" in how and text.startswith("set"):
                    continue  # there it is where the value comes from
                unasked(t, desk, text, how)
