#!/usr/bin/python3
"""Checks that every public symbol is documented, has a page, and stands under a topic that someone chose.

Usage: check_documentation.py MODULE LEAST GRAPHS SITE: the module, how many public symbols it has at least, the folder
of its symbol graphs, and that of the converted documentation.
"""

import json
import pathlib
import sys


def symbols(graphs):
    """What the library makes public, by its own sources: what the standard library lends it is left out."""
    for path in sorted(graphs.glob("*.symbols.json")):
        for symbol in json.loads(path.read_text())["symbols"]:
            if "::SYNTHESIZED::" not in symbol["identifier"]["precise"] and "location" in symbol:
                yield path.name, symbol


def place(symbol):
    location = symbol["location"]
    return f"{location['uri'].removeprefix('file://')}:{location['position']['line'] + 1}"


def documentation_of(symbol):
    return "".join(line["text"] for line in symbol.get("docComment", {"lines": []})["lines"]).strip()


def main(module, least, graphs, site):
    problems, count = [], 0
    pages, linked, chosen = {}, set(), {}
    for path in sorted((site / "data").rglob("*.json")):
        page = json.loads(path.read_text())
        pages[page.get("metadata", {}).get("externalID")] = page["identifier"]["url"]
        topics = page.get("topicSections", [])
        for topic in [*topics, *page.get("defaultImplementationsSections", [])]:
            linked.update(topic["identifiers"])
        by_hand = [topic for topic in topics if not topic.get("generated")]
        if by_hand or page.get("metadata", {}).get("role") == "collection":
            chosen[page["identifier"]["url"]] = [topic for topic in topics if topic.get("generated")]
    for url, rest in chosen.items():
        for topic in rest:
            for identifier in topic["identifiers"]:
                problems.append(f"{url} has topics, but none for {identifier.rsplit('/', 1)[-1]}")
    for graph, symbol in symbols(graphs):
        count += 1
        name = ".".join(symbol["pathComponents"])
        if not documentation_of(symbol):
            problems.append(f"{place(symbol)}: {name} has no documentation")
        # What is added to types of other modules has no pages here.
        if graph == f"{module}.symbols.json":
            url = pages.get(symbol["identifier"]["precise"])
            if url is None:
                problems.append(f"{place(symbol)}: {name} has no page")
            elif url not in linked:
                problems.append(f"{place(symbol)}: {name} stands under no topic")
    if count < least or not chosen:
        problems.append(f"only {count} public symbols and {len(chosen)} pages with topics: something is not there")
    for problem in problems:
        print(f"coffer: {problem}", file=sys.stderr)
    print(f"coffer: {module}: {count} public symbols, {len(problems)} problems of their documentation")
    return 1 if problems else 0


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], int(sys.argv[2]), pathlib.Path(sys.argv[3]), pathlib.Path(sys.argv[4])))
