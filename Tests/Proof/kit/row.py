"""The rows of the table, what a part is told, and how a row comes about."""

import contextlib
import dataclasses
import pathlib
import re
import signal
import threading
import time

NO_ATTEMPT = ("broke off", "it tried nothing")  # how the failures of a row begin that are none of the program
LONGEST = 1_800  # seconds that a row may take


@dataclasses.dataclass
class Row:
    """One line of the table. Each failure is a line that lets one repeat it; a skip says why."""

    part: str
    what: str
    tried: int = 0
    failed: list[str] = dataclasses.field(default_factory=list)
    skipped: str | None = None
    seconds: float = 0.0
    untold: int = 0  # failures besides, of which there are too many to tell

    @property
    def failures(self):
        return len(self.failed) + self.untold


@dataclasses.dataclass
class Context:
    """What the parts are told."""

    coffer: str  # the path of the program
    seed: int
    scratch: pathlib.Path  # a folder of this run, of a short name
    short: bool = False
    static: str | None = None  # the static program
    programs: pathlib.Path | None = None  # where the test programs stand that the package builds
    fuzzer: str | None = None  # the program of `make fuzz`
    libraries: str | None = None  # LD_LIBRARY_PATH of what was built

    def program(self, name):
        """The path of a built test program, or None."""
        path = self.programs and self.programs / name
        return str(path) if path and path.exists() else None


class Tally:
    """Counts into one row; threads may share it."""

    MOST = 50  # failures that are told; the rest are counted

    def __init__(self, part, what):
        self.row, self.lock, self.start = Row(part, what), threading.Lock(), time.monotonic()

    def check(self, good, line):
        """Counts one attempt."""
        with self.lock:
            self.row.tried += 1
        return self.want(good, line)

    def want(self, good, line):
        """Something more that has to hold in an attempt that is counted."""
        if not good:
            with self.lock:
                if len(self.row.failed) < self.MOST:
                    self.row.failed.append(line)
                else:
                    self.row.untold += 1
        return good

    def close(self):
        """A row of which nothing was tried, and nothing says why, has shown nothing."""
        if not (self.row.tried or self.row.failed or self.row.skipped):
            self.row.failed.append("it tried nothing")
        self.row.seconds = round(time.monotonic() - self.start, 1)


@contextlib.contextmanager
def in_time(seconds):
    """Breaks off what is done inside when it takes so long: a program that hangs would hold up everything."""
    def late(*_):
        raise TimeoutError(f"not done after {seconds} s")
    if threading.current_thread() is not threading.main_thread() or signal.getitimer(signal.ITIMER_REAL)[0]:
        yield
        return
    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@contextlib.contextmanager
def tally(rows, part, what):
    """Adds a row for what is checked inside; what breaks off is a failure of the row, and the part goes on."""
    counted = Tally(part, what)
    rows.append(counted.row)
    try:
        with in_time(LONGEST):
            yield counted
    except Exception as error:  # told in the table, like everything else
        trace = error.__traceback__
        while trace.tb_next:
            trace = trace.tb_next
        where = f"{pathlib.Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"
        counted.want(False, f"broke off: {type(error).__name__} at {where}: {str(error)[:1_000]}")
    counted.close()


def skip(part, what, why):
    """A row for what cannot be tried here."""
    return Row(part, what, skipped=why)


def noticed(part, what, rows, count=1, says=""):
    """A row about a fault that was planted: it fails if the rows of the checks do not tell of it `count` times.

    `says`: an expression for the lines that tell of this fault. A check that fails for something else, as where the
    program that plants the fault does not even start, has noticed nothing.
    """
    failures = [line for row in rows for line in row.failed]
    broken = [line for line in failures if line.startswith(NO_ATTEMPT)]
    skips = [row.skipped for row in rows if row.skipped]
    if skips and not failures:
        return Row(part, what, skipped=skips[0])
    telling = [line for line in failures if re.search(says, line)]
    missed = list(broken)
    if len(telling) < count:
        missed.append(f"not noticed: {what}; {len(telling)} failures that say {says!r}, not {count}")
        missed += [f"it says instead: {line}" for line in failures if line not in telling and line not in broken][:3]
    return Row(part, what, sum(row.tried for row in rows), missed, None, round(sum(row.seconds for row in rows), 1))
