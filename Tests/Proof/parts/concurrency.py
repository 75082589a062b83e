"""Processes that set at once, alone and through an agent, some of them killed; nothing that was told as made is lost.

Seen failing by --sabotage: without locks, with a program that only says that it saved, and with one that saves twice.
"""

import contextlib
import dataclasses
import os
import signal
import time

from kit import faults
from kit.agent import Agent
from kit.crowd import Crowd, Watch, draw
from kit.place import Place
from kit.row import noticed, skip, tally
from kit.settled import settle
from parts import orders, rekeying

PART = "concurrency"


def size(context, short, long):
    return short if context.short else long


def crowd_of(context, t, what, writers, each, distinct, agent=None, before=(), killed=0.1):
    """N processes at a time, M sets of each; `agent`: which of the writers go through one."""
    place = Place(context, what.replace(" ", "-").replace(",", ""))
    crowd = Crowd(place, f"seed {context.seed}, {what}", is_late=agent is not None)
    with contextlib.ExitStack() as ending:
        if agent is not None:
            started = ending.enter_context(Agent(place))
            unlocked = started.unlock()
            if not t.want(started.is_ready and unlocked.code == 0, f"{crowd.label}: no agent: {unlocked}"):
                return

        def writer(number):
            random = draw(context.seed, what, number)
            words = [] if agent and agent(number) else place.secret
            for turn in range(each):
                name = f"w{number}/{turn}" if distinct else f"same{random.randrange(3)}"
                kill = random.uniform(0, 1.2) if random.random() < killed else None
                crowd.write(name, f"{number}.{turn}", words, before, kill)

        def counter():
            done = place.run([context.program("UpdateProbe"), place.vault, each], place.passphrase + b"\n", 120)
            t.want(done.code == 0, f"{crowd.label}: the library's program: {done}")

        work = [lambda number=number: writer(number) for number in range(writers)]
        if agent is not None and context.program("UpdateProbe") and distinct:
            work.append(counter)
        with Watch(crowd, t) as watch:
            crowd.together(*work)
        settle(t, crowd, [] if agent is not None else place.secret)
        t.want(watch.seen > 2, f"{crowd.label}: only {watch.seen} saves were seen while they were made")
        if len(work) > writers:  # one number that a program with the library counts up at the same time
            crowd.others = each
            found = crowd.opened().settings.get("count")
            t.want(found == each, f"{crowd.label}: the library's program counted to {found}, not {each}")
            crowd.first.settings["count"] = found  # not set by one of the writers
        crowd.judge(t)


def agent_killed(context, t, what, rounds, writers=6):
    """The agent itself gets the SIGKILL, at a random moment while it saves for many."""
    for turn in range(rounds):
        place = Place(context, f"agent-killed-{turn}")
        crowd = Crowd(place, f"seed {context.seed}, {what} {turn}")
        agent = Agent(place)
        unlocked = agent.unlock()
        t.want(agent.is_ready and unlocked.code == 0, f"{crowd.label}: no agent: {unlocked}")
        random = draw(context.seed, what, turn)

        def writer(number, crowd=crowd):
            for count in range(200):
                if crowd.write(f"w{number}/{count}", f"{number}.{count}").code != 0:
                    return

        def killer(agent=agent, pause=random.uniform(0.02, 0.4)):
            time.sleep(pause)
            os.kill(agent.pid, signal.SIGKILL)

        with Watch(crowd, t):
            crowd.together(killer, *(lambda number=number: writer(number) for number in range(writers)))
        t.want(agent.wait() == -signal.SIGKILL, f"{crowd.label}: the agent ended with {agent.process.poll()}")
        with Agent(place) as next_agent:
            again = next_agent.unlock()
            t.want(again.code == 0, f"{crowd.label}: no other agent: {again}")
            settle(t, crowd, [])
        # Broken off in the middle of an answer, not there any more, or not unlocked.
        crowd.judge(t, codes=(0, 14, 15, 18))
        place.remove()


def run(context):
    rows, writers, each = [], size(context, 6, 12), size(context, 5, 60)
    scenes = [
        ("distinct names, each by itself", True, None), ("equal names, each by itself", False, None),
        ("distinct names, an agent", True, lambda number: True), ("equal names, an agent", False, lambda number: True),
        ("distinct names, agent, alone and library", True, lambda number: number % 2 == 0),
        ("equal names, half of them an agent", False, lambda number: number % 2 == 0),
    ]
    for what, distinct, agent in scenes:
        with tally(rows, PART, f"{what}: {writers} × {each}") as t:
            crowd_of(context, t, what, writers, each, distinct, agent)
        yield rows.pop()
    rounds = size(context, 2, 30)
    with tally(rows, PART, f"the agent killed while it saves: {rounds} times") as t:
        agent_killed(context, t, "agent killed", rounds)
    yield rows.pop()
    yield from rekeying.run(context)


LIAR = """#!/bin/sh
if [ "$1" = set ] && [ $(($$ % 5)) -eq 0 ]; then cat > /dev/null; exit 0; fi
exec {0} "$@"
"""
TWICE = """#!/bin/sh
if [ "$1" = set ] && [ $(($$ % 5)) -eq 0 ]; then
    value=$(cat); printf %s "$value" | {0} "$@" && printf %s "$value" | {0} "$@"; exit
fi
exec {0} "$@"
"""


def planted(context, what, **more):
    rows = []
    with tally(rows, PART, what) as t:
        crowd_of(context, t, what, 6, 10, True, killed=0, **more)
    return rows


def sabotage(context):
    rows = []
    for what, text in (("told, not saved", LIAR), ("saved twice", TWICE)):
        program = context.scratch / what.replace(", ", "-").replace(" ", "-")
        program.write_text(text.format(context.coffer))
        program.chmod(0o755)
        other = dataclasses.replace(context, coffer=str(program))
        rows.append(noticed(PART, what, planted(other, f"writers: {what}")))
    what = "locks that keep nobody out"
    if why := faults.unavailable():
        return [*rows, skip(PART, what, why)]
    without = faults.everywhere("flock", "retval=0", "/dev/null")
    return [*rows, noticed(PART, what, planted(context, what, before=without)), *orders.sabotage(context)]
