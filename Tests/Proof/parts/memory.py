"""What stays in memory, what a crash tells, and what happens where memory is short."""

from . import crashes, growth, limits, scans, shortage, suites

AREAS = [scans, crashes, limits, shortage, growth, suites]


def run(context):
    for area in AREAS:
        yield from area.run(context)


def sabotage(context):
    for area in AREAS:
        yield from area.sabotage(context)
