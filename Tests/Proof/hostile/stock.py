"""The vaults, lists and frames that are changed: they hang on the seed alone."""

import itertools
import pathlib
import random
import struct

from encoder import kdf_block, make_plaintext, make_slot, recipient_keys, seal
from hostile.frames import is_reply, is_request
from interop import Draw
from kit.place import CHEAP, PASSPHRASE, derive
from property_list import encode
from vault_file import B

TESTS = pathlib.Path(__file__).resolve().parents[2]
CHECK, HEADER, MAC = 32, 72, 16


def checked(body):
    """A body with the check that fits it."""
    return body + B("coffer-check", body)


class Stock:
    """The vaults, lists and frames that are changed."""

    def __init__(self, seed):
        self.seed = seed
        draw = random.Random(f"{seed}/stock")
        self.block = kdf_block(*CHEAP, draw.randbytes(16))
        self.master = derive(PASSPHRASE, self.block[12:], *CHEAP)
        self.random = draw.randbytes
        settings = {"n": 7, "token": "s3cr3t", "user": "alice", "list": [True, -1, 0.5, "\u00e9", {"": b"\0"}]}
        self.small = self.sealed(encode(settings))
        owner = draw.randbytes(32)
        people = [recipient_keys(draw.randbytes(16))[1] for _ in range(2)]
        slots = [make_slot(owner, key, self.master, draw.randbytes(32)) for key in people]
        slots.insert(1, struct.pack("<HH", 9, 5) + b"later")
        ages = B("coffer1-ages", encode(settings), n=16) + struct.pack("<4q", 1, 2, 3, 4)
        metadata = {
            "modified": ages, "owner": owner, "removed": {"gone": 5}, "previous": {"n": {"saved": 1, "value": 6}},
            "recipients": [{"key": key, "label": f"r{number}"} for number, key in enumerate(people)]}
        self.shared = self.sealed(encode(settings), encode(metadata), slots)
        self.metadata = encode(metadata)
        self.lists = [encode(settings)]
        for number in itertools.count():
            if len(self.lists) == 48:
                break
            found = encode(Draw(f"{seed}/list/{number}").settings())
            if len(found) <= 4_000:
                self.lists.append(found)
        corpus = TESTS / "PropertyListsTests" / "Corpus"
        self.foreign = self.lists + [
            path.read_bytes() for path in sorted(corpus.glob("*.bplist")) if path.stat().st_size <= 4_000]
        frames = [path.read_bytes() for path in sorted((TESTS / "Fuzz" / "Seeds" / "frame").iterdir())]
        self.frames = [("R" if frame[0] & 1 else "Q", frame[1:]) for frame in frames]
        # Changes of what is none already would show little.
        stale = [body.hex() for kind, body in self.frames if not (is_reply if kind == "R" else is_request)(body)]
        if stale:
            raise ValueError(f"seeds that are no frames any more: {stale}")

    def sealed(self, settings, metadata=b"", slots=(), generation=1, plaintext=None):
        if plaintext is None:
            plaintext = make_plaintext(bytes(range(16)), generation, settings, metadata)
        return seal(self.master, self.block, list(slots), plaintext, bytes(32))
