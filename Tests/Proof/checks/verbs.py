"""Every verb of the program: how it is called, what it reads and writes, and what is so in the vault after it."""

import dataclasses
import json

from kit.agent import Agent
from kit.place import Place, make_vault

# None of them is part of another one, or of what the program says by itself.
PASSPHRASE = b"zinc-quartz-7731-harbour"
NEXT = b"ruby-lantern-5520-meadow"
SECRET, OTHER, TYPED = "kx4-canary-of-a", "kx5-canary-of-b", "kx6-canary-of-c"
OLD = "kx3-canary-from-before"
SETTINGS = {"a": SECRET, "b": OTHER}
SECRETS = [PASSPHRASE, NEXT, *(text.encode() for text in (SECRET, OTHER, TYPED, OLD))]
_made = {}


class Desk(Place):
    """A place whose vault has two settings, one of them with a value from before, and two files with secrets in it."""

    def __init__(self, context, name, folder=None):
        super().__init__(context, name, {"a": OLD, "b": OTHER}, PASSPHRASE, folder=folder)
        if context.coffer not in _made:
            done = self.coffer(["set", "a", *self.secret], SECRET.encode())
            assert done.code == 0, str(done)
            _made[context.coffer] = self.vault.read_bytes()
        self.original = _made[context.coffer]
        self.reset()
        self.next, self.value = self.home / "next", self.home / "value"
        self.next.write_bytes(NEXT)
        self.value.write_text(TYPED)
        self.new = self.folder / "new.coffer"

    def reset(self):
        super().reset()
        for path in self.home.glob("made*"):
            path.unlink()


@dataclasses.dataclass
class Verb:
    """A call of the program that succeeds.

    way: `file`, with the passphrase from a file; `agent`, with the vault unlocked in an agent; `idle`, with an agent
    that has nothing unlocked; nothing, where neither is needed.
    """

    text: str
    way: str = ""
    reads: bool = False  # standard input, where the value comes from
    writes: bool = False  # standard output
    change: dict | None = None  # settings as they are afterwards, None for one that is gone; `*` for one of any value
    passphrase: bytes = PASSPHRASE  # that opens the vault afterwards

    def words(self, desk):
        fill = {"NEXT": desk.next, "VALUE": desk.value, "NEW": desk.new}
        words = [str(fill.get(word, word)) for word in self.text.split()]
        return words + (desk.secret if self.way == "file" else [])

    def __str__(self):
        return f"coffer {self.text}" + (f" [{self.way}]" if self.way else "")

    def settings(self):
        """What is in the vault afterwards."""
        found = {**SETTINGS, **(self.change or {})}
        return {name: value for name, value in found.items() if value is not None}

    def wrong(self, desk, done):
        """What is not so in the vault that was done or was not done; nothing if all is well."""
        passphrase = self.passphrase if done else PASSPHRASE
        expected = self.settings() if done else SETTINGS
        try:
            found = desk.settings(passphrase)
        except Exception as error:
            return f"the second implementation says {error!r} of the vault"
        expected = {name: found.get(name) if value == "*" else value for name, value in expected.items()}
        if found != expected:
            return f"the vault has {sorted(found.items())}, not {sorted(expected.items())}"
        if left := [name for name in desk.leftovers() if name not in (".new.coffer.lock", desk.new.name)]:
            return f"beside the vault is left: {left}"
        for lock in desk.folder.glob(".*.lock"):
            if lock.stat().st_size:
                return f"{lock.name} holds {lock.read_bytes()[:100]!r}"
        return None


def _settings_verbs(way):
    """The verbs that are about settings, by a passphrase or by an agent."""
    return [
        Verb("get a", way, writes=True), Verb("get --json a b", way, writes=True), Verb("get -0 a b", way, writes=True),
        Verb("list", way, writes=True), Verb("list --json", way, writes=True),
        Verb("list --older-than 9y", way, writes=True), Verb("inspect --ask", way, writes=True),
        Verb("set c", way, reads=True, change={"c": TYPED}), Verb("set c --file VALUE", way, change={"c": TYPED}),
        Verb("set g --generate", way, change={"g": "*"}), Verb("set n --type integer --value 3", way, change={"n": 3}),
        Verb("unset b", way, change={"b": None}), Verb("unset b --undoable", way, change={"b": None}),
        Verb("rename b d", way, change={"b": None, "d": OTHER}), Verb("undo a", way, change={"a": OLD}),
    ]


VERBS = [
    *(verb for verb in _settings_verbs("file")),
    *(verb for verb in _settings_verbs("agent") if not verb.text.startswith("inspect")),
    Verb("passphrase --cost 3,64M --new-passphrase-file NEXT", "file", passphrase=NEXT),
    Verb("init --vault NEW --cost 3,64M", "file"), Verb("init --vault NEW --cost 3,64M --json", "file", writes=True),
    Verb("check", writes=True), Verb("check --json", writes=True), Verb("inspect", writes=True),
    Verb("inspect --json", writes=True), Verb("unlock", "file"), Verb("unlock --idle never", "file"),
    Verb("lock", "agent"), Verb("lock --all", "agent"), Verb("lock", "idle"),
    Verb("status", "agent", writes=True), Verb("status --json", "agent", writes=True), Verb("status -q", "agent"),
    Verb("agent start"), Verb("agent start", "idle"), Verb("agent stop", "idle"), Verb("agent stop", "agent"),
    Verb("help", writes=True), Verb("help set", writes=True), Verb("help exit-codes", writes=True),
    Verb("help --json", writes=True), Verb("help exit-codes --json", writes=True), Verb("version", writes=True),
    Verb("version --json", writes=True), Verb("--version", writes=True), Verb("get --help", writes=True),
    Verb("-h", writes=True),
]


class Surrounded:
    """The desk as a verb needs it: with an agent or without; no agent is left behind."""

    def __init__(self, desk, verb):
        self.desk, self.agent = desk, None
        desk.reset()
        if verb.way in ("agent", "idle"):
            self.agent = Agent(desk)
            assert self.agent.is_ready, self.agent.told()
        if verb.way == "agent":
            done = self.agent.unlock()
            assert done.code == 0, str(done)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        if self.agent:
            self.agent.stop()
        else:
            stop_agent(self.desk)


def stop_agent(desk):
    """Ends an agent that a verb started, however it is called; a socket says that there is one."""
    if (desk.home / "run" / "agent.sock").exists():
        desk.coffer(["agent", "stop"])


def forgotten(context):
    """The commands that `coffer help` names and no entry here runs: a new verb is to be added."""
    desk = Desk(context, "every-verb")
    told = json.loads(desk.coffer(["help", "--json"]).out)
    names = {command["name"] for command in told}
    return sorted(names - {verb.text.split()[0] for verb in VERBS})
