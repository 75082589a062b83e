#!/usr/bin/python3
"""Checks what the documents say of the repository: that files exist, have about so many lines, and goals are there.

A word in `backticks` that begins like a path of the repository must be one; `{a,b}` and `*` stand for several. A number
of lines, as in `FILE` (120 lines) or in the last column of a table, must be right to a fifth, for all the files of its
row. `make GOAL` must be a goal of the Makefile. A relative link must lead to a file.

Usage: check_quoted_files.py [DOCUMENT ...]; all that are checked unless told.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENTS = ["README.md", "SECURITY.md", "Sources/Coffer/Coffer.docc/AuditingCoffer.md"]
PATH = re.compile(r"(?:Sources|Tests|Examples|scripts)/[\w.+/{},*-]+|(?:README|SECURITY)\.md|Makefile|Package\.swift")
QUOTED = re.compile(r"`([^`\n]+)`(?: \(([\d,]+) lines\))?")
ROW = re.compile(r"^\|.*\| ([\d,]+) \|$")
GOAL = re.compile(r"(?:^|`)make ([a-z][a-z-]+)")
LINK = re.compile(r"\]\((?!\w+:|#)([^)#\s]+)[^)]*\)")


def expanded(pattern):
    """The patterns that braces stand for."""
    found = re.search(r"\{([^{}]*)\}", pattern)
    if not found:
        return [pattern]
    return [each for part in found[1].split(",") for each in expanded(pattern[:found.start()] + part + pattern[found.end():])]


def files_of(pattern):
    for each in expanded(pattern):
        found = sorted(ROOT.glob(each.rstrip("/"))) if "*" in each else [ROOT / each]
        yield each, [path for path in found if path.exists()]


def lines_of(paths):
    return sum(len(path.read_text().splitlines()) for path in paths if path.is_file())


def problems_of(document, goals, counts):
    for number, line in enumerate((ROOT / document).read_text().splitlines(), 1):
        row, in_row = ROW.match(line), []
        for match in QUOTED.finditer(line):
            paths = []
            for word in match[1].split():
                if PATH.fullmatch(word.rstrip(",;:")):
                    counts["files"] += 1
                    for each, found in files_of(word.rstrip(",;:")):
                        paths += found
                        if not found:
                            yield f"{document}:{number}: there is no {each}"
            in_row += paths
            if match[2]:
                counts["numbers"] += 1
                yield from wrong_number(f"{document}:{number}", match[2], paths)
        if row:
            counts["numbers"] += 1
            yield from wrong_number(f"{document}:{number}", row[1], in_row)
        for goal in GOAL.findall(line):
            counts["goals"] += 1
            if goal not in goals:
                yield f"{document}:{number}: the Makefile has no goal {goal}"
        for link in LINK.findall(line):
            counts["links"] += 1
            if not ((ROOT / document).parent / link).exists():
                yield f"{document}:{number}: the link {link} leads nowhere"


def wrong_number(place, said, paths):
    said, there = int(said.replace(",", "")), lines_of(paths)
    if paths and abs(there - said) > there / 5:
        yield f"{place}: {there} lines are there, not {said}"


def main(documents):
    goals = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
    counts = {"files": 0, "numbers": 0, "goals": 0, "links": 0}
    problems = [problem for document in documents for problem in problems_of(document, goals, counts)]
    for problem in problems:
        print(f"coffer: {problem}", file=sys.stderr)
    if documents == DOCUMENTS and min(counts.values()) < 5:
        print(f"coffer: hardly anything is quoted, {counts}: does the check still find it?", file=sys.stderr)
        return 1
    print(f"coffer: {counts['files']} quoted files, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or DOCUMENTS))
