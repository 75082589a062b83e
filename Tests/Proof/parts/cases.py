"""The commands whose memory is looked at, those that fail too, and a vault with known secrets for them."""

import contextlib
import dataclasses
import os
import random
import resource
import string
import typing

from kit.place import Place
from vault_file import B, Refused  # which kit.place finds

PART = "memory"


def canary(seed, count=48):
    """Random letters: a value that no library holds by chance."""
    return "".join(random.Random(seed).choices(string.ascii_letters + string.digits, k=count))


@dataclasses.dataclass
class Case:
    """A command that is stepped. `{new}` in its words is the file of another passphrase."""

    what: str
    words: list
    code: int = 0
    input: str = ""
    prepare: typing.Callable = lambda place: None  # done to the place before
    limit: tuple = ()  # a limit of the system
    output: str | None = None  # a path instead of a file in memory
    passphrase: str = "right"  # or wrong, or none
    agent: bool = False


def file_size_limit():
    return (resource.RLIMIT_FSIZE, 1_024)


def damage(place):
    """One bit in the box, found by the check at the end."""
    file = bytearray(place.vault.read_bytes())
    file[300] ^= 1
    place.write(bytes(file))


def tamper(place):
    """The same with a check that fits again: found with the key alone."""
    damage(place)
    file = place.vault.read_bytes()
    place.write(file[:-32] + B("coffer-check", file[:-32]))


def put_back(place):
    """A file that is older than what was seen here."""
    old = place.vault.read_bytes()
    for _ in range(2):
        done = place.coffer(["set", "second", *place.secret], b"x")
        assert done.code == 0, done
    place.write(old)


CASES = [
    Case("get", ["get", "first"]),
    Case("set a new value", ["set", "third"], input="third"),
    Case("wrong passphrase", ["get", "first"], 8, passphrase="wrong"),
    Case("set that cannot be written", ["set", "third"], 15, "third", limit=file_size_limit),
    Case("get through the agent", ["get", "first"], agent=True, passphrase="none"),
    Case("set through the agent", ["set", "third"], 0, "third", agent=True, passphrase="none"),
    Case("set over a value", ["set", "first"], input="third"),
    Case("set JSON", ["set", "third", "--type", "json"], input='{"a": ["THIRD", 1]}'),
    Case("get as JSON", ["get", "--json", "first", "second"]),
    Case("list", ["list"]),
    Case("unset", ["unset", "first"]),
    Case("rename", ["rename", "first", "renamed"]),
    Case("inspect", ["inspect", "--ask"]),
    Case("passphrase", ["passphrase", "--cost", "3,64M", "--new-passphrase-file", "{new}"]),
    Case("init", ["init", "--cost", "3,64M", "--vault", "{other}"]),
    Case("unlock", ["unlock"], agent=True),
    Case("get of what is not there", ["get", "none"], 16),
    Case("undo of what never changed", ["undo", "first"], 17),
    Case("get to a full disk", ["get", "first"], 15, output="/dev/full"),
    Case("damaged file", ["get", "first"], 5, prepare=damage),
    Case("file that was tampered with", ["get", "first"], 9, prepare=tamper),
    Case("older file", ["get", "first"], 11, prepare=put_back),
    Case("JSON that is none", ["set", "third", "--type", "json"], 17, '{"a": "THIRD", }'),
    Case("empty value", ["set", "third"], 17),
    Case("passphrase to a weak one", ["passphrase", "--new-passphrase-fd", "0"], 17, "password1"),
]
SHORT = 4  # the first ones


class Scene(Place):
    """A vault whose passphrase, values and keys are known and told from everything else."""

    def __init__(self, context, name):
        seed = f"{context.seed}/{name}"
        self.values = {name: canary(f"{seed}/{name}") for name in ("first", "second")}
        self.third, self.wrong, self.absent = canary(f"{seed}/3"), canary(f"{seed}/w", 32), canary(f"{seed}/a")
        super().__init__(context, name, self.values, canary(f"{seed}/p", 32).encode())
        self.new = self.home / "new"
        self.new.write_text(canary(f"{seed}/n", 32))
        (self.home / "wrong").write_text(self.wrong)

    def keys(self):
        """Those of the file as it is now, whichever passphrase it has."""
        for passphrase in (self.passphrase, self.new.read_bytes()):
            with contextlib.suppress(Refused):
                opened = self.opened(passphrase)
                return opened.master, opened.sealing_key
        return os.urandom(32), os.urandom(32)  # a damaged file has none

    def secrets(self):
        key, sealing_key = self.keys()
        return {
            **{name: value.encode() for name, value in self.values.items()}, "third": self.third.encode(),
            "passphrase": self.passphrase, "wrong passphrase": self.wrong.encode(), "absent": self.absent.encode(),
            "new passphrase": self.new.read_bytes(), "key": key, "sealing key": sealing_key,
        }

    def words(self, case):
        places = {"{new}": str(self.new), "{other}": str(self.folder / "other.coffer")}
        words = [places.get(word, word) for word in case.words]
        given = {"right": self.secret, "wrong": ["--passphrase-file", str(self.home / "wrong")], "none": []}
        return [*words, *given[case.passphrase], "-q"]
