"""Many processes that set at once: what each of them was told, and whether the vault agrees with that in the end."""

import concurrent.futures
import dataclasses
import os
import random
import signal
import subprocess
import threading
import time

from kit.place import open_vault, rest_of
from vault_file import Refused

SECONDS = 60  # what takes longer hangs


@dataclasses.dataclass
class Write:
    """One `coffer set`, from before its start to after its end; the code is -9 if it was killed."""

    name: str
    value: str
    start: float
    end: float
    code: int | None
    err: str

    @property
    def is_unknown(self):
        """Whether it may have been made although it was not told so: killed, or told that this is not known."""
        return self.code in (None, -signal.SIGKILL) or self.code == 15 and "whether the change is made" in self.err

    def __str__(self):
        return f"set {self.name} to {self.value}: code {self.code}, {self.err.strip()[-400:]!r}"


class Crowd:
    """Writers on one vault, each with one process after the other, and everything that they were told."""

    def __init__(self, place, label, passphrases=(), is_late=False):
        """`is_late`: whether an agent may still make a write of a process that is gone."""
        self.place, self.label, self.is_late = place, label, is_late
        self.others = 0  # saves that are no `set`
        self.passphrases = [place.passphrase, *passphrases]
        self.writes, self.lock, self.usual = [], threading.Lock(), 0.05
        self.first = self.opened()

    def opened(self, file=None):
        """What the second implementation finds, under whichever passphrase it is now."""
        file = self.place.vault.read_bytes() if file is None else file
        for passphrase in self.passphrases:
            try:
                return open_vault(file, passphrase)
            except Refused as refusal:
                if refusal.args[0] != "wrongPassphrase":
                    raise
        raise Refused("wrongPassphrase", "under none of the passphrases")

    def write(self, name, value, words=(), before=(), kill=None):
        """Sets once. `kill`: after which part of the time that a set takes it gets a SIGKILL."""
        start = time.monotonic()
        command = [*before, self.place.context.coffer, "set", "--no-input", *words, name]
        with subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=self.place.home,
                env=self.place.environment, start_new_session=True) as child:
            try:
                _, err = child.communicate(value.encode(), SECONDS if kill is None else kill * self.usual)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                _, err = rest_of(child)
        end, code = time.monotonic(), child.returncode
        if kill is None and code == -signal.SIGKILL:
            code = None  # by its time
        elif code == 0:
            self.usual = end - start
        made = Write(name, value, start, end, code, err.decode(errors="replace"))
        with self.lock:
            self.writes.append(made)
        return made

    def together(self, *work):
        """Runs functions at once, and raises what they raise."""
        with concurrent.futures.ThreadPoolExecutor(len(work)) as pool:
            for done in [pool.submit(each) for each in work]:
                done.result()

    # ---- What has to be so in the end

    @property
    def acknowledged(self):
        return [write for write in self.writes if write.code == 0]

    def judge(self, t, codes=(0,), counts=True):
        """Each write is an attempt: told as one of these, or killed; and what was told as made is there."""
        check = t.check if counts else t.want
        after = self.opened()
        names = {}
        for write in self.writes:
            check(write.code in (*codes, -signal.SIGKILL), f"{self.label}: {write}")
            t.want("written down" not in write.err, f"{self.label}: not remembered: {write}")
            names.setdefault(write.name, []).append(write)
        for name, writes in names.items():
            self.judge_name(t, name, writes, after.settings.get(name))
        for name, value in after.settings.items():
            strange = name not in names and self.first.settings.get(name) != value
            t.want(not strange, f"{self.label}: {name} is {value!r}, which nobody set")
        gone = self.first.settings.keys() - after.settings.keys()
        t.want(not gone, f"{self.label}: gone, and nobody removed it: {sorted(gone)}")
        self.judge_generation(t, names, after)

    def judge_name(self, t, name, writes, found):
        """The value is of a write that no other one followed; a refused one was not made."""
        last = max((write.start for write in writes if write.code == 0), default=0)
        possible = [
            write.value for write in writes if write.code == 0 and write.end >= last
            or write.is_unknown and (self.is_late or write.end >= last)]
        if not last:
            possible.append(self.first.settings.get(name))
        told = [str(write) for write in writes if write.code == 0]
        t.want(found in possible, f"{self.label}: {name} is {found!r}, after {told}")

    def judge_generation(self, t, names, after):
        """One more for each save. Where one is unknown, a name of its own tells whether it was made."""
        least = most = self.others + len(self.acknowledged)
        for name, writes in names.items():
            unknown = [write for write in writes if write.is_unknown]
            landed = sum(after.settings.get(name) == write.value for write in unknown)
            least += landed
            most += landed if len(writes) == 1 else len(unknown)
        rose = after.generation - self.first.generation
        t.want(least <= rose <= most, f"{self.label}: {rose} generations for {least} to {most} saves")


class Watch(threading.Thread):
    """Reads the file again and again: whole each time, no generation twice, none back, no change more than it says."""

    def __init__(self, crowd, t):
        super().__init__(daemon=True)
        self.crowd, self.t, self.done, self.seen = crowd, t, threading.Event(), 0

    def run(self):
        try:
            last, file = self.crowd.first, None
            while not self.done.wait(0.003):
                before, file = file, self.crowd.place.vault.read_bytes()
                if file != before:
                    last = self.step(last, self.crowd.opened(file))
        except Exception as error:  # a torn file
            self.t.want(False, f"{self.crowd.label}: while others save: {type(error).__name__}: {error}")

    def step(self, last, now):
        names = last.settings.keys() | now.settings.keys()
        changed = [name for name in names if last.settings.get(name) != now.settings.get(name)]
        more = now.generation - last.generation
        good = more > 0 and len(changed) <= more or now.file == last.file
        step = f"from generation {last.generation} to {now.generation}"
        self.t.want(good, f"{self.crowd.label}: {step}, changed: {changed}")
        self.seen += 1
        return now

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *unused):
        self.done.set()
        self.join()


def draw(seed, *what):
    """Random numbers that hang on the seed and on what they are for."""
    return random.Random("/".join(map(str, (seed, *what))))
