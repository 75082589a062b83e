"""The terminal: as it was, whatever comes; and no secret where it is not asked for."""

from checks import dialogues, escapes, leaks, moments, planted, prompts
from checks.verbs import Desk, forgotten
from kit.row import tally


def run(context):
    rows = []
    with tally(rows, "terminal", "verbs of `coffer help` that the proof knows") as t:
        missing = forgotten(context)
        t.check(not missing, f"no check runs coffer {', '.join(missing)}: add them to checks/verbs.py")
    yield from rows
    desk = Desk(context, "desk")
    for check in (prompts, moments, dialogues, leaks, escapes):
        rows = []
        check.run(rows, context, desk)
        yield from rows


def sabotage(context):
    return planted.plant("terminal", context, planted.TERMINAL)
