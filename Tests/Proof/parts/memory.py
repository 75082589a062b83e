"""What stays in memory, what a crash tells, and what happens where memory is short.

`growth` and `suites` say more of memory, as parts of their own: they take as long.
"""

from . import crashes, limits, scans, shortage

AREAS = [scans, crashes, limits, shortage]


def run(context):
    for area in AREAS:
        yield from area.run(context)


def sabotage(context):
    for area in AREAS:
        yield from area.sabotage(context)
