"""A throw-away home with a vault in it, the program run in it, and what a second implementation finds in the vault."""

import dataclasses
import os
import pathlib
import shutil
import subprocess
import sys
import threading

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "Audit"))

import vault_file  # noqa: E402
from encoder import kdf_block, make_plaintext, seal  # noqa: E402
from property_list import encode  # noqa: E402
from vault_file import Decoder, argon2id  # noqa: E402

PASSPHRASE = b"seven clouds over a quiet harbour"
CHEAP = (1, 8_192)  # passes and KiB: the least that the format allows
SETTINGS = {"old": "value", "other": "kept"}
_keys, _keys_lock = {}, threading.Lock()


@dataclasses.dataclass
class Outcome:
    """How a program ended; a code below 0 is a signal, None that it was stopped for it hung."""

    code: int | None
    out: bytes
    err: bytes
    trouble: str = ""  # what else was wrong, such as of the agent that served it

    def __str__(self):
        return f"code {self.code}, {self.err.decode(errors='replace').strip()[-600:]!r}" + self.trouble


def rest_of(child, seconds=10):
    """What a killed program wrote; not all of it, where one that left its session holds the pipes open."""
    try:
        return child.communicate(timeout=seconds)
    except subprocess.TimeoutExpired as error:
        for pipe in filter(None, (child.stdout, child.stderr)):
            pipe.close()
        return error.output or b"", error.stderr or b""


def derive(passphrase, salt, ops, mem):
    """The key of a passphrase, derived once."""
    with _keys_lock:
        known = _keys.get((passphrase, salt, ops, mem))
    if known is None:
        known = argon2id(passphrase, salt, ops, mem)
        with _keys_lock:
            _keys[(passphrase, salt, ops, mem)] = known
    return known


vault_file.argon2id = derive  # for the Decoder to use


def make_vault(settings=None, passphrase=PASSPHRASE, cost=CHEAP, generation=1, random=os.urandom):
    """The bytes of a vault that the second implementation writes; `coffer` itself chooses no cost so low."""
    salt = random(16)
    plaintext = make_plaintext(random(16), generation, encode(SETTINGS if settings is None else settings))
    return seal(derive(passphrase, salt, *cost), kdf_block(*cost, salt), [], plaintext, random(32))


def open_vault(file, passphrase=PASSPHRASE):
    """The second implementation's Decoder of a file's bytes; raises `Refused`."""
    return Decoder(file).open(passphrase)


class Place:
    """A home of its own: `vault`, `passphrase_file`, `environment` with a state and a runtime directory in it."""

    def __init__(self, context, name, settings=None, passphrase=PASSPHRASE, cost=CHEAP, folder=None):
        self.context, self.passphrase = context, passphrase
        self.home = pathlib.Path(folder or context.scratch / name)
        self.folder = self.home / "vaults"  # holds the vault and what belongs to it, nothing else
        self.folder.mkdir(parents=True)
        self.vault = self.folder / "v.coffer"
        self.passphrase_file = self.home / "passphrase"
        self.passphrase_file.write_bytes(passphrase + b"\n")
        self.state = self.home / "state"
        self.secret = ["--passphrase-file", str(self.passphrase_file)]  # words for `coffer`
        self.environment = {
            "HOME": str(self.home), "COFFER_VAULT": str(self.vault), "XDG_STATE_HOME": str(self.state),
            "COFFER_RUNTIME_DIR": str(self.home / "run"), "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8",
            "SWIFT_BACKTRACE": "enable=no", "LD_BIND_NOW": "1",
        }
        if context.libraries:
            self.environment["LD_LIBRARY_PATH"] = context.libraries
        self.original = make_vault(settings, passphrase, cost)
        self.write(self.original)

    def write(self, file):
        """Puts bytes in the place of the vault."""
        self.vault.write_bytes(file)
        self.vault.chmod(0o600)

    def reset(self):
        """As it was made: the first vault, nothing beside it, nothing remembered."""
        for path in self.folder.iterdir():
            path.unlink()
        shutil.rmtree(self.state, ignore_errors=True)
        self.write(self.original)

    def run(self, command, input=b"", timeout=60, environment=None, **more):
        """Runs any command in this environment."""
        with subprocess.Popen(
                [*map(str, command)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                env={**self.environment, **(environment or {})}, cwd=self.home, start_new_session=True, **more) as child:
            try:
                out, err = child.communicate(input, timeout)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, 9)  # its own session: strace and what it traces
                return Outcome(None, *rest_of(child))
        return Outcome(child.returncode, out, err)

    def coffer(self, words, input=b"", before=(), **more):
        """Runs `coffer` with these words; `before` are words that run it, such as strace's."""
        return self.run([*before, self.context.coffer, *words], input, **more)

    def opened(self, passphrase=None):
        """What the second implementation finds: `.settings`, `.generation`, ...; raises `Refused`."""
        return open_vault(self.vault.read_bytes(), passphrase or self.passphrase)

    def settings(self, passphrase=None):
        return self.opened(passphrase).settings

    def leftovers(self):
        """What stands beside the vault and its lock file."""
        return sorted(set(os.listdir(self.folder)) - {self.vault.name, f".{self.vault.name}.lock"})

    def remove(self):
        shutil.rmtree(self.home, ignore_errors=True)
