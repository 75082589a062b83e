#!/usr/bin/python3
"""Writes the vectors of Tests/Vectors/v1. With --check, compares them with what is there and writes nothing."""

import importlib
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = HERE / "v1"
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True

from kit.vector import Vectors  # noqa: E402


def generated():
    vectors = Vectors()
    for path in sorted((HERE / "scenarios").glob("[a-z]*.py")):
        importlib.import_module(f"scenarios.{path.stem}").add(vectors)
    return vectors.files


def check(files):
    there = {path.name for path in FOLDER.iterdir()}
    problems = [f"{name} is missing" for name in sorted(files.keys() - there)]
    problems += [f"{name} is not made by the generator" for name in sorted(there - files.keys())]
    problems += [f"{name} differs" for name in sorted(files.keys() & there)
        if (FOLDER / name).read_bytes() != files[name]]
    return problems


def write(files):
    FOLDER.mkdir(exist_ok=True)
    for path in FOLDER.iterdir():
        if path.name not in files:
            path.unlink()
    for name, contents in files.items():
        (FOLDER / name).write_bytes(contents)


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit("usage: generate.py [--check]")
    files = generated()
    if not sys.argv[1:]:
        write(files)
        print(f"{len(files)} vectors written")
        return
    problems = check(files)
    for problem in problems:
        print(problem)
    if problems:
        sys.exit(1)
    print(f"{len(files)} vectors are as they are made")


main()
