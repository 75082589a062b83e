"""What is wrong on purpose around an agent, a library program, and the faults themselves; all has to be noticed."""

import dataclasses
import fcntl
import os
import re
import signal

from kit.place import SETTINGS, make_vault
from kit.row import noticed, tally
from kit.settled import lock_of
from parts import judge
from parts.agent_saves import AgentSave, ClientSave
from parts.driver import Driver
from parts.saves import BatchSave

CLOSE = r"^close\(.*/vaults>"


class DyingAgent(AgentSave):
    """One that breaks down once it has answered."""

    def ask(self, place, before=()):
        outcome = super().ask(place, before)
        os.kill(place.agent.pid, signal.SIGSEGV)
        place.agent.wait(5)
        return outcome


class LockingAgent(AgentSave):
    """One that does not give back the lock."""

    def ask(self, place, before=()):
        outcome = super().ask(place, before)
        place.held = open(lock_of(place), "rb")
        fcntl.flock(place.held, fcntl.LOCK_EX)
        return outcome

    def work(self, place, before, then=None, alone=False, client=()):
        try:
            return super().work(place, before, then, alone, client)
        finally:
            place.held.close()


class DenyingAgent(AgentSave):
    """One whose client tells what the agent may have made as not made."""

    def ask(self, place, before=()):
        return dataclasses.replace(super().ask(place, before), code=15, err=b"coffer: nothing is made")


class DenyingClient(ClientSave):
    """A client that tells what is made as not made, whatever happened to it."""

    def ask(self, place, before=()):
        return dataclasses.replace(super().ask(place, before), code=15, err=b"coffer: nothing is made")


class HiddenAgent(AgentSave):
    """One whose saving thread is not traced alone: the fault meets a thread that only reads."""

    def run(self, place, call=None, fault=None, log=None):
        return super().run(place, call and dataclasses.replace(call, alone=False), fault, log)


class LosingBatch(BatchSave):
    """Updates that lose the settings beside those that they change."""

    def work(self, place, before):
        outcome = super().work(place, before)
        counts = {name: value for name, value in place.settings().items() if name not in SETTINGS}
        place.write(make_vault(counts, generation=place.opened().generation))
        return outcome


def cases(context):
    """The save, the call that gets a fault, the fault, and what the check has to say."""
    if os.geteuid() == 0:
        yield "an agent that dies after it has answered", DyingAgent(), CLOSE, "error=EIO", "the agent ended"
        yield "an agent that keeps the lock", LockingAgent(), CLOSE, "error=EIO", "the agent holds"
        yield ("an agent's client that denies what is made", DenyingAgent(), r"^fsync\(.*/vaults>", "signal=KILL",
               "not as what was killed ends")
        yield ("a fault that meets another thread", HiddenAgent(), r"^write\(.*\.v\.coffer\.tmp-", "signal=KILL",
               "met another call")
    yield "a client that denies what is made", DenyingClient(), r"^close\(", "error=EIO", ": new, code 15"
    if context.program("UpdateProbe"):
        yield "updates that lose other settings", LosingBatch(), CLOSE, "error=EIO", "neither: generation"


def run(context):
    """One row for each. The calls are those of the right save, which goes well."""
    for number, (what, save, on, fault, says) in enumerate(cases(context)):
        rows, folder = [], context.scratch / f"agent{number}"
        folder.mkdir()
        with tally(rows, "crash", what) as t:
            driver = Driver(dataclasses.replace(context, scratch=folder), type(save).__bases__[0](), rows)
            call = [call for call in driver.own if re.search(on, f"{call.name}({call.text}")][-1]
            driver.save = save
            told = judge.asked if isinstance(save, ClientSave) else judge.check_told
            driver.attempt(t, driver.places[0], call, fault, judge.check_killed if fault == "signal=KILL" else told)
        yield noticed("crash", what, rows, says=says)
