"""Reads and writes that move only a few bytes at a time, for real: a small library makes them so."""

import shutil
import subprocess

from kit.place import Place
from kit.row import skip, tally
from parts import aftermath, saves, ways

SOURCE = r"""
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
static size_t least(size_t n) {
    size_t most = strtoul(getenv("MOST"), 0, 10);
    return n <= 8 || n < most ? n : most;  /* an event's counter has 8 bytes, and is never short */
}
ssize_t read(int f, void *b, size_t n) { return syscall(SYS_read, f, b, least(n)); }
ssize_t write(int f, const void *b, size_t n) { return syscall(SYS_write, f, b, least(n)); }
ssize_t pread(int f, void *b, size_t n, off_t o) { return syscall(SYS_pread64, f, b, least(n), o); }
ssize_t pread64(int f, void *b, size_t n, off64_t o) { return syscall(SYS_pread64, f, b, least(n), o); }
"""
WHAT = "a few bytes for each read and write"


def run(context):
    """All saves go well, however little each call moves."""
    compiler = next(filter(None, map(shutil.which, ("cc", "clang", "gcc"))), None)
    if compiler is None:
        return [skip("crash", WHAT, "there is no C compiler")]
    library, source, rows = context.scratch / "short.so", context.scratch / "short.c", []
    source.write_text(SOURCE)
    subprocess.run([compiler, "-D_GNU_SOURCE", "-shared", "-fPIC", "-O1", "-o", library, source], check=True)
    for save in ways.available(context)[0]:
        with tally(rows, "crash", f"{save.name}: {WHAT}") as t:
            place = Place(context, f"short-{save.name.split()[-1]}")
            usual = place.environment
            for most in (7,) if context.short else (1, 2, 7, 64, 1_000, 4_000):
                place.reset()
                place.environment = {**usual, "LD_PRELOAD": str(library), "MOST": str(most)}
                outcome = save.work(place, [])
                place.environment = usual
                label = f"{save.name}, at most {most} bytes a call"
                t.want(outcome.code == 0, f"{label}: {outcome}")
                t.want(aftermath.check(t, place, save, outcome, label) == "new", f"{label}: {outcome}")
        check_is_loaded(rows[-1], place, library)
    return rows


def check_is_loaded(row, place, library):
    """That the library makes a difference: with 0 bytes a call nothing can be read."""
    done = place.coffer(["get", "old", *place.secret], environment={"LD_PRELOAD": str(library), "MOST": "0"})
    if done.code == 0:
        row.failed.append("the library that makes reads short is not used")
