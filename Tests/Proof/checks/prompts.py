"""What a person is asked at a terminal, and what becomes of the terminal when a signal comes instead of an answer."""

import dataclasses
import os
import random
import signal
import time

from checks.screen import Jobs, Missing, Screen
from checks.verbs import NEXT, PASSPHRASE, TYPED, stop_agent
from kit.row import tally

ENDING = ["INT", "TERM", "HUP", "QUIT"]
KEYS = {"^C": (b"\x03", "INT"), "^\\": (b"\x1c", "QUIT")}
DROPPED = "half-typed-secret"


@dataclasses.dataclass(frozen=True)
class Step:
    """One question, and the answer to it."""

    prompt: str
    answer: bytes
    hidden: bool = True


OPEN = Step("Passphrase of ", PASSPHRASE)
NEW = [Step("New passphrase for ", NEXT), Step("The same again: ", NEXT)]
VALUE = [Step("Value of ", TYPED.encode()), Step("The same again: ", TYPED.encode())]


def asked(text, *steps):
    """The words of a call, and what it asks."""
    return text, [OPEN, *steps]


DIALOGUES = [
    asked("get a"), asked("get --json a b"), asked("list"), asked("list --json"), asked("unset b"),
    asked("rename b d"), asked("undo a"), asked("inspect --ask"), asked("unlock"), asked("set c", *VALUE),
    asked("set n --type integer", Step("Value of ", b"42", False)),
    asked("set t --not-secret", Step("Value of ", b"for everybody", False)),
    asked("set d --type date", Step("Value of ", b"2024-02-29T12:00:00Z", False)),
    asked("set g --generate"), asked("passphrase --cost 3,64M", *NEW), ("init --vault NEW --cost 3,64M", NEW),
]
# Each question of each call: 25 of them.
QUESTIONS = [(text, steps, number) for text, steps in DIALOGUES for number in range(len(steps))]


def command(desk, text):
    return [desk.context.coffer, *(str(desk.new) if word == "NEW" else word for word in text.split())]


def answer(screen, steps):
    for step in steps:
        screen.expect(step.prompt)
        if step.hidden:
            screen.wait_until_hidden()
        screen.type(step.answer + b"\n")


def bring_to(screen, steps, number):
    """Answers the questions before one, and half of that."""
    answer(screen, steps[:number])
    screen.expect(steps[number].prompt)
    if steps[number].hidden:
        screen.wait_until_hidden()
    screen.type(DROPPED)


def told(text, steps, number, what):
    return f"coffer {text}, asking {steps[number].prompt!r}, {what}"


def unchanged(desk):
    """What is not as before in the vault and beside it, or nothing."""
    if desk.vault.read_bytes() != desk.original:
        return "the vault changed"
    return f"left beside the vault: {desk.leftovers()}" if desk.leftovers() else None


def ends(t, desk, question, how):
    """A signal at a question, from outside or by a key: the program ends by it, and the terminal is as it was."""
    text, steps, number = question
    line = told(text, steps, number, how)
    desk.reset()
    with Screen() as screen:
        child = screen.start(command(desk, text), desk.environment)
        try:
            bring_to(screen, steps, number)
            if how in KEYS:
                screen.type(KEYS[how][0])
            else:
                os.kill(child.pid, getattr(signal, "SIG" + how))
            code = screen.wait(child)
        except Missing as error:
            t.check(False, f"{line}: {error}")
            return
        wanted = -getattr(signal, "SIG" + KEYS.get(how, (0, how))[1])
        wrong = screen.left_as_it_was() or unchanged(desk) or (f"it ended with {code}" if code != wanted else None)
        if steps[number].hidden and DROPPED.encode() in screen.shown:
            wrong = "what was typed is shown"
        t.check(wrong is None, f"{line}: {wrong}")
    if text == "unlock":
        t.want(desk.coffer(["status", "-q"]).code == 14, f"{line}: the agent is not there, or has the vault")
        stop_agent(desk)


def stops(t, desk, question, how):
    """A stop at a question: the terminal is as it was meanwhile; then it asks again, and all goes well."""
    text, steps, number = question
    line = told(text, steps, number, f"{how} and CONT")
    desk.reset()
    with Screen() as screen:
        jobs = Jobs(screen, command(desk, text), desk.environment)
        try:
            bring_to(screen, steps, number)
            if how == "^Z":
                screen.type(b"\x1a")
            else:
                os.kill(jobs.pid(), getattr(signal, "SIG" + how))
            heard = jobs.hear()
            wrong = None if heard.startswith("stopped") else f"it did not stop: {heard}"
            if how != "STOP":  # that one nobody can hold back
                wrong = wrong or screen.left_as_it_was()
            jobs.resume()
            answer(screen, steps[number:])
            heard = jobs.hear()
            screen.wait(jobs.shell)
            wrong = wrong or (None if heard == "ended 0" else f"then it {heard}") or screen.left_as_it_was()
            wrong = wrong or ("what was typed is shown" if shows(screen, steps) else None)
        except (Missing, ValueError, OSError) as error:
            wrong = f"{error}; shown: {screen.shown[-200:]!r}"
        jobs.close()
        t.check(wrong is None, f"{line}: {wrong}")
    stop_agent(desk)


def shows(screen, steps):
    """Whether the terminal shows an answer that it must not."""
    return any(step.hidden and step.answer in screen.drain() for step in steps)


def goes_on(t, desk, question):
    """Signals that mean nothing to it are no answer: the question stays, and the answer counts."""
    text, steps, number = question
    line = told(text, steps, number, "WINCH, CHLD, URG and CONT")
    desk.reset()
    with Screen() as screen:
        child = screen.start(command(desk, text), desk.environment)
        try:
            answer(screen, steps[:number])
            screen.expect(steps[number].prompt)
            for name in ("WINCH", "CHLD", "URG", "CONT"):
                os.kill(child.pid, getattr(signal, "SIG" + name))
            screen.expect(steps[number].prompt)  # CONT makes it ask again
            screen.searched -= len(steps[number].prompt)
            answer(screen, steps[number:])
            code = screen.wait(child)
            wrong = screen.left_as_it_was() or (f"it ended with {code}" if code else None)
        except Missing as error:
            wrong = str(error)
        t.check(wrong is None, f"{line}: {wrong}")
    stop_agent(desk)


def at_any_moment(t, desk, number, draw):
    """A signal at a random moment of a whole dialogue: it ends by it or is done; the terminal is as it was."""
    text, steps = draw.choice(DIALOGUES[:10])
    how, delay = draw.choice(ENDING), draw.uniform(0, 0.12)
    desk.reset()
    with Screen() as screen:
        child = screen.start(command(desk, text), desk.environment)
        screen.type(b"\n".join(step.answer for step in steps[:1]) + b"\n" if draw.random() < 0.3 else b"")
        end = time.monotonic() + delay
        given = 0
        while time.monotonic() < end and child.poll() is None:
            screen.look(0.002)
            if given < len(steps) and steps[given].prompt.encode() in screen.shown[screen.searched:]:
                answer(screen, steps[given:given + 1])
                given += 1
        if child.poll() is None:
            os.kill(child.pid, getattr(signal, "SIG" + how))
        line = f"coffer {text}, {how} after {delay:.4f} s (attempt {number})"
        try:
            code = screen.wait(child)
            wrong = screen.left_as_it_was() if given else None  # what is typed before it asks may stay for the shell
            if code not in (0, -getattr(signal, "SIG" + how)):
                wrong = f"it ended with {code}: {screen.shown[-200:]!r}"
            t.check(wrong is None, f"{line}: {wrong}")
        except Missing as error:
            t.check(False, f"{line}: {error}")
    stop_agent(desk)


def vanishes(t, desk, question, ignoring):
    """The terminal goes away at a question: the program ends, also where SIGHUP is ignored as by nohup."""
    text, steps, number = question
    line = told(text, steps, number, "the terminal goes away" + (", SIGHUP ignored" if ignoring else ""))
    desk.reset()
    with Screen() as screen:
        child = screen.start(command(desk, text), desk.environment, ignoring)
        try:
            bring_to(screen, steps, number)
            screen.hang_up()
            end = time.monotonic() + screen.PATIENCE
            while child.poll() is None and time.monotonic() < end:
                time.sleep(0.005)
            good = child.poll() in (15, 17) if ignoring else child.poll() == -signal.SIGHUP
            wrong = (None if good else f"it ended with {child.poll()}") or unchanged(desk)
        except Missing as error:
            wrong = str(error)
        t.check(wrong is None, f"{line}: {wrong}")
    stop_agent(desk)


def run(rows, context, desk):
    draw = random.Random(context.seed)
    some = (lambda all, few: draw.sample(all, few)) if context.short else (lambda all, few: all)
    part = "terminal"
    with tally(rows, part, "INT TERM HUP QUIT ^C ^\\ at a question: terminal as before") as t:
        for how in [*ENDING, *KEYS]:
            for question in some(QUESTIONS, 2):
                ends(t, desk, question, how)
    with tally(rows, part, "TSTP TTIN TTOU STOP ^Z at a question, then CONT: asks again") as t:
        for how in ["TSTP", "^Z", *some(["TTIN", "TTOU", "STOP"], 0)]:
            for question in some(QUESTIONS, 2):
                stops(t, desk, question, how)
    with tally(rows, part, "WINCH CHLD URG CONT at a question: no answer, no end") as t:
        for question in some(QUESTIONS, 2):
            goes_on(t, desk, question)
    with tally(rows, part, "a signal at a random moment of a dialogue") as t:
        for number in range(5 if context.short else 200):
            at_any_moment(t, desk, number, draw)
    with tally(rows, part, "the terminal goes away at a question: the program ends") as t:
        for ignoring in ((), (signal.SIGHUP,)):
            for question in some(QUESTIONS, 2):
                vanishes(t, desk, question, ignoring)
