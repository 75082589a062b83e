"""Saves through the agent, where the agent or its client gets the fault; and what an agent is that has had one."""

import concurrent.futures
import contextlib
import dataclasses
import fcntl
import os
import shutil
import time

from kit import faults
from kit.agent import Agent
from kit.pause import wait_until
from kit.settled import held_locks, lock_of
from parts.saves import VALUE, Save

SAVING = "coffer-save"  # the name of the agent's thread that saves
CHANGING = ("flock", "clock_nanosleep", "restart_syscall")  # how often it looks for a lock that is held


def trouble(agent, place, may_be_killed):
    """What is wrong with an agent after a fault: it has to live, hold no lock, and serve. The home is as it was then.

    Seen failing by --sabotage: an agent that dies once it has answered, and one that keeps its lock.
    """
    if (code := agent.wait(0)) is not None:
        return "" if may_be_killed and code == -9 else f"; the agent ended: {code}, {agent.told()[-600:]!r}"
    got = place.coffer(["get", "old", "--no-input"], timeout=10)
    wait_until(lambda: agent.wait(0) is not None or not agent.thread(SAVING), "the agent has done all", 20)
    held, kept = held_locks(place), place.home / "kept"
    shutil.rmtree(kept, ignore_errors=True)
    folders = [folder for folder in (place.folder, place.state) if folder.exists()]
    for folder in folders:
        shutil.copytree(folder, kept / folder.name)
    made = place.coffer(["set", "again"], b"y", timeout=10)
    shutil.rmtree(place.state, ignore_errors=True)
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.move(kept / folder.name, folder)
    said = f"; the agent holds {held}" if held else ""
    said += "" if (got.code, got.out) == (0, b"value") else f"; the agent after it, get: {got}"
    return said + ("" if made.code == 0 else f"; the agent after it, set: {made}")


class AgentSave(Save):
    """`coffer set` through the agent: it is the agent that gets the fault, once the vault is unlocked in it.

    strace counts the calls of each thread apart, and the agent starts a thread for a look into the file, then one for
    the save: where the other thread has a call of the same name and number, it would get the fault. Such calls are
    reached by tracing the saving thread alone, which waits for the lock of the vault until strace is there. Those
    before the lock stay hidden, and are not counted.
    """

    name = "set by the agent"

    def run(self, place, call=None, fault=None, log=None):
        before = [] if call is None else faults.injecting(call, fault, log)
        return self.work(place, before, alone=bool(call and call.alone))

    def work(self, place, before, then=None, alone=False, client=()):
        """Makes the save with strace, of these words, at the agent; `then` is done once it is answered.

        `client` are words before the client; `alone`: it is the saving thread alone that is traced.
        """
        with Agent(place, may_die=True) as agent:  # how it ended is looked at here
            place.agent, unlocked = agent, agent.unlock()
            if unlocked.code != 0:
                raise AssertionError(f"the agent does not unlock: {agent.said}, {unlocked}, {agent.told()}")
            if alone:
                outcome = self.work_alone(place, before, agent)
            else:
                with agent.traced(before) if before else contextlib.nullcontext():
                    outcome = self.ask(place, client)
                    if then:
                        then()
                    if before and agent.wait(0) is None:
                        time.sleep(0.02)  # the log is written to its end
            bad = "" if then else trouble(agent, place, "signal=KILL" in " ".join(before))
            code = agent.stop()
            if not bad and code not in (0, -9):
                bad = f"; the agent ended with {code}: {agent.told()[-600:]!r}"
            return dataclasses.replace(outcome, trouble=bad)

    def work_alone(self, place, before, agent):
        """The same, with the saving thread alone traced, from when it waits for the lock."""
        descriptor = os.open(lock_of(place), os.O_RDWR | os.O_CREAT, 0o600)
        with concurrent.futures.ThreadPoolExecutor(1) as pool, open(descriptor, "rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            asked = pool.submit(self.ask, place)
            wait_until(lambda: agent.thread(SAVING) or asked.done(), "the agent saves", 10)
            with agent.traced(before, agent.thread(SAVING)):
                fcntl.flock(lock, fcntl.LOCK_UN)
                outcome = asked.result()
                if agent.wait(0) is None:
                    time.sleep(0.02)
            return outcome

    def ask(self, place, before=()):
        return place.coffer(["set", "new"], VALUE.encode(), before)

    def killed(self, place, generation, outcome):
        """It is the agent that was killed: the client has to say so, and not that nothing is made where it may be."""
        told = generation != "new" or b"whether the change" in outcome.err
        return outcome.code in (0, 14, 15, 18) and (outcome.code == 0 or told)

    def calls(self, place, log):
        """Those of the thread that answers and of the one that saves; `hidden` is set to how many cannot be reached."""
        super().calls(place, log)
        made = faults.lines(log)
        threads = [next(thread for thread, call in made if text in call.text)
                   for text in ("SO_PEERCRED", f'"{SAVING}"')]
        firsts = {}
        for thread, call in made:
            firsts.setdefault((call.name, call.number), thread)
        # How often it waits and is woken is a matter of time.
        own = [(thread, call) for thread, call in made if thread in threads
               and not (thread == threads[0] and call.name in ("poll", "read", "write"))]
        own.sort(key=lambda pair: threads.index(pair[0]))
        # What they do once the one has woken the other, and that has answered, is a race with the end of strace.
        for thread, final in zip(threads, ("sendto", "write"), strict=True):
            last = max(number for number, pair in enumerate(own) if pair[0] == thread and pair[1].name == final)
            own = [pair for number, pair in enumerate(own) if pair[0] != thread or number <= last]
        place.reset()
        alone = self.calls_alone(place, log)
        reached, self.hidden = [], 0
        for thread, call in own:
            if firsts[call.name, call.number] == thread:
                reached.append(call)
            elif other := next((other for other in alone if faults.shape(other, place.home) ==
                                faults.shape(call, place.home)), None):
                alone.remove(other)
                reached.append(other)
            else:
                self.hidden += 1
        return reached

    def calls_alone(self, place, log):
        """The calls of the saving thread once it has the lock, traced alone; those that are always the same."""
        outcome = self.work(place, faults.tracing(log, False), alone=True)
        if outcome.code != 0 or outcome.trouble or self.generation(place) != "new":
            raise AssertionError(f"{self.name} does not go well with its thread traced: {outcome}")
        calls = faults.calls(log)
        locked = next(number for number, call in enumerate(calls) if call.name == "flock" and call.text.endswith("= 0"))
        last = max(number for number, call in enumerate(calls) if call.name == "write")
        return [dataclasses.replace(call, alone=True) for call in calls[locked:last + 1] if call.name not in CHANGING]


class ClientSave(AgentSave):
    """`coffer set` through the agent: it is the client that gets the fault, and the agent serves on."""

    name = "set by the agent's client"

    def run(self, place, call=None, fault=None, log=None):
        return self.work(place, [] if call is None else faults.injecting(call, fault, log))

    def work(self, place, before, then=None):
        return super().work(place, [], then, client=before)

    def calls(self, place, log):
        return Save.calls(self, place, log)

    def killed(self, place, generation, outcome):
        return Save.killed(self, place, generation, outcome)
