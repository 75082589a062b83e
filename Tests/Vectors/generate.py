#!/usr/bin/python3
"""Writes the vectors of Tests/Vectors/v1. With --check, compares them with what is there and writes nothing."""

import importlib
import pathlib
import re
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


def there():
    """What is in the folder by its name, and what is wrong with it: only plain files are ever read or replaced."""
    if FOLDER.is_symlink() or FOLDER.exists() and not FOLDER.is_dir():
        return {}, [f"{FOLDER.name} is no folder"]
    paths = {path.name: path for path in sorted(FOLDER.iterdir())} if FOLDER.exists() else {}
    return paths, [f"{shown(name)} is no plain file" for name, path in paths.items()
                   if path.is_symlink() or not path.is_file()]


def shown(name):
    return name if re.fullmatch(r"[\w.-]+", name, re.ASCII) else ascii(name)


def check(files, paths):
    problems = [f"{name} is missing" for name in sorted(files.keys() - paths)]
    problems += [f"{shown(name)} is not made by the generator" for name in sorted(paths.keys() - files)]
    problems += [f"{name} differs" for name in sorted(files.keys() & paths) if paths[name].read_bytes() != files[name]]
    return problems


def write(files, paths):
    FOLDER.mkdir(exist_ok=True)
    for name, path in paths.items():
        if name not in files or path.stat().st_nlink > 1:  # what has another name elsewhere is not written through
            path.unlink()
    for name, contents in files.items():
        (FOLDER / name).write_bytes(contents)


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit("usage: generate.py [--check]")
    paths, problems = there()
    files = {} if problems else generated()
    if not sys.argv[1:] and not problems:
        write(files, paths)
        print(f"{len(files)} vectors written")
        return
    problems = problems or check(files, paths)
    for problem in problems:
        print(problem)
    if problems:
        sys.exit(1)
    print(f"{len(files)} vectors are as they are made")


try:
    main()
except OSError as error:
    sys.exit(f"generate.py: {error}")
