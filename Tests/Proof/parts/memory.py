"""What stays in memory, what a crash tells, and what happens where memory is short."""

from . import crashes, growth, limits, scans, suites

AREAS = [scans, crashes, limits, growth, suites]


def run(context):
    return [row for area in AREAS for row in area.run(context)]


def sabotage(context):
    return [row for area in AREAS for row in area.sabotage(context)]
