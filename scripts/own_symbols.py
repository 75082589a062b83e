#!/usr/bin/python3
"""Takes out of symbol graphs what the module only passes on from another one, which documents it itself.

Usage: own_symbols.py FOLDER GRAPH ...: the folder of the module's sources, and its graphs, which are changed.
"""

import json
import pathlib
import sys


def main(folder, graphs):
    start = folder.resolve().as_uri() + "/"
    for path in graphs:
        graph = json.loads(path.read_text())
        graph["symbols"] = [
            symbol for symbol in graph["symbols"]
            # What has no place is derived from what has one.
            if "location" not in symbol or symbol["location"]["uri"].startswith(start)
        ]
        known = {symbol["identifier"]["precise"] for symbol in graph["symbols"]}
        graph["symbols"] = [
            symbol for symbol in graph["symbols"]
            if "location" in symbol or symbol["identifier"]["precise"].rpartition("::SYNTHESIZED::")[2] in known
        ]
        known = {symbol["identifier"]["precise"] for symbol in graph["symbols"]}
        graph["relationships"] = [link for link in graph["relationships"] if link["source"] in known]
        path.write_text(json.dumps(graph))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]), [pathlib.Path(graph) for graph in sys.argv[2:]])
