"""Reads and writes that move only a few bytes at a time, for real: a small library makes them so.

It writes down each call that it made short, so that a save whose calls it never sees is no success. Seen failing by
--sabotage: a program that is started without the library, and one that takes what is short as the end.
"""

import dataclasses
import pathlib
import shutil
import subprocess

from kit.place import Place
from kit.row import noticed, skip, tally
from parts import aftermath, saves, ways
from parts.agent_saves import AgentSave

SOURCE = r"""
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
/* How much this call may move; "NAME" and a line end go into a file if that is less than was asked for. */
static size_t least(const char *name, size_t n) {
    size_t most = strtoul(getenv("MOST"), 0, 10);
    if (n <= 8 || n < most) return n;  /* an event's counter has 8 bytes, and is never short */
    int log = syscall(SYS_openat, AT_FDCWD, getenv("SHORT_LOG"), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (log >= 0) {
        syscall(SYS_write, log, name, strlen(name));
        syscall(SYS_close, log);
    }
    return most;
}
ssize_t read(int f, void *b, size_t n) { return syscall(SYS_read, f, b, least("read\n", n)); }
ssize_t write(int f, const void *b, size_t n) { return syscall(SYS_write, f, b, least("write\n", n)); }
ssize_t pread(int f, void *b, size_t n, off_t o) { return syscall(SYS_pread64, f, b, least("pread\n", n), o); }
ssize_t pread64(int f, void *b, size_t n, off64_t o) { return syscall(SYS_pread64, f, b, least("pread\n", n), o); }
ssize_t send(int f, const void *b, size_t n, int g) { return syscall(SYS_sendto, f, b, least("send\n", n), g, 0, 0); }
ssize_t recv(int f, void *b, size_t n, int g) { return syscall(SYS_recvfrom, f, b, least("recv\n", n), g, 0, 0); }
"""
WHAT = "a few bytes for each read and write"


def build(context):
    """The library, or None without a compiler."""
    compiler = next(filter(None, map(shutil.which, ("cc", "clang", "gcc"))), None)
    if compiler is None:
        return None
    library, source = context.scratch / "short.so", context.scratch / "short.c"
    source.write_text(SOURCE)
    subprocess.run([compiler, "-D_GNU_SOURCE", "-shared", "-fPIC", "-O1", "-o", library, source], check=True)
    return library


def drive(context, save, library, rows):
    """One row: this save, with calls of some sizes, each of which has to go well."""
    needed = {"read", "write", "pread"} | ({"send", "recv"} if isinstance(save, AgentSave) else set())
    with tally(rows, "crash", f"{save.name}: {WHAT}") as t:
        place, made_short = Place(context, f"short-{save.name.replace(' ', '-')}"), set()
        usual, log = place.environment, place.home / "short"
        for most in (7,) if context.short else (1, 2, 7, 64, 1_000, 4_000):
            place.reset()
            place.environment = {**usual, "LD_PRELOAD": str(library), "MOST": str(most), "SHORT_LOG": str(log)}
            outcome = save.work(place, [])
            place.environment = usual
            made_short |= set(log.read_text().split()) if log.exists() else set()
            label = f"{save.name}, at most {most} bytes a call"
            t.want(outcome.code == 0, f"{label}: {outcome}")
            t.want(aftermath.check(t, place, save, outcome, label) == "new", f"{label}: {outcome}")
        t.want(needed <= made_short, f"{save.name}: never made short: {', '.join(sorted(needed - made_short))}")


def run(context):
    """All saves go well, however little each call moves."""
    library, rows = build(context), []
    if library is None:
        return [skip("crash", WHAT, "there is no C compiler")]
    for save in ways.available(context)[0]:
        if isinstance(save, saves.StaticSave):
            rows.append(skip("crash", f"{save.name}: {WHAT}", "no library can be put into a static program"))
        elif not isinstance(save, saves.LeftoverSave):
            drive(context, save, library, rows)
    return rows


WRONG = {
    # bash has the library, and reads
    "without the library": ('exec env -u LD_PRELOAD "{coffer}" "$@"', "never made short: pread, write"),
    "takes a piece for the whole": (
        'if [ "$1" = set ] && [ -n "$LD_PRELOAD" ]; then p=$(env -u LD_PRELOAD head -c "$MOST"); '
        'printf %s "$p" | "{coffer}" "$@"; else exec "{coffer}" "$@"; fi', "neither: generation"),
}


def sabotage(context):
    library = build(context)
    if library is None:
        yield skip("crash", WHAT, "there is no C compiler")
        return
    for number, (what, (script, says)) in enumerate(WRONG.items()):
        folder, rows = context.scratch / f"short{number}", []
        folder.mkdir()
        wrong = pathlib.Path(folder, "wrong")
        wrong.write_text("#!/bin/bash\n" + script.format(coffer=context.coffer))
        wrong.chmod(0o755)
        drive(dataclasses.replace(context, scratch=folder, coffer=str(wrong), short=True), saves.Save(), library, rows)
        yield noticed("crash", f"{what}: {WHAT}", rows, says=says)
