#!/usr/bin/python3
"""How long `coffer get` takes through the agent, as a whole process, beside programs that do nothing.

All programs take turns in one run, so that what else the machine does meets them alike. The C program is empty and
linked dynamically, as a program of the system is.
"""

import argparse
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time

PASSPHRASE = b"a passphrase of this measurement\n"


def environment(home):
    return {
        "HOME": str(home), "COFFER_VAULT": str(home / "bench.coffer"), "COFFER_RUNTIME_DIR": str(home / "run"),
        "XDG_STATE_HOME": str(home / "state"), "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8",
    }


def prepare(coffer, home, size):
    """Makes a vault with one value, has the agent unlock it, and compiles the empty program."""
    def run(*words, text=b""):
        subprocess.run([coffer, *words], input=text, env=environment(home), check=True, stderr=subprocess.DEVNULL)

    passphrase = home / "passphrase"
    passphrase.write_bytes(PASSPHRASE)
    passphrase.chmod(0o600)
    run("init", "--passphrase-file", passphrase)
    run("set", "name", "--passphrase-file", passphrase, text=b"v" * size)
    run("unlock", "--passphrase-file", passphrase)
    source = home / "empty.c"
    source.write_text("int main(void) { return 0; }\n")
    subprocess.run(["cc", "-O2", "-o", home / "empty", source], check=True)


def measure(programs, env, runs):
    """The times of each program in milliseconds, one after the other in each round; the first rounds are not counted."""
    sink = os.open(os.devnull, os.O_RDWR)
    redirect = [(os.POSIX_SPAWN_DUP2, sink, number) for number in (0, 1)]
    times = {name: [] for name in programs}
    for turn in range(-10, runs):
        for name, words in programs.items():
            start = time.perf_counter()
            child = os.posix_spawn(words[0], words, env, file_actions=redirect)
            _, status = os.waitpid(child, 0)
            spent = (time.perf_counter() - start) * 1000
            if status != 0:
                sys.exit(f"warm_get: {name} ended with status {os.waitstatus_to_exitcode(status)}")
            if turn >= 0:
                times[name].append(spent)
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("coffer", help="the static program")
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--size", type=int, default=32, help="bytes of the value")
    parser.add_argument("--json", help="where to write all times")
    options = parser.parse_args()
    coffer = str(pathlib.Path(options.coffer).resolve())
    with tempfile.TemporaryDirectory(prefix="coffer-bench-") as folder:
        home = pathlib.Path(folder)
        env = environment(home)
        prepare(coffer, home, options.size)
        try:
            times = measure({
                "empty C program": [str(home / "empty")], "/bin/true": ["/bin/true"],
                "coffer version": [coffer, "version"], "coffer get": [coffer, "get", "name"],
            }, env, options.runs)
        finally:
            subprocess.run([coffer, "agent", "stop"], env=env, check=False, stderr=subprocess.DEVNULL)
    empty = statistics.median(times["empty C program"])
    print(f"{options.runs} runs each, in turns; {platform.machine()}, {os.cpu_count()} processors; milliseconds")
    print(f"{'':18}{'median':>9}{'10 %':>9}{'90 %':>9}{'x empty':>9}")
    for name, all_times in times.items():
        ordered = sorted(all_times)
        low, high = ordered[len(ordered) // 10], ordered[len(ordered) * 9 // 10]
        median = statistics.median(ordered)
        print(f"{name:18}{median:9.3f}{low:9.3f}{high:9.3f}{median / empty:9.2f}")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(times))


if __name__ == "__main__":
    main()
