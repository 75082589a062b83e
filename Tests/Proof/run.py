#!/usr/bin/python3
"""The proof: runs its parts, prints one table of what was tried, how often, and what failed, and writes proof.json.

    run.py COFFER [--short] [--only PART ...] [--sabotage] [--seed N] [--static FILE] [--programs FOLDER] ...

A failure is a line that says how to make it again; nothing is tried again until it passes. --sabotage plants faults that
the checks have to notice, and fails if they do not. As many parts run at once as there are processors, of the longest
the first; standard error tells of each row as it comes.
"""

import argparse
import concurrent.futures
import dataclasses
import importlib
import json
import os
import pathlib
import platform
import shutil
import signal
import sys
import tempfile
import time

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from kit.row import Context, Row  # noqa: E402

PARTS = [
    "crash", "power", "concurrency", "locks", "hostile", "fuzzing", "memory", "suites", "growth", "terminal", "environment"]
LONGEST = ["memory", "crash", "suites", "concurrency", "hostile", "power", "growth"]
WIDTH = 74


def line_of(row):
    """A row as it stands in the table."""
    if row.skipped and not row.tried and not row.failed:
        return f"{row.part:<12} {row.what:<{WIDTH}} SKIPPED: {row.skipped}"
    broken = f"{row.failures:,} FAILED" if row.failures else "0"
    text = f"{row.part:<12} {row.what:<{WIDTH}} {row.tried:>9,} {broken:>9} {row.seconds:>8.1f}"
    return text + (f"  in part SKIPPED: {row.skipped}" if row.skipped else "")


def show(row, file=None):
    lines = [line_of(row), *(f"    FAILED: {failure}" for failure in row.failed)]
    if row.untold:
        lines.append(f"    and {row.untold:,} more")
    for line in lines:
        print(line, file=file, flush=True)


def attempt(name, context, function):
    """The rows of a part, as they come; a part that breaks off is a row that failed."""
    start, count = time.monotonic(), 0
    try:
        part = importlib.import_module(f"parts.{name}")
        work = getattr(part, function, None)
        if work is None:
            yield Row(name, "no planted fault to run", skipped=f"{name}.py says how it was seen failing")
            return
        context.scratch.joinpath(name).mkdir()
        for row in work(dataclasses.replace(context, scratch=context.scratch / name)):
            count += 1
            yield row
        if count == 0:
            yield Row(name, "nothing", failed=["it tried nothing"])
    except Exception as error:
        seconds = round(time.monotonic() - start, 1)
        yield Row(name, "the rest of the part", failed=[f"broke off: {type(error).__name__}: {error}"], seconds=seconds)


def rows_of(name, context, function, is_telling):
    """The rows of a part; in a process of its own."""
    rows = []
    for row in attempt(name, context, function):
        rows.append(row)
        if is_telling:
            show(row, sys.stderr)
    return rows


def run(names, context, function, processes):
    """The rows of all parts, in the order of the table."""
    first = sorted(names, key=lambda name: LONGEST.index(name) if name in LONGEST else len(LONGEST))
    with concurrent.futures.ProcessPoolExecutor(processes) as pool:
        made = {name: pool.submit(rows_of, name, context, function, not context.short) for name in first}
        for name in names:
            try:
                yield from made[name].result()
            except concurrent.futures.BrokenExecutor as error:
                yield Row(name, "the whole part", failed=[f"its process ended: {error}"])


def options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("coffer", help="the program")
    parser.add_argument("--short", action="store_true", help="the part of it that `make test` runs")
    parser.add_argument("--only", action="append", choices=PARTS, metavar="PART", help="one of " + ", ".join(PARTS))
    parser.add_argument("--sabotage", action="store_true", help="plants faults that have to be noticed")
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4), "big"))
    parser.add_argument("--static", help="the static program")
    parser.add_argument("--programs", help="the folder of the built test programs; that of COFFER unless told")
    parser.add_argument("--fuzzer", help="the program of `make fuzz`")
    parser.add_argument("--libraries", help="the LD_LIBRARY_PATH of what was built")
    parser.add_argument("--json", default="proof.json", help="where the table is written for programs")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, help="how many parts run at once")
    return parser.parse_args()


def main():
    # What is started in the background, or by nohup, ignores these, and so would all that is started here.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGQUIT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    a = options()
    names = [name for name in PARTS if not a.only or name in a.only]
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="cp-"))
    context = Context(
        os.path.abspath(a.coffer), a.seed, scratch, a.short, a.static and os.path.abspath(a.static),
        pathlib.Path(a.programs or pathlib.Path(a.coffer).parent).resolve(), a.fuzzer and os.path.abspath(a.fuzzer),
        a.libraries)
    kind = "planted faults, which have to be noticed" if a.sabotage else "short" if a.short else "long"
    system = f"{platform.system()} {platform.release()} {platform.machine()}, {os.cpu_count()} processors"
    print(f"proof: {kind}; seed {a.seed}; {time.strftime('%Y-%m-%d', time.gmtime())} on {system}")
    print(f"{'part':<12} {'what was tried':<{WIDTH}} {'how often':>9} {'failed':>9} {'seconds':>8}", flush=True)
    start, rows = time.monotonic(), []
    for row in run(names, context, "sabotage" if a.sabotage else "run", a.processes):
        show(row)
        rows.append(row)
    failed, skipped = sum(row.failures for row in rows), sum(row.skipped is not None for row in rows)
    tried, seconds = sum(row.tried for row in rows), time.monotonic() - start
    print(f"proof: {tried:,} attempts, {failed} failed, {skipped} skipped, in {seconds:.0f} s (--seed {a.seed})")
    pathlib.Path(a.json).write_text(json.dumps({
        "kind": kind, "seed": a.seed, "attempts": tried, "failed": failed, "skipped": skipped,
        "seconds": round(seconds, 1), "system": system,
        "rows": [dataclasses.asdict(row) for row in rows]}, indent=1) + "\n")
    if failed:
        print(f"proof: what it left is kept in {scratch}")
    else:
        shutil.rmtree(scratch, ignore_errors=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
