"""Signals at random moments of whole dialogues: before a program asks, while it does, and after its last answer."""

import os
import random
import signal
import time

from checks.prompts import ENDING
from checks.questions import DIALOGUES, answer, command
from checks.screen import Missing, Screen
from checks.verbs import stop_agent
from kit.row import tally

WHOLE = DIALOGUES[:10]  # what a signal comes into


def length(desk, text, steps):
    """How many seconds a dialogue takes when each question is answered at once."""
    desk.reset()
    with Screen() as screen:
        start = time.monotonic()
        child = screen.start(command(desk, text), desk.environment)
        answer(screen, steps)
        child.wait(screen.PATIENCE)
        seconds = time.monotonic() - start
    stop_agent(desk)
    return seconds


def at_any_moment(t, desk, number, draw, lengths):
    """A signal at a random moment of a whole dialogue: it ends by it or is done; the terminal is as it was.

    What is done before its signal is sent is judged, but is no attempt.
    """
    text, steps = draw.choice(WHOLE)
    how, delay = draw.choice(ENDING), draw.uniform(0, lengths[text])
    desk.reset()
    with Screen() as screen:
        child = screen.start(command(desk, text), desk.environment)
        ahead = draw.random() < 0.3  # which is dropped, or makes two lines of the answer
        screen.type(steps[0].answer + b"\n" if ahead else b"")
        end = time.monotonic() + delay
        given = 0
        while time.monotonic() < end and child.poll() is None:
            screen.look(0.002)
            if given < len(steps) and steps[given].prompt.encode() in screen.shown[screen.searched:]:
                answer(screen, steps[given:given + 1])
                given += 1
        check = t.want
        if child.poll() is None:
            os.kill(child.pid, getattr(signal, "SIG" + how))
            check = t.check
        line = f"coffer {text}, {how} after {delay:.4f} s (attempt {number}, {given} answered)"
        try:
            code = screen.wait(child)
            if given or not ahead:
                wrong = screen.left_as_it_was()
            else:  # what is typed before it asks may stay for the shell
                wrong = None if screen.settings() == screen.before else "the terminal's settings changed"
            if code not in (0, -getattr(signal, "SIG" + how), *([17] if ahead else [])):
                wrong = f"it ended with {code}: {screen.shown[-200:]!r}"
            check(wrong is None, f"{line}: {wrong}")
        except Missing as error:
            check(False, f"{line}: {error}")
    stop_agent(desk)


def run(rows, context, desk):
    draw = random.Random(context.seed)
    with tally(rows, "terminal", "a signal at a random moment of a dialogue") as t:
        lengths = {text: length(desk, text, steps) for text, steps in WHOLE}
        wanted = 5 if context.short else 200
        for number in range(3 * wanted):
            if t.row.tried < wanted:
                at_any_moment(t, desk, number, draw, lengths)
        t.want(t.row.tried == wanted, f"most dialogues were over before their signal: {t.row.tried} signals sent")
