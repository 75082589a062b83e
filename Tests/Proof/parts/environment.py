"""The environment: whatever the streams, the umask, the home and the language are."""

from checks import languages, planted, streams, surroundings
from checks.verbs import Desk


def run(context):
    desk = Desk(context, "desk")
    for check in (streams, surroundings, languages):
        rows = []
        check.run(rows, context, desk)
        yield from rows


def sabotage(context):
    return planted.plant("environment", context, planted.ENVIRONMENT)
