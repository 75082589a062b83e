#!/usr/bin/python3
"""Runs the fuzzer on each area that reads what a stranger wrote; the status is 1 when anything was found."""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import time

TESTS = pathlib.Path(__file__).resolve().parent.parent
SEEDS = TESTS / "Fuzz" / "Seeds"
LISTS = TESTS / "PropertyListsTests" / "Corpus"
# The longest input of each area, and where inputs to start from are besides the area's own seeds.
AREAS = {
    "header": (1024, []),
    "canonical": (1100, [LISTS]),
    "merge": (256, []),
    "lenient": (1100, [LISTS]),
    "json": (512, []),
    "text": (160, []),
    "passphrase": (4200, []),
    "options": (256, []),
    "contents": (384, []),
    "freshness": (1024, []),
    "frame": (512, []),
}
# In which something is always found: they show that the fuzzer, its promises and the sanitizer see it.
PLANTED = {f"planted-{what}": (16, []) for what in ("lie", "overrun", "hang", "allocation")}
COMMITMENT_LENGTH = 32
# What one input may take: seconds, and MiB in one piece.
PATIENCE, ROOM = 5, 64
LEAST = 10  # executions, where there are few seeds; else twice as many as these


def write_seeds(folder):
    """Headers and recovery codes out of the vectors, of which more than one for each kind would only be slower; and
    passphrases and lines at and around the greatest lengths."""
    headers, texts, passphrases = folder / "header", folder / "text", folder / "passphrase"
    for target in (headers, texts, passphrases):
        target.mkdir(parents=True, exist_ok=True)
    for length, end in ((1_024, ""), (1_025, "\n"), (4_096, ""), (4_096, "\r\nmore"), (4_097, ""), (4_097, "\r\n")):
        line = " ".join(map(str, range(length)))[:length]
        (passphrases / f"{length}-{len(end)}").write_bytes((line + end).encode())
    for vector in sorted((TESTS / "Vectors" / "independent").iterdir()):
        header, file = vector.read_bytes().split(b"\n\n", 1)
        # The box tells a reader of headers nothing but its length.
        (headers / vector.name).write_bytes(file[:int.from_bytes(file[10:12], "little") + COMMITMENT_LENGTH])
        for line in header.split(b"\n"):
            if line.startswith(b"recovery-code: "):
                (texts / vector.name).write_bytes(line.partition(b": ")[2])


def fuzz(program, area, seconds, build, seed):
    """Runs one area; gives executions, the least that show anything, seconds, and the inputs that broke something."""
    longest, folders = (AREAS | PLANTED)[area]
    corpus, findings = build / "corpus" / area, build / "findings"
    for folder in (corpus, findings):
        folder.mkdir(parents=True, exist_ok=True)
    folders = [*folders, *(f for f in (SEEDS / area, build / "seeds" / area) if f.is_dir())]
    least = max(2 * sum(len(list(folder.iterdir())) for folder in folders), LEAST)
    dictionary = SEEDS / f"{area}.dict"
    before = set(findings.iterdir())
    start = time.monotonic()
    with open(build / f"{area}.log", "wb") as log:
        status = subprocess.run(
            [program, f"--area={area}", f"-max_total_time={seconds}", f"-max_len={longest}", "-len_control=0",
             f"-timeout={PATIENCE}", f"-malloc_limit_mb={ROOM}", "-rss_limit_mb=2048", f"-seed={seed}",
             "-print_final_stats=1", f"-artifact_prefix={findings}/{area}-",
             *([f"-dict={dictionary}"] if dictionary.exists() else []), *map(str, [corpus, *folders])],
            stdout=log, stderr=log, env={**os.environ, "SWIFT_BACKTRACE": "enable=no"}, check=False,
        ).returncode
    elapsed = time.monotonic() - start
    text = (build / f"{area}.log").read_text(errors="replace")
    executions = re.search(r"stat::number_of_executed_units: (\d+)", text)
    found = sorted(set(findings.iterdir()) - before)
    if not found and status:
        # Nothing to reproduce, such as a broken fuzzer: the log says more.
        found = [build / f"{area}.log"]
    return int(executions[1]) if executions else 0, least, elapsed, found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=60, help="how long each area runs")
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4), "big"), help="of the changes")
    parser.add_argument("program")
    parser.add_argument("build", type=pathlib.Path, help="where corpus, logs and findings go")
    parser.add_argument("areas", nargs="*", metavar="area", help=f"all unless told: {' '.join(AREAS)}")
    options = parser.parse_args()
    options.seed = options.seed or 1  # libFuzzer would draw another one for 0
    unknown = set(options.areas) - set(AREAS | PLANTED)
    if unknown:
        parser.error(f"unknown: {' '.join(unknown)}")
    write_seeds(options.build / "seeds")
    failed = False
    for area in options.areas or AREAS:
        executions, least, elapsed, found = fuzz(options.program, area, options.seconds, options.build, options.seed)
        print(f"{area:<10} {executions:>10} executions {elapsed:>6.0f} s {len(found):>3} findings", flush=True)
        for path in found:
            print(f"    {path}")
        if executions < least and not found:
            print(f"    only {executions} executions, not {least}: {options.build}/{area}.log says more")
        failed = failed or bool(found) or executions < least
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
