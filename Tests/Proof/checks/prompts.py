"""What becomes of a terminal when a signal comes instead of an answer."""

import os
import random
import signal
import time

from checks.questions import DROPPED, QUESTIONS, answer, bring_to, command, shows
from checks.screen import Jobs, Missing, Screen
from checks.verbs import stop_agent
from kit.row import tally

ENDING = ["INT", "TERM", "HUP", "QUIT"]
KEYS = {"^C": (b"\x03", "INT"), "^\\": (b"\x1c", "QUIT")}


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
    with tally(rows, part, "the terminal goes away at a question: the program ends") as t:
        for ignoring in ((), (signal.SIGHUP,)):
            for question in some(QUESTIONS, 2):
                vanishes(t, desk, question, ignoring)
