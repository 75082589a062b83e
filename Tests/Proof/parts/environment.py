"""The environment: whatever the streams, the umask, the home and the language are."""

from checks import planted, streams, surroundings
from checks.verbs import Desk


def run(context):
    rows = []
    desk = Desk(context, "desk")
    for check in (streams, surroundings):
        check.run(rows, context, desk)
    return rows


def sabotage(context):
    return planted.plant("environment", context, planted.ENVIRONMENT)
