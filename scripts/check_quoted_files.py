#!/usr/bin/python3
"""Checks what the documents say of the repository: that files exist, have so many lines, and goals are there.

A word in `backticks` that begins like a path of the repository must be one, without `..`; `{a,b}` and `*` stand for
several. A number of lines, as in `FILE` (120 lines) or in the last column of a table, must be exact, for all the files of
its row together. In `backticks` and in blocks of code each goal of `make GOAL ...` must be one of the Makefile. A
relative link must lead to a file of the repository.

Usage: check_quoted_files.py [DOCUMENT ...]; all that are checked unless told.
"""

import pathlib
import re
import shlex
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENTS = ["README.md", "SECURITY.md", "Sources/Coffer/Coffer.docc/AuditingCoffer.md", "Tests/Vectors/README.md"]
PATH = re.compile(r"(?:Sources|Tests|Examples|scripts)/[\w.+/{},*-]+|(?:README|SECURITY)\.md|Makefile|Package\.swift")
# What is quoted may go on in the next line, but not beyond a paragraph.
QUOTED = re.compile(r"(?<!`)``?((?:[^`\n]|\n(?!\n))+)``?(?:\s\(([\d,]+)\slines\))?")
ROW = re.compile(r"^\|.*\| ([\d,]+) \|$", re.M)
MAKE = re.compile(r"(?:^|[;&|(`])\s*(?:\$ )?(?:\w+=\S* )*make(?=\s)([^;&|#()<>`]*)")
VALUED = {"-C", "-f", "-I", "-o", "-W"}  # options of make whose value is the next word
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
    return sum(path.read_bytes().count(b"\n") for path in paths if path.is_file())


def goals_of(command):
    """The goals that the calls of make in a command name; what is in capitals stands for any."""
    for words in MAKE.findall(command):
        try:
            words = iter(shlex.split(words))
        except ValueError:  # a quote that is not closed: no more than a piece of a command
            words = iter(words.split())
        for word in words:
            if word in VALUED:
                next(words, None)
            elif not word.startswith("-") and "=" not in word and not re.fullmatch(r"[A-Z_.…]+|\d+", word):
                yield word


def split(text):
    """The lines of a document in code, and the text without them; both keep their places."""
    prose, code, fenced = [], [], False
    for line in text.split("\n"):
        fence = line.lstrip().startswith("```")
        inside = fenced and not fence
        fenced ^= fence
        prose.append("" if inside or fence else line)
        code.append(line if inside else "")
    return "\n".join(prose), code


def problems_of(document, goals, counts):
    try:
        prose, code = split((ROOT / document).read_text())
    except (OSError, UnicodeDecodeError) as error:
        yield f"{document}: cannot be read: {getattr(error, 'strerror', None) or 'it is no text'}"
        return

    def place(match):
        return f"{document}:{prose.count(chr(10), 0, match.start()) + 1}"

    paths_at, commands = {}, [(f"{document}:{number}", line) for number, line in enumerate(code, 1) if line]
    for match in QUOTED.finditer(prose):
        paths = []
        commands.append((place(match), match[1].replace("\n", " ")))
        for word in match[1].split():
            word = word.rstrip(",;:")
            if word.startswith("../") or PATH.fullmatch(word) and any(".." in each.split("/") for each in expanded(word)):
                yield f"{place(match)}: {word} climbs out of its folder"
            elif PATH.fullmatch(word):
                counts["files"] += 1
                for each, found in files_of(word):
                    paths += found
                    if not found:
                        yield f"{place(match)}: there is no {each}"
        paths_at.setdefault(place(match), []).extend(paths)
        if match[2]:
            counts["numbers"] += 1
            yield from wrong_number(place(match), match[2], paths)
    for match in ROW.finditer(prose):
        counts["numbers"] += 1
        yield from wrong_number(place(match), match[1], paths_at.get(place(match), []))
    for where, command in commands:
        for goal in goals_of(command):
            counts["goals"] += 1
            if goal not in goals:
                yield f"{where}: the Makefile has no goal {goal}"
    for match in LINK.finditer(prose):
        counts["links"] += 1
        target = ((ROOT / document).parent / match[1]).resolve()
        if not target.is_relative_to(ROOT) or not target.exists():
            yield f"{place(match)}: the link {match[1]} leads to no file of the repository"


def wrong_number(place, said, paths):
    said, there = int(said.replace(",", "")), lines_of(paths)
    if paths and there != said:
        yield f"{place}: {there:,} lines are there, not {said:,}"


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
