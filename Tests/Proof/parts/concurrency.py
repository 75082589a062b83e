"""Processes that set at once, alone and through an agent, some of them killed; nothing that was told as made is lost.

Seen failing by --sabotage: without locks, with a program that only says that it saved, with one that saves twice, in
place, or takes its lock file away; without a kill, and with an agent that has nothing to do when it is killed.
"""

import contextlib
import os
import signal
import time

from kit import faults
from kit.agent import Agent
from kit.crowd import Crowd, Watch, draw
from kit.pause import wait_until
from kit.place import Place
from kit.row import noticed, skip, tally
from kit.settled import ready, settle
from parts import orders, rekeying
from parts.liars import LIAR, TORN, TWICE, UNLOCKED, lying

PART = "concurrency"


def size(context, short, long):
    return short if context.short else long


def crowd_of(context, t, what, writers, each, distinct, agent=None, before=(), killed=0.1):
    """N processes at a time, M sets of each; `agent`: which of the writers go through one.

    `killed`: how many of the sets are killed at a random moment, and one of them in any case; None for no kill.
    """
    place = Place(context, what.replace(" ", "-").replace(",", ""))
    crowd = Crowd(place, f"seed {context.seed}, {what}", is_late=agent is not None)
    with contextlib.ExitStack() as ending:
        if agent is not None:
            started = ending.enter_context(Agent(place))
            ready(t, place, started, crowd.label)

        def writer(number):
            random = draw(context.seed, what, number)
            words = [] if agent and agent(number) else place.secret
            for turn in range(each):
                name = f"w{number}/{turn}" if distinct else f"same{random.randrange(3)}"
                kill = random.uniform(0, 1.2) if random.random() < (killed or 0) else None
                if killed and (number, turn) == (0, 1):
                    kill = 0.3  # before it can be done
                crowd.write(name, f"{number}.{turn}", words, before, kill)

        def counter():
            done = place.run([context.program("UpdateProbe"), place.vault, each], place.passphrase + b"\n", 120)
            t.want(done.code == 0, f"{crowd.label}: the library's program: {done}")

        has_counter = agent is not None and distinct
        work = [lambda number=number: writer(number) for number in range(writers)]
        if has_counter and context.program("UpdateProbe"):
            work.append(counter)
        elif has_counter:
            t.row.skipped = "the library's program: there is no UpdateProbe"
        with Watch(crowd, t) as watch:
            crowd.together(*work)
        settle(t, crowd, [] if agent is not None else place.secret)
        t.want(watch.seen > 2, f"{crowd.label}: only {watch.seen} saves were seen while they were made")
        if len(work) > writers:  # one number that a program with the library counts up at the same time
            crowd.others = each
            found = crowd.opened().settings.get("count")
            t.want(found == each, f"{crowd.label}: the library's program counted to {found}, not {each}")
            crowd.first.settings["count"] = found  # not set by one of the writers
        if killed is not None and (not context.short or killed == 0):  # in a short form it may end before its kill
            t.want(any(write.code == -signal.SIGKILL for write in crowd.writes), f"{crowd.label}: none was killed")
        crowd.judge(t)


def agent_killed(context, t, what, rounds, writers=6, each=200):
    """The agent itself gets the SIGKILL, at a random moment while it saves for many."""
    unsure = 0
    for turn in range(rounds):
        place = Place(context, f"{what.replace(' ', '-')}-{turn}")
        crowd = Crowd(place, f"seed {context.seed}, {what} {turn}")
        with Agent(place, may_die=True) as agent:
            ready(t, place, agent, crowd.label)
            random, times = draw(context.seed, what, turn), []

            def writer(number, crowd=crowd):
                for count in range(each):
                    if crowd.write(f"w{number}/{count}", f"{number}.{count}").code != 0:
                        return

            def killer(agent=agent, crowd=crowd, times=times, pause=random.uniform(0, 0.2)):
                wait_until(lambda: crowd.acknowledged, f"{crowd.label}: it saves")
                time.sleep(pause)
                times.append(time.monotonic())
                os.kill(agent.pid, signal.SIGKILL)
                times.append(time.monotonic())

            with Watch(crowd, t):
                crowd.together(killer, *(lambda number=number: writer(number) for number in range(writers)))
            t.want(agent.wait() == -signal.SIGKILL, f"{crowd.label}: the agent ended with {agent.process.poll()}")
        met = [write for write in crowd.writes if write.start < times[0] and write.end > times[1]]
        t.want(met, f"{crowd.label}: nobody saved when it was killed")
        unsure += any(write.is_unknown for write in met)
        for write in crowd.writes:
            t.want(write.code == 0 or write.end > times[0], f"{crowd.label}: before the agent was killed: {write}")
            t.want(write.code != 0 or write.start < times[1], f"{crowd.label}: after the agent was killed: {write}")
        with Agent(place) as next_agent:
            ready(t, place, next_agent, f"{crowd.label}, the next one")
            settle(t, crowd, [])
        # Broken off in the middle of an answer, not there any more, or not unlocked.
        crowd.judge(t, codes=(0, 14, 15, 18))
        place.remove()
    # A client that has asked and gets no answer cannot know; one of a few kills need not meet such a one.
    t.want(unsure or rounds < 10, f"{what}: in none of {rounds} kills a client had asked and got no answer")


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


def planted(context, what, says, **more):
    rows = []
    with tally(rows, PART, what) as t:
        crowd_of(context, t, what, 6, 10, True, **{"killed": None, **more})
    return noticed(PART, what, rows, says=says)


def sabotage(context):
    liar = lying(context, "liar", LIAR)
    lost = r": w\d/\d+ is None, after \[.set w.*: code 0, "
    yield planted(liar, "told, not saved", lost)
    yield planted(lying(context, "twice", TWICE), "saved twice", r": \d+ generations for \d+ to \d+ saves$")
    yield planted(lying(context, "unlocked", UNLOCKED), "a lock file that is taken away", "leaves no lock file")
    yield planted(lying(context, "torn", TORN), "saved in place", ": while others save: Refused: ")
    yield planted(context, "no kill", ": none was killed$", killed=0)
    for what, says, more in (("told, not saved, the agent killed", lost, {}),
                             ("the agent killed when nobody saves", ": nobody saved when it was killed$", {"each": 1})):
        with tally([], PART, what) as t:
            agent_killed(context if more else liar, t, what, 1, writers=1 if more else 6, **more)
        yield noticed(PART, what, [t.row], says=says)
    what = "an agent that dies, and nobody asks"
    with tally([], PART, what) as t:
        try:
            with Agent(Place(context, "dies")) as agent:
                os.kill(agent.pid, signal.SIGSEGV)
        except AssertionError as error:
            t.check(False, str(error))
    yield noticed(PART, what, [t.row], says="^the agent ended with -11: ")
    what = "locks that keep nobody out"
    if why := faults.unavailable():
        yield skip(PART, what, why)
    else:
        without = faults.everywhere("flock", "retval=0", "/dev/null")
        both = r"|another save with the same number|from generation (\d+) to \1,"  # two saves at once
        yield planted(context, what, lost + both, before=without)
    yield from orders.sabotage(context)
    yield from rekeying.sabotage(context)
