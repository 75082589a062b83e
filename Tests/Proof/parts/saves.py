"""The ways to save that crash.py interrupts: what is run, and what the vault is to be afterwards."""

import contextlib
import os
import time

from kit import faults
from kit.agent import Agent
from kit.place import SETTINGS

NEW = b"eight lanterns along the harbour wall"
VALUE = "v" * 300  # so that the file stays one block, and no piece of it stands elsewhere by chance


class Save:
    """`coffer set` with a passphrase: one process, one thread."""

    name, passphrase, expected = "set", None, {**SETTINGS, "new": VALUE}

    def run(self, place, call=None, fault=None, log=None):
        """Makes the save, with a fault at a call if one is given; gives how it ended."""
        return self.work(place, [] if call is None else faults.injecting(call, fault, log))

    def work(self, place, before):
        return place.coffer(["set", "new", *place.secret], VALUE.encode(), before)

    def calls(self, place, log):
        """The calls of a save that goes well."""
        outcome = self.work(place, faults.tracing(log))
        if outcome.code != 0 or self.generation(place) != "new":
            raise AssertionError(f"{self.name} does not go well under strace: {outcome}")
        return faults.calls(log)

    def lost(self, place, generation, outcome):
        """Whether something is missing that was told as made."""
        return outcome.code == 0 and generation != "new"

    def generation(self, place):
        """Which generation of the vault is there: "old", "new", or what is there instead."""
        try:
            file = place.vault.read_bytes()
            if file == place.original:
                return "old"
            opened = place.opened(self.passphrase)
        except Exception as error:
            return f"neither: {type(error).__name__}: {error}"
        good = opened.settings == self.expected and opened.generation == 2
        return "new" if good else f"neither: generation {opened.generation}, {str(opened.settings)[:300]}"

    def again(self, place):
        """Makes the vault again that is not there; nothing where a vault always is."""
        return None

    def secret(self, place, generation):
        """The words that open the vault as it is now."""
        if self.passphrase is None or generation == "old":
            return place.secret
        return ["--passphrase-file", str(self.write_passphrase(place))]

    def write_passphrase(self, place):
        path = place.home / "new-passphrase"
        path.write_bytes(self.passphrase + b"\n")
        return path


class PassphraseSave(Save):
    """`coffer passphrase`: another key, at the lowest cost that it chooses."""

    name, passphrase, expected = "passphrase", NEW, SETTINGS

    def work(self, place, before):
        words = ["--new-passphrase-file", str(self.write_passphrase(place)), "--cost", "3,64M", "--allow-weak"]
        return place.coffer(["passphrase", *place.secret, *words], before=before)


class StaticSave(Save):
    """`coffer set` of the static program, which has no loader."""

    name = "set by the static program"

    def work(self, place, before):
        return place.run([*before, place.context.static, "set", "new", *place.secret], VALUE.encode())


class InitSave(Save):
    """`coffer init`: the old generation is that there is no vault."""

    name, expected = "init", {}

    def work(self, place, before):
        place.vault.unlink(missing_ok=True)
        return place.coffer(["init", "--cost", "3,64M", *place.secret], before=before)

    def generation(self, place):
        if not place.vault.exists():
            return "old"
        try:
            opened = place.opened()
        except Exception as error:
            return f"neither: {type(error).__name__}: {error}"
        return "new" if (opened.settings, opened.generation) == ({}, 1) else f"neither: {opened.settings}"

    def again(self, place):
        return self.work(place, [])


class AgentSave(Save):
    """`coffer set` through the agent: it is the agent that gets the fault, once the vault is unlocked in it.

    strace counts the calls of each thread apart, and the agent starts a thread for a look into the file, then one for
    the save. So the fault can meet the other thread, at a call of the same name and number.
    """

    name = "set by the agent"

    def work(self, place, before):
        with Agent(place, may_die=True) as agent:
            unlocked = agent.unlock()
            if unlocked.code != 0:
                raise AssertionError(f"the agent does not unlock: {agent.said}, {unlocked}, {agent.told()}")
            with agent.traced(before) if before else contextlib.nullcontext():
                outcome = place.coffer(["set", "new"], VALUE.encode())
                if agent.wait(0) is None:
                    time.sleep(0.02)  # the log is written to its end
                return outcome

    def calls(self, place, log):
        super().calls(place, log)
        saving = faults.calls(log, 'PR_SET_NAME, "coffer-save"')
        answering = faults.calls(log, "SO_PEERCRED")
        # How often it waits and is woken is a matter of time.
        steady = [call for call in answering if call.name not in ("poll", "read", "write") and call not in saving]
        return steady + saving


class BatchSave(Save):
    """A program with the library: some updates, each of which changes several settings at once."""

    name, times, names = "updates by the library", 3, 4

    def work(self, place, before):
        program = place.context.program("UpdateProbe")
        return place.run([*before, program, place.vault, self.times, self.names], place.passphrase + b"\n")

    def generation(self, place):
        """Any number of updates may be there, each of them whole."""
        place.made = 0
        try:
            if place.vault.read_bytes() == place.original:
                return "old"
            opened = place.opened()
        except Exception as error:
            return f"neither: {type(error).__name__}: {error}"
        counts = {name: value for name, value in opened.settings.items() if name not in SETTINGS}
        place.made = opened.generation - 1
        good = 1 <= place.made <= self.times and counts == {
            f"count{number or ''}": place.made for number in range(self.names)}
        return "new" if good else f"neither: generation {opened.generation}, {counts}"

    def lost(self, place, generation, outcome):
        told = outcome.out.count(b"made ")
        return place.made < (self.times if outcome.code == 0 else told)


def available(context):
    """The saves, and why some cannot be tried."""
    saves, missing = [Save(), PassphraseSave(), InitSave()], []
    if context.static and os.path.exists(context.static):
        saves.append(StaticSave())
    else:
        missing.append((StaticSave.name, "there is no static program"))
    if os.geteuid() == 0:
        saves.append(AgentSave())
    else:
        missing.append((AgentSave.name, "only root may trace an agent"))
    if context.program("UpdateProbe"):
        saves.append(BatchSave())
    else:
        missing.append((BatchSave.name, f"there is no UpdateProbe in {context.programs}"))
    return saves, missing
