"""A kill or a fault at each system call of a save."""

from kit.place import Place
from kit.row import tally


def run(context):
    rows = []
    with tally(rows, "crash", "a vault of the second implementation opens") as t:
        place = Place(context, "first")
        done = place.coffer(["set", "new", *place.secret], b"x")
        t.check(done.code == 0 and place.settings()["new"] == "x", str(done))
    return rows
