#!/usr/bin/python3
"""Sums up the recorded table of a long run, and writes the sums into SECURITY.md, or checks those that are there.

    quote.py [--write]

The table is Tests/Proof/record.txt: what `make proof` printed, whole. Each of its lines has to be in one of the groups
below, so that nothing is left out of the sums.
"""

import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
RECORD, DOCUMENT = HERE / "record.txt", HERE.parent.parent / "SECURITY.md"
BEGIN, END = "<!-- of Tests/Proof/record.txt, by Tests/Proof/quote.py -->\n", "<!-- end -->\n"
LINE = re.compile(r"^(\w+) +(.*?) +([\d,]+) +([\d,]+)(?: FAILED)? +[\d.]+(?:  in part (SKIPPED: .*))?$")
SKIP = re.compile(r"^(\w+) +(.*?) +(SKIPPED: .*)$")
GROUPS = {  # the part, what its rows say, and how people call it
    ("crash", r"SIGKILL"): "saves killed at one of their system calls",
    ("crash", r"at each call|reads and writes that|for each read and write"):
        "errors, and short reads and writes, at a system call of a save",
    ("crash", r""): "saves on full, limited and read-only file systems",
    ("power", r""): "power cuts at a system call of a save",
    ("concurrency", r""): "saves that meet others, killed ones among them",
    ("locks", r""): "saves where locks are held, missing or left behind",
    ("hostile", r"^(one bit|cut or)"): "vaults with a bit flipped, cut or made longer",
    ("hostile", r"^random"): "random changes of vaults, lists and frames",
    ("hostile", r"^(time|memory) of"): "bounds on time and memory over all of these",
    ("hostile", r""): "numbers, sizes and lists at and around each limit; frames and files to the programs",
    ("fuzzing", r""): "executions of the fuzzers",
    ("memory", r"scan"): "scans of a process for copies of secrets",
    ("memory", r"crash|core"): "crashes of each program, looked at for secrets",
    ("memory", r"^unlocks"): "unlocks and locks without growth",
    ("memory", r"^tests"): "tests under sanitizers, and with no memory to lock",
    ("memory", r"^operations"): "operations of sixteen threads on one vault",
    ("memory", r""): "commands where memory is short",
    ("terminal", r""): "questions, signals and messages at a terminal",
    ("environment", r""): "commands in hostile surroundings",
}


def group_of(part, what):
    for (name, pattern), group in GROUPS.items():
        if name == part and re.search(pattern, what):
            return group
    raise SystemExit(f"quote.py: no group for a row of the part {part}: {what}")


def summed(lines):
    """For each group how often something was tried, and how often it failed; then what was skipped."""
    sums, skips = {group: [0, 0] for group in GROUPS.values()}, []
    for line in lines:
        found, skipped = LINE.match(line), SKIP.match(line)
        if found:
            part, what, tried, failed, skip = found.groups()
            sums[group_of(part, what)][0] += int(tried.replace(",", ""))
            sums[group_of(part, what)][1] += int(failed.replace(",", ""))
            skips += [f"{what}: {skip}"] * (skip is not None)
        elif skipped:
            skips.append(f"{skipped[2]}: {skipped[3]}")
        elif not line.startswith("    "):  # what failed
            raise SystemExit(f"quote.py: what is this line? {line}")
    return sums, skips


def text():
    """What SECURITY.md is to say."""
    head, _, *rows, foot = RECORD.read_text().splitlines()
    sums, skips = summed(rows)
    total, failed = (sum(figures[index] for figures in sums.values()) for index in (0, 1))
    told = re.match(r"proof: ([\d,]+) attempts, (\d+) failed, (\d+) skipped", foot)
    if not told or (told[1], told[2], told[3]) != (f"{total:,}", str(failed), str(len(skips))):
        raise SystemExit(f"quote.py: the sums {total:,}, {failed}, {len(skips)} are not those of: {foot}")
    lines = ["| what was tried | how often | failed |", "| --- | ---: | ---: |"]
    lines += [f"| {group} | {tried:,} | {failed} |" for group, (tried, failed) in sums.items()]
    lines += [f"| in all | {total:,} | {failed} |", "", f"The run: {head.removeprefix('proof: ')}. Skipped in it:"]
    lines += [f"- {skip};" for skip in skips] or ["nothing."]
    return BEGIN + "\n" + "\n".join(lines) + "\n\n" + END


def main():
    document = DOCUMENT.read_text()
    start, end = document.find(BEGIN), document.find(END)
    if start < 0 or end < start:
        raise SystemExit(f"quote.py: {DOCUMENT.name} has no place for the table")
    changed = document[:start] + text() + document[end + len(END):]
    if sys.argv[1:] == ["--write"]:
        DOCUMENT.write_text(changed)
    elif changed != document:
        raise SystemExit(f"quote.py: {DOCUMENT.name} does not quote {RECORD.name}: quote.py --write")
    return 0


if __name__ == "__main__":
    sys.exit(main())
