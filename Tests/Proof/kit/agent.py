"""An agent of the program in the home of a place, in the foreground of this process, also under strace."""

import contextlib
import os
import pathlib
import select
import signal
import subprocess
import time


class Agent:
    """Starts the agent and waits until it listens; ends it at the end of a `with`.

    Then it must have lived and ended as it was asked to, or the `with` raises, unless `may_die` is told.
    """

    def __init__(self, place, before=(), timeout=30, environment=None, may_die=False):
        self.place, self.may_die = place, may_die
        self.log = place.home / "agent.log"
        reading, writing = os.pipe()
        command = [*map(str, before), place.context.coffer, "agent", "run", "--ready-fd", str(writing)]
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, pass_fds=[writing], cwd=place.home,
                env={**place.environment, **(environment or {})}, start_new_session=True)
        os.close(writing)
        with open(reading, "rb", buffering=0) as ready:  # it ends with the agent, but not where a tracer has it too
            self.said = ready.read(1_000).decode().strip() if select.select([ready], [], [], timeout)[0] else ""
        self.is_ready = self.said == "ready"

    @property
    def pid(self):
        """The agent's number, which is not that of a program that traces it."""
        children = f"/proc/{self.process.pid}/task/{self.process.pid}/children"
        with open(children) as file:
            found = file.read().split()
        return int(found[0]) if found else self.process.pid

    def unlock(self, *words):
        """Unlocks the vault of the place in it, by the program."""
        return self.place.coffer(["unlock", *self.place.secret, *words])

    @contextlib.contextmanager
    def traced(self, words, thread=None):
        """Has strace, called by these words, follow all of its threads, or one, meanwhile; only root may do so."""
        with subprocess.Popen(
                [*words, "-p", str(thread or self.pid)], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                start_new_session=True) as tracer:
            try:
                end = time.monotonic() + 10
                while not self.is_traced(thread or "*"):
                    if tracer.poll() is not None or time.monotonic() > end:
                        raise OSError(f"strace cannot attach: {tracer.poll()}")
                    time.sleep(0.001)
                yield
            finally:
                tracer.terminate()
                try:
                    tracer.communicate(timeout=5)
                except subprocess.TimeoutExpired:  # it can wait for ever for threads that were killed
                    tracer.kill()

    def thread(self, name):
        """The number of its thread that has this name, None if it has none."""
        for path in pathlib.Path(f"/proc/{self.pid}/task").glob("*/comm"):
            with contextlib.suppress(OSError):
                if path.read_text().strip() == name:
                    return int(path.parent.name)
        return None

    def is_traced(self, thread="*"):
        """Whether each of its threads is traced, or the one of this number; one that has ended does not count."""
        for path in pathlib.Path(f"/proc/{self.pid}/task").glob(f"{thread}/status"):
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                if "TracerPid:\t0\n" in path.read_text():
                    return False
        return True

    def told(self):
        """What it wrote, crash reports too."""
        return self.log.read_text(errors="replace")

    def wait(self, seconds=30):
        """How it ended; None if it has not."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def stop(self):
        """Ends it as `coffer agent stop` does; a traced or hanging one is killed with its tracer."""
        if self.process.poll() is None:
            self.place.coffer(["agent", "stop"], timeout=20)
            if self.wait(10) is None:
                os.killpg(self.process.pid, signal.SIGKILL)
        return self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, kind, *unused):
        code = self.stop()
        if kind is None and code != 0 and not self.may_die:
            raise AssertionError(f"the agent ended with {code}: {self.told()[-600:]!r}")
