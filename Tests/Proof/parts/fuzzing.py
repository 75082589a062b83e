"""Fuzzing: a short run of each area of Tests/Fuzz from the committed seeds alone, with its executions counted.

The fuzzer was seen finding: `--sabotage` runs areas with something to find, a broken promise for the code under test,
a byte behind the end of its memory for the address sanitizer, an input that takes for ever and one that takes much
memory. `make fuzz` runs the areas for longer.
"""

import concurrent.futures
import pathlib
import re
import runpy
import subprocess
import sys

from kit.row import Row, noticed, skip

RUN = pathlib.Path(__file__).resolve().parents[2] / "Fuzz" / "run.py"
LINE = re.compile(r"^(\S+) +(\d+) executions +(\d+) s +(\d+) findings")
MISSING = "there is no fuzzer here: `make fuzz` builds one"


def areas():
    """The names of the areas, as Tests/Fuzz/run.py has them."""
    return list(runpy.run_path(str(RUN))["AREAS"])


def fuzz(context, names, seconds):
    """Runs areas one after the other; a row for each."""
    build = context.scratch / names[0]
    done = subprocess.run(
        [sys.executable, str(RUN), "--seconds", str(seconds), "--seed", str(context.seed), context.fuzzer, str(build),
         *names], capture_output=True, text=True, check=False)
    rows, found = [], {}
    for line in done.stdout.splitlines():
        if match := LINE.match(line):
            rows.append(Row("fuzzing", match[1], int(match[2]), seconds=float(match[3])))
            found[match[1]] = int(match[4])
        elif rows:
            rows[-1].failed.append(f"{line.strip()}; {context.fuzzer} --area={rows[-1].what} runs it again")
    missing = set(names) - {row.what for row in rows}
    if missing:
        told = (done.stderr or done.stdout).strip()[-500:]
        told = f"did not run, status {done.returncode}: {told}"
        rows.append(Row("fuzzing", " ".join(sorted(missing)), failed=[told]))
    return rows


def run(context):
    if not context.fuzzer or not pathlib.Path(context.fuzzer).exists():
        return [skip("fuzzing", "every area", MISSING)]
    names = areas()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        halves = pool.map(lambda half: fuzz(context, half, 1 if context.short else 20), (names[::2], names[1::2]))
        return [row for rows in halves for row in rows]


def sabotage(context):
    if not context.fuzzer or not pathlib.Path(context.fuzzer).exists():
        return [skip("fuzzing", "areas with something to find", MISSING)]
    kinds = {
        "planted-lie": ("a broken promise", "crash"), "planted-overrun": ("a byte behind the end", "crash"),
        "planted-hang": ("an input without an end", "timeout"), "planted-allocation": ("128 MiB in one piece", "oom"),
    }
    return [noticed("fuzzing", what, fuzz(context, [area], 30), says=f"findings/{area}-{found}")
            for area, (what, found) in kinds.items()]
